import Core
import Foundation
import Storage
import Warehouse

extension StudyStores {
    /// Rolls back a transaction after a problem.
    private struct Stop: Error { let report: WarehouseInstallation.Report }

    /// Creates i2b2's tables at the location of study.json, or uses existing ones. No other process may use the
    /// records meanwhile.
    ///
    /// - Parameter adopts: whether rows of an earlier load of this study are treated as its own.
    /// - Returns: the report; if there is a problem, nothing was changed.
    /// - Throws: ``Storage/StorageError``; `storage-locked` while the study is served.
    package func installWarehouse(adopts: Bool) async throws -> WarehouseInstallation.Report {
        try await migrateRecords()
        let installation = WarehouseInstallation(warehouse, adopts: adopts)
        do {
            guard case .replicated(let replica) = warehouse else {
                return try await records.withAlone { database in
                    try await database.write { try Self.whole(installation.run(in: $0)) }
                }
            }
            try await replica.store.migrate()
            let there = ReplicaInstallation(replica, adopts: adopts)
            let name = UUID().lowercaseText
            return try await replica.store.open().closing { other in
                try await records.withAlone { database in
                    try await database.write { transaction in
                        let own = try Self.whole(installation.run(in: transaction))
                        let source = try ReplicaInstallation.source(in: transaction)
                        var (report, known) = try other.writeNested { target in
                            let report = try Self.whole(there.run(source: source, newSource: name, in: target))
                            return (report, try ReplicaInstallation.knownSource(in: target))
                        }
                        if let known { try ReplicaInstallation.follow(as: known, in: transaction) }
                        report.isToBeLoaded = own.isToBeLoaded
                        report.isToBeReplicated = try ReplicaCarrier.waiting(in: transaction) > 0
                        return report
                    }
                }
            }
        } catch let stop as Stop {
            var report = stop.report
            report.made = []
            return report
        }
    }

    private static func whole(_ report: WarehouseInstallation.Report) throws -> WarehouseInstallation.Report {
        guard report.problems.isEmpty else { throw Stop(report: report) }
        return report
    }

    /// Deletes all rows of this program in i2b2's tables. No other process may use the records meanwhile.
    ///
    /// - Returns: the number of deleted rows by table.
    /// - Throws: ``Storage/StorageError``; `storage-locked` while the study is served.
    package func undoWarehouse() async throws -> [String: Int] {
        try await withRecords { _ in }
        let location = warehouse
        guard case .replicated(let replica) = location else {
            return try await records.withAlone { database in
                try await database.write { try Self.undo(location, in: $0) }
            }
        }
        return try await replica.store.open().closing { other in
            try await records.withAlone { database in
                try await database.write { transaction in
                    let removed = try other.writeNested { try ReplicaInstallation(replica).removeAll(in: $0) }
                    _ = try Self.undo(location, in: transaction)
                    return removed
                }
            }
        }
    }

    private static func undo(_ location: WarehouseLocation, in transaction: any SQLTransaction) throws -> [String: Int]
    {
        let removed = try WarehouseLoader().undoAll(in: transaction)
        try WarehouseLoader().leave(location, in: transaction)
        return removed
    }
}

extension StudyStores {
    /// Copies pending changes to the i2b2 of another database; does nothing if the study has none.
    ///
    /// - Parameters:
    ///   - records: the records' store.
    ///   - progress: called with the number of copied log entries so far.
    /// - Returns: the number of copied log entries.
    /// - Throws: ``Storage/StorageError`` if the database cannot be reached; the changes stay pending.
    @discardableResult
    package func replicateWarehouse(
        _ records: any SQLDatabase, progress: (Int) -> Void = { _ in }
    ) async throws -> Int {
        guard case .replicated(let replica) = warehouse else { return 0 }
        return try await replica.store.open(purpose: .loading).closing { other in
            let carrier = ReplicaCarrier(records: records, replica: other)
            var carried = 0
            while true {
                switch try await carrier.step() {
                case .nothing: return carried
                case .carried(let count):
                    carried += count
                    progress(carried)
                case .busy:
                    // The copying process holds the lock for a limited part of the changes.
                    try await _Concurrency.Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// Copies pending changes, and compares the i2b2 of another database with the tables among the records; nil if the
    /// study has none.
    package func verifyReplica(_ records: any SQLDatabase) async throws -> ReplicaVerification.Report? {
        guard case .replicated(let replica) = warehouse else { return nil }
        try await replicateWarehouse(records)
        return try await replica.store.open(purpose: .loading).closing { other in
            let verification = ReplicaVerification(records: records, replica: other)
            var report = ReplicaVerification.Report()
            while !report.isWhole { report = try await verification.slice(report) }
            return report
        }
    }
}
