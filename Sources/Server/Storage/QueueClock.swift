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
    func now(_ date: Date, in transaction: any SQLTransaction) throws -> Date {
        guard self == .ofDatabase, transaction.dialect == .postgresql else { return date }
        // Not the transaction's begin: it may have waited for its turn.
        let row = try transaction.first("SELECT extract(epoch FROM clock_timestamp())::double precision AS seconds")
        guard let row, case .real(let seconds) = row["seconds"] else {
            throw StorageError(code: "storage-failed", message: "The database does not say what time it is.")
        }
        return SQLTimestamp.rounded(Date(timeIntervalSince1970: seconds))
    }
}
