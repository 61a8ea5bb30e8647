import Foundation
import GRDB

extension SQLiteDatabase {
    /// Writes a database anew without a trace of what was deleted from it, and empties its log: afterwards no byte of a
    /// deleted row stands in the file or beside it. Others may have the database open; what they write waits meanwhile.
    ///
    /// - Throws: ``StorageError``: `storage-missing`, `storage-full`, `storage-busy` where somebody else works with the
    ///   database for so long that the log cannot be emptied. It may be called again.
    public static func compact(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StorageError.missing(path) }
        try StorageError.mapping {
            var configuration = Configuration()
            configuration.busyMode = .timeout(60)
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let isBusy = try database.inDatabase { database in
                // SQLite's documentation of VACUUM: pages that were free are gone; of secure_delete: what is freed on the
                // way is overwritten with zeros.
                try database.execute(sql: "PRAGMA secure_delete = ON")
                try database.execute(sql: "VACUUM")
                // TRUNCATE waits for readers of the log, moves all of it into the file and cuts it to nothing.
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
