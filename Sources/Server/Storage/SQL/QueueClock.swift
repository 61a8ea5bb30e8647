import Foundation

/// Clock for receipt times and leases.
public enum QueueClock: Sendable {
    /// Clock of the caller.
    case ofCaller
    /// Clock of the database, the same for all hosts; for a database file that of its host.
    case ofDatabase

    /// Returns the current time.
    ///
    /// - Parameter date: current time of the caller.
    public func now(_ date: Date, in transaction: any SQLTransaction) throws -> Date {
        try now(date, answers: transaction.queries(queries(in: transaction.dialect))[...])
    }

    /// Queries whose answers ``now(_:answers:)`` needs.
    package func queries(in dialect: SQLDialect) -> [SQLQuery] {
        guard self == .ofDatabase, dialect == .postgresql else { return [] }
        // `now()` would be the start of the transaction, before it waited for the lock.
        return [SQLQuery("SELECT extract(epoch FROM clock_timestamp())::double precision AS seconds")]
    }

    /// Returns the current time from the answers to ``queries(in:)``.
    package func now(_ date: Date, answers: ArraySlice<[SQLRow]>) throws -> Date {
        guard let answer = answers.first else { return date }
        guard let row = answer.first, case .real(let seconds) = row["seconds"] else {
            throw StorageError(code: "storage-failed", message: "The database did not return its time.")
        }
        return SQLTimestamp.rounded(Date(timeIntervalSince1970: seconds))
    }
}
