import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Store {
    /// Writes a copy of the store into a file of SQLite, as one consistent state of it, while others write.
    ///
    /// - Parameter path: a file that is not there yet; it gets mode 0600 and is durable when this returns. Whatever stops
    ///   this, under its name the copy is whole.
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

    /// The result of moving.
    public struct Move: Sendable, Hashable {
        /// The rows that were copied, by their tables; nil where an earlier run had copied them.
        public let rows: [String: Int]?
    }

    /// Carries the store over to another place, perhaps on the other engine. Nobody writes to it meanwhile, and afterwards
    /// nobody can: its tables have other names, its data stays until somebody removes it.
    ///
    /// Stopped anywhere it is to be called again: the old place counts until the new one is whole.
    ///
    /// - Throws: ``StorageError``; `storage-exists` where another store stands at the new place, `storage-locked` where the
    ///   old one is in use.
    public func move(to target: Store, at date: Date) async throws -> Move {
        let moved = StoreMark.isMoved(to: target.location)
        let date = SQLTimestamp.text(date)
        // 1. Nobody else works with it.
        var lock: StoreLock?
        if let path {
            guard try await isThere() else { throw StorageError.missing(path) }
            lock = try StoreLock(storePath: path)
            guard lock != nil else {
                throw StorageError(
                    code: "storage-locked", message: "A server works with \(path); stop it before the store is moved.")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        // 2. How far was it done?
        let rows = try await openAlone().closing { source -> [String: Int]? in
            let mark = try await source.read { try StoreMark(in: $0) }
            if mark == moved { return nil }
            if let mark { throw mark.error }
            let (migrations, location) = (migrations, target.location)
            _ = try await source.read { transaction in
                guard try Migration.pending(migrations, in: transaction).isEmpty else { throw StorageError.schemaOlder }
            }
            try await target.removeUnlessWhole()
            try await target.migrate()
            // 3. All rows; both sides stand as they are until the end.
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
                // What was moved is moved, whatever becomes of this.
                try? await made.analyzeGrownTables()
                return rows
            }
        }
        // 4. From here on the new place counts.
        try await target.openAlone().closing { try await $0.write { try StoreMark.remove(in: $0) } }
        return Move(rows: rows)
    }

    /// Whether it was moved to another place: nothing can be done with it but to remove it.
    public func isMoved() async throws -> Bool {
        guard try await isThere() else { return false }
        let mark = try await openAlone().closing { try await $0.read { try StoreMark(in: $0) } }
        return mark != nil && mark != .isBeingFilled
    }

    /// Opens it as it is, of whatever version and with whatever mark.
    func openAlone() async throws -> any NestedSQLDatabase {
        switch location {
        case .file(let path):
            return try await SQLiteDatabase.open(
                path: path, migrations: [], schema: .exact, permissions: permissions.file)
        case .postgreSQL(let address): return try await PostgreSQLDatabase.openAlone(address, schema)
        }
    }

    /// Removes the store with all that is in it. Only for the caller that made it, for something that failed then.
    ///
    /// - Throws: ``StorageError``; `storage-locked` while somebody works with it.
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

    /// Makes room for a store: what an earlier run left half-filled goes.
    private func removeUnlessWhole() async throws {
        guard try await isThere() else { return }
        let made = try await rowCountsOfNew()
        let occupied = StorageError(
            code: "storage-exists", message: "There is a store at \(location) already; it stays as it is.")
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

    /// Whether a store is half-filled, or as its steps make it: a run was stopped before it had copied.
    ///
    /// - Parameter made: the rows of a new store, by their tables.
    private static func isRemovable(_ transaction: any SQLTransaction, made: [String: Int64]) throws -> Bool {
        if try StoreMark(in: transaction) == .isBeingFilled { return true }
        guard try rowCounts(in: transaction) == made else { return false }
        // A queue that was ever used has an id in its one row.
        guard made["queue_state"] != nil else { return true }
        return try transaction.first("SELECT 1 AS one FROM queue_state WHERE queue_id <> ''") == nil
    }

    /// The rows that the steps of the schema write themselves, by all of its tables.
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
