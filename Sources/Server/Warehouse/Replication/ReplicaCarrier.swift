import Foundation
import Storage

/// Copies changes of the tables among the records' own to the i2b2 of another database: each row once, with numbers
/// that are free or already assigned there, in one transaction of that database.
///
/// The log entries are deleted after that transaction. If the process stops between the two, the rows are copied again
/// with the same result.
package struct ReplicaCarrier: Sendable {
    /// The result of one step.
    package enum Step: Sendable, Hashable {
        /// No changes were pending.
        case nothing
        /// The number of copied log entries; there may be more.
        case carried(Int)
        /// Another process is copying.
        case busy
    }

    private let records: any SQLDatabase
    private let replica: any NestedSQLDatabase

    /// - Parameters:
    ///   - records: the records' store.
    ///   - replica: an open ``WarehouseReplica/store``.
    package init(records: any SQLDatabase, replica: any NestedSQLDatabase) {
        (self.records, self.replica) = (records, replica)
    }

    /// Copies a limited part of the pending changes.
    ///
    /// - Throws: ``Storage/StorageError``; ``WarehouseError`` `warehouse-place` if the replica belongs to another
    ///   store.
    package func step() async throws -> Step {
        guard try await records.read({ try ReplicaLog.hasEntries(in: $0) }) else { return .nothing }
        let replica = replica
        let (step, entries) = try await records.read { source -> (Step, [Int64]) in
            try replica.writeNested { target in
                // Before the first query of the records: a process that gets the lock later reads newer records.
                let lock = try target.first(
                    "SELECT 1 AS one WHERE pg_try_advisory_xact_lock(?)", [SQLValue(ReplicaSchema.lock)])
                guard lock != nil else { return (.busy, []) }
                guard let own = try ReplicaLog.source(in: source),
                    try own == ReplicaInstallation.knownSource(in: target)
                else { throw WarehouseError.otherLocation }
                let (changes, entries) = try ReplicaLog.next(in: source)
                guard !entries.isEmpty else { return (.nothing, []) }
                try ReplicaBatch(changes, from: source, to: target).carry()
                return (.carried(entries.count), entries)
            }
        }
        if !entries.isEmpty { try await records.write { try ReplicaLog.forget(entries, in: $0) } }
        return step
    }

    /// Returns the number of pending log entries.
    package static func waiting(in transaction: any SQLTransaction) throws -> Int {
        try ReplicaLog.count(in: transaction)
    }
}
