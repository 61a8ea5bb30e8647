import Foundation
import Storage

/// Carries what changed in the tables among the records' to the i2b2 of another database: each row once, under the numbers that
/// are free or known there, in one transaction of that database.
///
/// The notes of what was carried are forgotten after that transaction. What is carried a second time, after a stop between the
/// two, gives the same rows.
public struct ReplicaCarrier: Sendable {
    /// What became of one step.
    public enum Step: Sendable, Hashable {
        /// There was nothing.
        case nothing
        /// So many notes were carried; there may be more.
        case carried(Int)
        /// Another process carries.
        case busy
    }

    private let records: any SQLDatabase
    private let replica: any NestedSQLDatabase

    /// - Parameters:
    ///   - records: the records' store.
    ///   - replica: ``WarehouseReplica/store``, open.
    public init(records: any SQLDatabase, replica: any NestedSQLDatabase) {
        (self.records, self.replica) = (records, replica)
    }

    /// Carries a bounded part of what waits.
    ///
    /// - Throws: ``Storage/StorageError``; ``WarehouseError`` `warehouse-place` where the replica is another store's.
    public func step() async throws -> Step {
        guard try await records.read({ try ReplicaLog.hasNotes(in: $0) }) else { return .nothing }
        let replica = replica
        let (step, notes) = try await records.read { source -> (Step, [Int64]) in
            try replica.writeNested { target in
                // Before the first look at the records: whoever carries later has seen more of them.
                let lock = try target.first(
                    "SELECT 1 AS one WHERE pg_try_advisory_xact_lock(?)", [SQLValue(ReplicaSchema.lock)])
                guard lock != nil else { return (.busy, []) }
                guard let own = try ReplicaLog.source(in: source),
                    try own == ReplicaInstallation.knownSource(in: target)
                else { throw WarehouseError.otherPlace }
                let (changes, notes) = try ReplicaLog.next(in: source)
                guard !notes.isEmpty else { return (.nothing, []) }
                try ReplicaBatch(changes, from: source, to: target).carry()
                return (.carried(notes.count), notes)
            }
        }
        if !notes.isEmpty { try await records.write { try ReplicaLog.forget(notes, in: $0) } }
        return step
    }

    /// The notes that wait.
    public static func waiting(in transaction: any SQLTransaction) throws -> Int {
        try ReplicaLog.count(in: transaction)
    }
}
