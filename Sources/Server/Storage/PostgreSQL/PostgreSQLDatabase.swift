import Foundation

/// PostgreSQL through libpq: a schema of a database on a server, one writer at a time on all machines together, and
/// several readers.
///
/// A transaction that was committed survives a crash of the server's machine: `synchronous_commit` is on.
public struct PostgreSQLDatabase: SQLDatabase {
    /// So many transactions read at a time.
    private static let readers = 6

    private let writing: PostgreSQLPool
    private let reading: PostgreSQLPool
    private let onWait: (@Sendable (Duration) -> Void)?

    /// Connects to a store.
    ///
    /// - Parameters:
    ///   - policy: whether the schema and its tables are made and brought to the newest step, or must be there so.
    ///   - patience: the time that a transaction waits for a connection of this process, before `storage-busy`.
    ///   - onWait: told how long each write waited for its turn.
    /// - Throws: ``StorageError``: `storage-open` where the server cannot be reached, `storage-encoding` where the
    ///   database is not in UTF-8, `storage-missing`, `storage-schema-older` and `storage-schema-newer` under
    ///   ``SchemaPolicy/exact``.
    public static func open(
        _ address: PostgreSQLAddress, schema: PostgreSQLSchema, migrations: [Migration],
        purpose: DatabasePurpose = .serving, policy: SchemaPolicy = .migrate, patience: Duration = .seconds(30),
        onWait: (@Sendable (Duration) -> Void)? = nil
    ) async throws -> PostgreSQLDatabase {
        let make: @Sendable () -> PostgreSQLSession = {
            PostgreSQLSession(address, schema: schema, purpose: purpose)
        }
        let database = PostgreSQLDatabase(
            writing: PostgreSQLPool(most: 1, patience: patience, make: make),
            reading: PostgreSQLPool(most: readers, patience: patience, make: make), onWait: onWait)
        do {
            try await database.requireUTF8()
            switch policy {
            case .migrate:
                try await database.write { transaction in
                    guard try !schema.exists(in: transaction) else { return }
                    try transaction.execute("CREATE SCHEMA \(schema.name)")
                }
                try await Migration.apply(migrations, at: Date(), to: database)
            case .exact: try await database.requireNewest(migrations, of: schema)
            }
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

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        let (asked, onWait) = (ContinuousClock.now, onWait)
        return try await writing.using { try await $0.run(.writing, onWait: onWait, since: asked, body) }
    }

    public func close() async throws {
        await writing.close()
        await reading.close()
    }

    /// Only UTF-8 keeps every text as it was sent.
    private func requireUTF8() async throws {
        let encoding = try await read { try $0.first("SHOW server_encoding")?.text("server_encoding") }
        guard encoding == "UTF8" else {
            throw StorageError(
                code: "storage-encoding",
                message: "The database is not in UTF-8; make one with createdb --encoding=UTF8 --template=template0.")
        }
    }

    private func requireNewest(_ migrations: [Migration], of schema: PostgreSQLSchema) async throws {
        let (isThere, isOlder) = try await read { transaction in
            guard try schema.exists(in: transaction) else { return (false, true) }
            let table = try transaction.first("SELECT to_regclass('schema_migration') IS NOT NULL AS there")
            guard try table?.integer("there") == 1 else { return (true, true) }
            return (true, try !Migration.pending(migrations, in: transaction).isEmpty)
        }
        guard isThere else {
            throw StorageError(
                code: "storage-missing",
                message: "The database has no schema \(schema.name); make it with `tributary migrate`.")
        }
        if isOlder { throw StorageError.schemaOlder }
    }
}

extension PostgreSQLSchema {
    func exists(in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first("SELECT 1 AS one FROM pg_namespace WHERE nspname = ?", [SQLValue(name)]) != nil
    }
}
