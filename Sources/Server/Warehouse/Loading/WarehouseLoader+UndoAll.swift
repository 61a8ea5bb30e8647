import Storage

extension WarehouseLoader {
    /// Removes all that was ever put into i2b2's tables, and nothing else: they are as if there had been no study. The
    /// records stay. Of a participant who was deleted it stays that their number is taken.
    ///
    /// - Returns: the rows that went, by their tables.
    public func undoAll(in transaction: any SQLTransaction) throws -> [String: Int] {
        var removed: [String: Int] = [:]
        for rows in OwnRows.ofParticipants { removed[rows.table] = try rows.delete(in: transaction) }
        removed.merge(try OntologyWriter.removeAll(in: transaction)) { $1 }
        for table in WarehouseSchema.numbersOfWarehouse {
            let count = try transaction.execute("DELETE FROM \(table)")
            if table.hasPrefix("consent") { removed[table] = count }
        }
        return removed
    }

    /// Takes the views away that ``WarehouseInstallation`` made, and forgets where the warehouse was: it is to be installed
    /// before facts are loaded again.
    public func leave(_ place: WarehousePlace, in transaction: any SQLTransaction) throws {
        guard place != .records else { return }
        try place.dropViews(in: transaction)
        try ReplicaLog.end(in: transaction)
        try WarehousePlace.records.note(in: transaction)
    }
}
