import Foundation

/// PostgreSQL through libpq: one schema of a database on a server, with one writer at a time across all machines, and
/// several readers.
///
/// A committed transaction survives a crash of the server's machine: `synchronous_commit` is on.
public struct PostgreSQLDatabase: NestedSQLDatabase {
    /// Maximum number of concurrent read transactions.
    private static let readers = 6
    /// Maximum number of concurrent lookups, on connections of their own.
    private static let lookups = 2

    /// Opens a connection for a nested transaction.
    private let makeConnection: @Sendable () throws -> PostgreSQLConnection
    private let lockKey: Int64
    let address: PostgreSQLAddress
    /// Channel on which writers announce new rows.
    let channel: String
    private let writing: PostgreSQLPool
    private let reading: PostgreSQLPool
    private let lookingUp: PostgreSQLPool
    private let onWait: (@Sendable (Duration) -> Void)?

    /// Connects to a store.
    ///
    /// - Parameters:
    /// - policy: whether the schema is created or migrated to the newest step, or must already be there.
    /// - patience: maximum wait of a transaction for a connection of this process, before `storage-busy`.
    /// - onWait: receives the time that each write waited for the write lock.
    /// - Throws: ``StorageError``: `storage-open` if the server cannot be reached, `storage-encoding` if the database
    ///   is not in UTF-8, `storage-missing`, `storage-schema-older` and `storage-schema-newer` under
    ///   ``SchemaPolicy/exact``.
    public static func open(
        _ address: PostgreSQLAddress, schema: PostgreSQLSchema, migrations: [Migration],
        purpose: DatabasePurpose = .serving, policy: SchemaPolicy = .migrate, patience: Duration = .seconds(30),
        onWait: (@Sendable (Duration) -> Void)? = nil
    ) async throws -> PostgreSQLDatabase {
        if policy == .migrate { try await migrate(address, schema: schema, migrations: migrations) }
        return try await connect(
            address, schema, purpose: purpose, patience: patience, onWait: onWait
        ) { try schema.requireNewest(migrations, in: $0) }
    }

    /// Creates the schema and its tables, or migrates them to the newest step. No one else may be connected to the
    /// store during a migration; a store that is up to date is only read.
    ///
    /// - Returns: the numbers of the applied steps.
    /// - Throws: ``StorageError``; `storage-locked` if others stay connected to the store.
    @discardableResult
    public static func migrate(
        _ address: PostgreSQLAddress, schema: PostgreSQLSchema, migrations: [Migration]
    ) async throws -> [Int] {
        let probe = try await connect(address, schema) { _ in }
        let isNewest = try await probe.closing { database in
            try await database.read { transaction in
                guard try schema.hasTables(in: transaction) else { return false }
                return try Migration.pending(migrations, in: transaction).isEmpty
            }
        }
        guard !isNewest else { return [] }
        return try await openAlone(address, schema).closing { database in
            _ = try await database.write { try $0.execute("CREATE SCHEMA IF NOT EXISTS \(schema.name)") }
            return try await Migration.apply(migrations, at: Date(), to: database)
        }
    }

    /// Opens a store of any version exclusively: fails if anyone else is connected, and no one else can connect
    /// meanwhile.
    static func openAlone(
        _ address: PostgreSQLAddress, _ schema: PostgreSQLSchema
    ) async throws -> PostgreSQLDatabase {
        let session = PostgreSQLSession(address, schema: schema, purpose: .loading, use: .alone) { _ in }
        let pool = PostgreSQLPool(limit: 1, patience: .seconds(30)) { session }
        return PostgreSQLDatabase(
            makeConnection: { throw Self.isInUse }, lockKey: schema.lockKey, address: address, channel: schema.name,
            writing: pool, reading: pool, lookingUp: pool, onWait: nil)
    }

    /// Returns whether a store of any version exists.
    public static func isThere(_ schema: PostgreSQLSchema, at address: PostgreSQLAddress) async throws -> Bool {
        try await connect(address, schema) { _ in }.closing { database in
            try await database.read { try schema.hasTables(in: $0) }
        }
    }

