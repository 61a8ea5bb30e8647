import Foundation

/// Whose clock says when a submission came and how long a lease lasts.
public enum QueueClock: Sendable {
    /// The caller's.
    case ofCaller
    /// The database's, so that all hosts have the same; that of a file is its host's.
    case ofDatabase

    /// Now.
    ///
    /// - Parameter date: the caller's.
    public func now(_ date: Date, in transaction: any SQLTransaction) throws -> Date {
        try now(date, answers: transaction.queries(queries(in: transaction.dialect))[...])
    }

    /// What a database is asked for ``now(_:answers:)``.
    func queries(in dialect: SQLDialect) -> [SQLQuery] {
        guard self == .ofDatabase, dialect == .postgresql else { return [] }
        // Not the transaction's begin: it may have waited for its turn.
        return [SQLQuery("SELECT extract(epoch FROM clock_timestamp())::double precision AS seconds")]
    }

    /// Now, read from the answers to ``queries(in:)``.
    func now(_ date: Date, answers: ArraySlice<[SQLRow]>) throws -> Date {
        guard let answer = answers.first else { return date }
        guard let row = answer.first, case .real(let seconds) = row["seconds"] else {
            throw StorageError(code: "storage-failed", message: "The database does not say what time it is.")
        }
        return SQLTimestamp.rounded(Date(timeIntervalSince1970: seconds))
    }
}
