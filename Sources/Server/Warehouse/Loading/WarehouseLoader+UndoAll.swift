import Foundation
import Storage

extension WarehouseLoader {
    /// Deletes all rows that were ever written to i2b2's tables, and nothing else. The records are kept, and the
    /// numbers of deleted participants stay reserved.
    ///
    /// - Returns: the number of deleted rows by table.
    package func undoAll(in transaction: any SQLTransaction) throws -> [String: Int] {
        // The rows of the site belong to the site.
        try PatientJoin().endAll(at: Date(timeIntervalSince1970: 0), in: transaction)
        var removed: [String: Int] = [:]
        for rows in OwnRows.ofParticipants { removed[rows.table] = try rows.delete(in: transaction) }
        removed.merge(try OntologyWriter.removeAll(in: transaction)) { $1 }
        for table in WarehouseSchema.numbersOfWarehouse {
            let count = try transaction.execute("DELETE FROM \(table)")
            if table.hasPrefix("consent") { removed[table] = count }
        }
        return removed
    }

    /// Drops the views that ``WarehouseInstallation`` created, and forgets the location. The warehouse must be
    /// installed before facts are loaded again.
    package func leave(_ location: WarehouseLocation, in transaction: any SQLTransaction) throws {
        guard location != .records else { return }
        try location.dropViews(in: transaction)
        try ReplicaLog.end(in: transaction)
        try WarehouseLocation.records.record(in: transaction)
    }
}
