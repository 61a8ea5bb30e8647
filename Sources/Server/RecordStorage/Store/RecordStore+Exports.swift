import Storage

extension RecordStore {
    /// Removes all exports: their files may contain data of a deleted participant.
    static func removeExports(in transaction: any SQLTransaction) throws -> RowsDigest {
        let files = "job IN (SELECT id FROM export_job)"
        _ = try transaction.delete(from: "export_file", where: files, [], orderedBy: "job, name")
        return try transaction.delete(
            from: "export_job", where: "created_at > ?", [SQLValue("")], orderedBy: "id")
    }
}
