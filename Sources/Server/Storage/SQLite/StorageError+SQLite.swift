import GRDB

extension StorageError {
    /// Runs `body` and converts GRDB's errors to ``StorageError``; rethrows all others.
    static func mapping<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    /// Runs `body` and converts GRDB's errors to ``StorageError``; rethrows all others.
    static func mappingAsync<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    init(_ error: DatabaseError) {
        // SQLite's message contains names of tables and columns, never values; GRDB's own description would add the
        // SQL.
        let detail = error.message ?? "no further detail"
        switch (error.resultCode, error.extendedResultCode) {
        case (.SQLITE_FULL, _), (_, .SQLITE_IOERR_SHMSIZE):
            self.init(
                code: "storage-full",
                message: "The disk is full; free some space. Nothing was half-written.")
        case (.SQLITE_CONSTRAINT, _):
            self.init(code: "storage-constraint", message: "The database refused a row: \(detail).")
        case (.SQLITE_BUSY, _), (.SQLITE_LOCKED, _):
            self.init(
                code: "storage-busy", message: "Another program keeps the database locked; try again.")
        case (.SQLITE_IOERR, _):
            self.init(
                code: "storage-io", message: "The database's file could not be read or written: \(detail).")
        case (.SQLITE_CORRUPT, _), (.SQLITE_NOTADB, _):
            self.init(code: "storage-corrupt", message: "The file is damaged or is not a database: \(detail).")
        case (.SQLITE_READONLY, _), (.SQLITE_PERM, _):
            self.init(
                code: "storage-read-only", message: "The database's file may not be written: \(detail).")
        case (.SQLITE_CANTOPEN, _):
            self.init(
                code: "storage-open",
                message: "The database's file cannot be opened; check that its folder exists.")
        case (.SQLITE_INTERRUPT, _): self = .interrupted
        case (.SQLITE_ERROR, _) where detail.hasPrefix("no such ") || detail.contains(" has no column "):
            self.init(
                code: "storage-tables", message: "The database's tables have an unexpected form: \(detail).")
        default:
            self.init(code: "storage-failed", message: "The database refused a statement: \(detail).")
        }
    }
}
