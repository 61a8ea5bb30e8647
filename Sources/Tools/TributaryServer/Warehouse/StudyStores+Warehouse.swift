import Storage
import Warehouse

extension StudyStores {
    /// Ends a transaction in which something is in the way, with nothing done.
    private struct Stop: Error { let report: WarehouseInstallation.Report }

    /// Makes i2b2's tables where study.json says, or takes those that are there; nobody else works with the records
    /// meanwhile.
    ///
    /// - Parameter adopts: whether rows of an earlier load of this study are taken for its own.
    /// - Returns: what was done; with a problem nothing was.
    /// - Throws: ``Storage/StorageError``; `storage-locked` while the study is served.
    public func installWarehouse(adopts: Bool) async throws -> WarehouseInstallation.Report {
        try await migrateRecords()
        let installation = WarehouseInstallation(warehouse, adopts: adopts)
        do {
            return try await records.withAlone { database in
                try await database.write { transaction in
                    let report = try installation.run(in: transaction)
                    guard report.problems.isEmpty else { throw Stop(report: report) }
                    return report
                }
            }
        } catch let stop as Stop {
            var report = stop.report
            report.made = []
            return report
        }
    }

    /// Removes all that was put into i2b2's tables; nobody else works with the records meanwhile.
    ///
    /// - Returns: the rows that went, by their tables.
    /// - Throws: ``Storage/StorageError``; `storage-locked` while the study is served.
    public func undoWarehouse() async throws -> [String: Int] {
        try await withRecords { _ in }
        let place = warehouse
        return try await records.withAlone { database in
            try await database.write { transaction in
                let removed = try WarehouseLoader().undoAll(in: transaction)
                try WarehouseLoader().leave(place, in: transaction)
                return removed
            }
        }
    }
}