    /// Creates an empty schema; replaces an existing one only if its comment is the mark.
    static func recreate(_ schema: PostgreSQLSchema, marked mark: String, at address: PostgreSQLAddress) async throws {
        try await openAlone(address, schema).closing { database in
            try await database.write { transaction in
                let known = try transaction.first(
                    """
                    SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = ?
                    """, [SQLValue(schema.name)])
                if let known {
                    guard known.textIfPresent("mark") == mark else {
                        throw StorageError(
                            code: "storage-exists", message: "There is another store in the schema \(schema.name).")
                    }
                    try transaction.execute("DROP SCHEMA \(schema.name) CASCADE")
                }
                try transaction.execute("CREATE SCHEMA \(schema.name)")
                let quoted = mark.replacingOccurrences(of: "'", with: "''")
                try transaction.execute("COMMENT ON SCHEMA \(schema.name) IS '\(quoted)'")
            }
        }
    }

    /// Rewrites all tables of a store without the deleted rows
    /// (https://www.postgresql.org/docs/current/sql-vacuum.html). Other transactions wait meanwhile.
    ///
    /// - Throws: ``StorageError``; `storage-busy` if others hold a table for too long.
    public static func compact(_ schema: PostgreSQLSchema, at address: PostgreSQLAddress) async throws {
        let session = PostgreSQLSession(address, schema: schema, purpose: .loading) { _ in }
        let names = try await session.run(.reading) { try $0.tableNames() }
        try await session.runOutside { connection in
            for name in names { _ = try connection.run("VACUUM FULL \(name)") }
        }
        await session.close()
    }

    private static func connect(
        _ address: PostgreSQLAddress, _ schema: PostgreSQLSchema, purpose: DatabasePurpose = .serving,
        patience: Duration = .seconds(30), onWait: (@Sendable (Duration) -> Void)? = nil,
        check: @escaping @Sendable (any SQLTransaction) throws -> Void
    ) async throws -> PostgreSQLDatabase {
        let make: @Sendable () -> PostgreSQLSession = {
            PostgreSQLSession(address, schema: schema, purpose: purpose, check: check)
        }
        let database = PostgreSQLDatabase(
            makeConnection: {
                try PostgreSQLSession.connected(address, schema, purpose: .loading, use: .shared, check: check)
            }, lockKey: schema.lockKey, address: address, channel: schema.name,
            writing: PostgreSQLPool(limit: 1, patience: patience, make: make),
            reading: PostgreSQLPool(limit: readers, patience: patience, make: make),
            lookingUp: PostgreSQLPool(limit: lookups, patience: patience, make: make), onWait: onWait)
        do {
            try await database.requireUTF8()
        } catch {
            try? await database.close()
            throw error
        }
        return database
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await reading.using { try await $0.run(.reading, body) }
    }

    public func lookUp<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await lookingUp.using { try await $0.run(.reading, body) }
    }

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        let (asked, onWait) = (ContinuousClock.now, onWait)
        return try await writing.using { try await $0.run(.writing, onWait: onWait, since: asked, body) }
    }

    public func writeNested<T>(_ body: (any SQLTransaction) throws -> T) throws -> T {
        // A session would move the work to its own thread; the caller must stay on the current one.
        let connection = try makeConnection()
        _ = try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        _ = try connection.run("SELECT pg_advisory_xact_lock(\(lockKey))")
        let transaction = PostgreSQLTransaction(connection)
        let value = try body(transaction)
        try transaction.commit()
        return value
    }

    public func close() async throws {
        await writing.close()
        await reading.close()
        await lookingUp.close()
    }

    private static let isInUse = StorageError(
        code: "storage-locked", message: "This process uses the store exclusively; it cannot be opened again.")

    /// Checks the encoding. Only UTF-8 stores every text unchanged.
    private func requireUTF8() async throws {
        let encoding = try await read { try $0.first("SHOW server_encoding")?.text("server_encoding") }
        guard encoding == "UTF8" else {
            throw StorageError(
                code: "storage-encoding",
                message: "The database is not in UTF-8; make one with createdb --encoding=UTF8 --template=template0.")
        }
    }
}

extension PostgreSQLSchema {
    /// Whether the schema contains the tables of a store.
    func hasTables(in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            "SELECT 1 AS one FROM information_schema.tables WHERE table_schema = ? AND table_name = 'schema_migration'",
            [SQLValue(name)]) != nil
    }

    /// - Throws: ``StorageError``: `storage-missing`, `storage-schema-older`, `storage-schema-newer`.
    func requireNewest(_ migrations: [Migration], in transaction: any SQLTransaction) throws {
        guard try hasTables(in: transaction) else {
            throw StorageError(
                code: "storage-missing",
                message: "The database has no store in its schema \(name); make it with `tributary migrate`.")
        }
        guard try Migration.pending(migrations, in: transaction).isEmpty else { throw StorageError.schemaOlder }
    }
}
