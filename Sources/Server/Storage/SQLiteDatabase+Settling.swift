import GRDB

extension SQLiteDatabase {
    /// Brings all that a database's log holds into its file and takes the log away, so that the file alone is the
    /// database, to be moved or read as one. It gets a log again when it is opened.
    ///
    /// - Throws: ``StorageError`` `storage-busy` where somebody else has the database open, in this process or another.
    public static func settle(path: String) throws {
        try StorageError.mapping {
            var configuration = Configuration()
            configuration.busyMode = .timeout(2)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            // SQLite's documentation of WAL: leaving the mode takes an exclusive lock, checkpoints and removes the log.
            let mode = try database.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
            try database.close()
            guard mode == "delete" else {
                throw StorageError(code: "storage-busy", message: "Another program has the database open; try again.")
            }
        }
    }
}
