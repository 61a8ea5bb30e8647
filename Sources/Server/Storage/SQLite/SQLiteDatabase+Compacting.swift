import Foundation
import GRDB

extension SQLiteDatabase {
    /// Rewrites a database without the deleted rows, and empties its log: afterwards no byte of a deleted row remains
    /// in the file or its log. Others may have the database open; their writes wait meanwhile.
    ///
    /// - Throws: ``StorageError``: `storage-missing`, `storage-full`, `storage-busy` if others use the database for so
    ///   long that the log cannot be emptied. The call may be repeated.
    public static func compact(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StorageError.missing(path) }
        try StorageError.mapping {
            var configuration = Configuration()
            configuration.busyMode = .timeout(60)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let isBusy = try database.inDatabase { database in
                // SQLite's documentation: VACUUM removes free pages; secure_delete overwrites the content that is freed
                // during it with zeros.
                try database.execute(sql: "PRAGMA secure_delete = ON")
                try database.execute(sql: "VACUUM")
                // TRUNCATE waits for readers of the log, copies all of it into the file and truncates it to zero bytes.
                return try Int.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") ?? 0
            }
            try database.close()
            guard isBusy == 0 else {
                throw StorageError(
                    code: "storage-busy",
                    message:
                        "Another program reads the database all the time, so that its log cannot be emptied; try again."
                )
            }
        }
    }
}
