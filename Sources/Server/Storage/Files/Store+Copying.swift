import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Store {
    /// Writes a copy of one consistent snapshot of the store into an SQLite file, while others may write.
    ///
    /// - Parameter path: path of a new file; it gets mode 0600 and is durable when this function returns. A file under
    ///   this name is complete even after an interruption.
    /// - Throws: ``StorageError``; then there is no copy.
    public func copy(to path: String) async throws {
        guard case .postgreSQL = location else {
            if let file = self.path { try SQLiteDatabase.copy(path: file, to: path) }
            return
        }
        let filled = path + ".filled"
        func remove() { for end in ["", "-wal", "-shm"] { unlink(filled + end) } }
        remove()
        defer { remove() }
        let migrations = migrations
        try await open(purpose: .loading).closing { source in
            try await SQLiteDatabase.open(path: filled, migrations: migrations, purpose: .loading).closing { made in
                _ = try await source.read { transaction in
                    try made.writeNested { try StoreCopy(from: transaction, to: $0).run() }
                }
            }
        }
        try SQLiteDatabase.settle(path: filled)
        try SQLiteDatabase.copy(path: filled, to: path)
    }

    /// Result of a move.
    public struct Move: Sendable, Hashable {
        /// Numbers of the copied rows by table; nil if an earlier run had copied them.
        public let rows: [String: Int]?
    }

    /// Moves the store to another location, possibly on the other engine. No one may write to it meanwhile, and no one
    /// can afterwards: its tables are renamed, and their data remains until staff remove it.
    ///
    /// After an interruption, call it again: the old store is valid until the new one is complete.
    ///
    /// - Throws: ``StorageError``; `storage-exists` if the target location contains another store, `storage-locked` if
    ///   the old one is in use.
    public func move(to target: Store, at date: Date) async throws -> Move {
        let moved = StoreMark.isMoved(to: target.location)
        let date = SQLTimestamp.text(date)
        // 1. Lock the store.
        var lock: StoreLock?
        if let path {
            guard try await isThere() else { throw StorageError.missing(path) }
            lock = try StoreLock(storePath: path)
            guard lock != nil else {
                throw StorageError(
                    code: "storage-locked", message: "A server uses \(path); stop it before the store is moved.")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        // 2. Find how far an earlier run got.
        let rows = try await openAlone().closing { source -> [String: Int]? in
            let mark = try await source.read { try StoreMark(in: $0) }
            if mark == moved { return nil }
            if let mark { throw mark.error }
            let (migrations, location) = (migrations, target.location)
            _ = try await source.read { transaction in
                guard try Migration.pending(migrations, in: transaction).isEmpty else { throw StorageError.schemaOlder }
            }
            try await target.removeIncomplete()
            try await target.migrate()
            // 3. Copy all rows. Neither store is changed until both transactions end.
            return try await target.open(purpose: .loading).closing { made in
                let rows = try await source.write { transaction in
                    let rows = try made.writeNested { copied in
                        let rows = try StoreCopy(from: transaction, to: copied).run()
                        try StoreMark.isBeingFilled.write(at: date, in: copied)
                        return rows
                    }
                    for name in try transaction.tableNames() where name != "schema_migration" {
                        try transaction.execute("ALTER TABLE \(name) RENAME TO moved_\(name)")
                    }
                    try StoreMark.isMoved(to: location).write(at: date, in: transaction)
                    return rows
                }
                // The move is complete, even if this fails.
                try? await made.analyzeGrownTables()
                return rows
            }
        }
        // 4. From here on the new store is the valid one.
        try await target.openAlone().closing { try await $0.write { try StoreMark.remove(in: $0) } }
        return Move(rows: rows)
    }

    /// Whether the store was moved to another location; it can then only be removed.
    public func isMoved() async throws -> Bool {
        guard try await isThere() else { return false }
        let mark = try await openAlone().closing { try await $0.read { try StoreMark(in: $0) } }
        return mark != nil && mark != .isBeingFilled
    }

    /// Opens the store whatever its version and mark.
    func openAlone() async throws -> any NestedSQLDatabase {
        switch location {
        case .file(let path):
            return try await SQLiteDatabase.open(
                path: path, migrations: [], schema: .exact, permissions: permissions.file)
        case .postgreSQL(let address): return try await PostgreSQLDatabase.openAlone(address, schema)
        }
    }

    /// Removes the store with its content. Only for the caller that created it, after a failure.
    ///
    /// - Throws: ``StorageError``; `storage-locked` if another process uses it.
    public func remove() async throws {
        switch location {
        case .file(let path): for end in ["", "-wal", "-shm", ".lock"] { unlink(path + end) }
        case .postgreSQL(let address):
            guard try await isThere() else { return }
            let schema = schema
            _ = try await PostgreSQLDatabase.openAlone(address, schema).closing { database in
                try await database.write { try $0.execute("DROP SCHEMA \(schema.name) CASCADE") }
            }
        }
    }

    /// Removes an incomplete store that an earlier run left at this location.
    private func removeIncomplete() async throws {
        guard try await isThere() else { return }
        let made = try await rowCountsOfNew()
        let occupied = StorageError(
            code: "storage-exists", message: "There is a store at \(location) already; it was not changed.")
        switch location {
        case .file(let path):
            guard try await openAlone().closing({ try await $0.read { try Self.isRemovable($0, made: made) } }) else {
                throw occupied
            }
            for end in ["", "-wal", "-shm"] { unlink(path + end) }
        case .postgreSQL:
            let schema = schema
            try await openAlone().closing { database in
                try await database.write { transaction in
                    guard try Self.isRemovable(transaction, made: made) else { throw occupied }
                    try transaction.execute("DROP SCHEMA \(schema.name) CASCADE")
                }
            }
        }
    }

    /// Whether a store is partly filled, or contains only the rows of its schema steps, because a run ended before it
    /// copied rows.
    ///
    /// - Parameter made: row counts of a new store, by table.
    private static func isRemovable(_ transaction: any SQLTransaction, made: [String: Int64]) throws -> Bool {
        if try StoreMark(in: transaction) == .isBeingFilled { return true }
        guard try rowCounts(in: transaction) == made else { return false }
        // The single row of a queue's state has an id once the queue has been used.
        guard made["queue_state"] != nil else { return true }
        return try transaction.first("SELECT 1 AS one FROM queue_state WHERE queue_id <> ''") == nil
    }

    /// Returns the row counts that the schema steps themselves create, for all tables.
    private func rowCountsOfNew() async throws -> [String: Int64] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
        defer { for end in ["", "-wal", "-shm"] { unlink(path + end) } }
        return try await SQLiteDatabase.open(path: path, migrations: migrations).closing { made in
            try await made.read { try Self.rowCounts(in: $0) }
        }
    }

    private static func rowCounts(in transaction: any SQLTransaction) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for name in try transaction.tableNames() where name != "schema_migration" {
            counts[name] = try transaction.first("SELECT count(*) AS total FROM \(name)")?.integer("total")
        }
        return counts
    }
}
