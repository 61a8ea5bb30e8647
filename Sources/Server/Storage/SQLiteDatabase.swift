import Foundation
import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// SQLite through GRDB: a file with a write-ahead log, one writer and several readers.
///
/// A committed transaction survives a crash of the machine: `synchronous` is FULL.
public struct SQLiteDatabase: SQLDatabase {
    private let pool: DatabasePool

    /// Opens or makes the file and brings its schema to the newest step.
    ///
    /// The file is readable by its owner alone (mode 0600; SQLite gives its `-wal` and `-shm` files the same mode).
    /// - Throws: ``StorageError``.
    public static func open(
        path: String, migrations: [Migration], purpose: DatabasePurpose = .serving
    ) async throws -> SQLiteDatabase {
        try restrictFile(path)
        return try await StorageError.mappingAsync {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            configuration.foreignKeysEnabled = true
            let pool = try DatabasePool(path: path, configuration: configuration)
            let synchronous = try await pool.writeWithoutTransaction { database in
                // GRDB sets NORMAL on a pool's writer after `prepareDatabase` ran; only from here on is it ours.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                if purpose == .loading {
                    // Of a thousand rows under keys that are hashes, each changes a page of its own. Pages that stay in
                    // memory until they are whole, and in the log until many are together, are written once.
                    try database.execute(sql: "PRAGMA cache_size = -24000")
                    try database.execute(sql: "PRAGMA wal_autocheckpoint = 65536")
                }
                return try Int.fetchOne(database, sql: "PRAGMA synchronous")
            }
            guard synchronous == 2 else {
                throw StorageError(
                    code: "storage-synchronous",
                    message: "SQLite does not keep synchronous = FULL; nothing is stored.")
            }
            let database = SQLiteDatabase(pool: pool)
            let now = Date()
            try await database.write { try Migration.apply(migrations, at: now, in: $0) }
            return database
        }
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await StorageError.mappingAsync {
            try await pool.read { try body(SQLiteTransaction(database: $0)) }
        }
    }

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await StorageError.mappingAsync {
            try await pool.write { try body(SQLiteTransaction(database: $0)) }
        }
    }

    public func close() async throws {
        try StorageError.mapping { try pool.close() }
    }
}

/// Makes the file if need be, and readable by its owner alone before SQLite makes its companions after its example.
private func restrictFile(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
        throw StorageError(
            code: errno == ENOSPC ? "storage-full" : "storage-open",
            message:
                "The database's file cannot be opened; check its folder, its owner and the free space.")
    }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else {
        throw StorageError(
            code: "storage-open", message: "The database's file belongs to another user.")
    }
}

/// Opens the database of a URL: `sqlite:PATH` (the path as it stands, relative or absolute).
/// - Throws: ``StorageError``; `storage-engine-unknown` for another scheme.
public func openDatabase(
    url: String, migrations: [Migration], purpose: DatabasePurpose = .serving
) async throws -> any SQLDatabase {
    guard let colon = url.firstIndex(of: ":"), url[..<colon].lowercased() == "sqlite" else {
        throw StorageError(
            code: "storage-engine-unknown",
            message: "The database's URL must be sqlite:PATH; no other engine is known."
        )
    }
    let path = String(url[url.index(after: colon)...])
    guard !path.isEmpty else {
        throw StorageError(
            code: "storage-open", message: "The database's URL names no file: write sqlite:PATH.")
    }
    return try await SQLiteDatabase.open(path: path, migrations: migrations, purpose: purpose)
}
