import Foundation
import Storage

/// Seals new rows of the audit.
///
/// The rows are read and hashed from a snapshot; the transaction that writes a seal only checks that the seal before is
/// still the newest. So no other transaction waits for a hash, and two sealers never seal a row twice. Rows get their
/// numbers in the order of their commits, because a store has one writer at a time.
package struct AuditSealer: Sendable {
    /// Maximum number of rows of a seal.
    package static let maximumRows = 5_000
    /// Number of shown participants after which a seal ends. One row may have more.
    package static let maximumShown = 50_000

    /// The records' store.
    package let database: any SQLDatabase
    /// Returns the current time.
    package let clock: @Sendable () -> Date
    private let rowLimit: Int
    private let shownLimit: Int

    /// - Parameters:
    ///   - rowLimit: maximum number of rows of a seal; at most ``maximumRows``.
    ///   - shownLimit: number of shown participants after which a seal ends.
    package init(
        database: any SQLDatabase, rowLimit: Int = AuditSealer.maximumRows,
        shownLimit: Int = AuditSealer.maximumShown, clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.clock = clock
        self.rowLimit = max(1, min(rowLimit, Self.maximumRows))
        self.shownLimit = max(1, shownLimit)
    }

    /// Seals all rows that exist at the start.
    ///
    /// - Returns: the newest seal; nil if there is none.
    /// - Throws: ``Storage/StorageError``; rows that are not sealed are sealed by the next call.
    @discardableResult
    package func seal() async throws -> AuditSeal? {
        let end = try await database.lookUp { transaction in
            try transaction.first(Self.lastRowSQL)?.integerIfPresent("number") ?? 0
        }
        while true {
            let (last, next) = try await nextSeal()
            guard let next else { return last }
            guard try await add(next, after: last) else { continue }
            if next.lastRow >= end { return next }
            try Task.checkCancellation()
        }
    }

    /// Records that the store was restored from a backup, and seals the rows of the backup that had no seal yet: seals and
    /// rows from this seal on may have the numbers of others that existed before the restoration.
    ///
    /// - Parameter time: the seal is not earlier, so that it explains heads of that time.
    package func recordRestoration(notBefore time: Date?) async throws {
        let now = max(clock(), time ?? .distantPast)
        try await database.write { transaction in
            let last = try AuditSeal.last(in: transaction)
            try AuditSeal(.restored, of: [], after: last, at: now).insert(in: transaction)
        }
        try await seal()
    }

    /// Returns the newest seal and the one that is to follow; nil if no rows are left.
    private func nextSeal() async throws -> (last: AuditSeal?, next: AuditSeal?) {
        let (now, rowLimit, shownLimit) = (clock(), rowLimit, shownLimit)
        return try await database.read { transaction in
            let last = try AuditSeal.last(in: transaction)
            let rows = try SealedRow.next(
                after: last?.lastRow ?? 0, limit: rowLimit, shownLimit: shownLimit, in: transaction)
            return (last, rows.isEmpty ? nil : AuditSeal(.rows, of: rows, after: last, at: now))
        }
    }

    /// Writes a seal.
    ///
    /// - Returns: false if another process has sealed meanwhile.
    private func add(_ next: AuditSeal, after last: AuditSeal?) async throws -> Bool {
        try await database.write { transaction in
            guard try AuditSeal.last(in: transaction) == last else { return false }
            try next.insert(in: transaction)
            return true
        }
    }

    static let lastRowSQL = "SELECT max(number) AS number FROM audit"
}
