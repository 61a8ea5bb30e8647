import GRDB

extension SQLiteDatabase {
    /// Copies the log of a database into its file and removes it, so that the file alone is the database and can be
    /// moved. The database gets a log again when it is opened.
    ///
    /// - Throws: ``StorageError`` `storage-busy` if anyone else has the database open, in this process or another.
    public static func settle(path: String) throws {
        try StorageError.mapping {
            var configuration = Configuration()
            configuration.busyMode = .timeout(2)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            // SQLite's documentation: leaving WAL mode takes an exclusive lock, checkpoints and removes the log.
            let mode = try database.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
            try database.close()
            guard mode == "delete" else {
                throw StorageError(code: "storage-busy", message: "Another process has the database open; try again.")
            }
        }
    }
}
