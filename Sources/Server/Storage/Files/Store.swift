import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A store: its location and its schema. The same code opens, creates, copies and empties it on both engines.
public struct Store: Sendable {
    /// Location of the store.
    public let location: StoreLocation
    /// All steps of its schema.
    public let migrations: [Migration]
    /// PostgreSQL schema that contains its tables.
    let schema: PostgreSQLSchema
    /// Modes of its file and of the folder that is created for it.
    let permissions: (file: mode_t, folder: mode_t)

    public init(
        at location: StoreLocation, migrations: [Migration], schema: PostgreSQLSchema,
        permissions: (file: mode_t, folder: mode_t)
    ) {
        self.location = location
        self.migrations = migrations
        self.schema = schema
        self.permissions = permissions
    }

    /// Path of the store's file; nil on a server.
    public var path: String? { location.path }

    /// Opens the store, which must exist with the schema of this version.
    ///
    /// - Parameter onWait: receives the time that each write waited for the write lock.
    /// - Throws: ``StorageError``, for example `storage-missing`, `storage-schema-older`, `storage-schema-newer`.
    public func open(
        purpose: DatabasePurpose = .serving, onWait: (@Sendable (Duration) -> Void)? = nil
    ) async throws -> any NestedSQLDatabase {
        switch location {
        case .file(let path):
            return try await SQLiteDatabase.open(
                path: path, migrations: migrations, purpose: purpose, schema: .exact, permissions: permissions.file,
                onWait: onWait)
        case .postgreSQL(let address):
            return try await PostgreSQLDatabase.open(
                address, schema: schema, migrations: migrations, purpose: purpose, policy: .exact, onWait: onWait)
        }
    }

    /// Whether a store of any version exists.
    public func isThere() async throws -> Bool {
        switch location {
        case .file(let path): return FileManager.default.fileExists(atPath: path)
        case .postgreSQL(let address): return try await PostgreSQLDatabase.isThere(schema, at: address)
        }
    }

    /// Creates the store, or migrates it to this version. A store that is up to date is only read.
    ///
    /// A file is copied first. On PostgreSQL each step is one transaction, and no one else may have the store open.
    ///
    /// - Throws: ``StorageError``; `storage-locked` if another process uses an older version.
    @discardableResult
    public func migrate() async throws -> StoreMigration.Report {
        if try await isCurrent() { return StoreMigration.Report(steps: [], copy: nil) }
        switch location {
        case .file(let path): return try await migrateFile(path)
        case .postgreSQL(let address):
            let steps = try await PostgreSQLDatabase.migrate(address, schema: schema, migrations: migrations)
            return StoreMigration.Report(steps: steps, copy: nil)
        }
    }

    private func isCurrent() async throws -> Bool {
        do {
            try await open().close()
            return true
        } catch let error as StorageError where error.code == "storage-missing" || error.code == "storage-schema-older"
        {
            return false
        }
    }

    private func migrateFile(_ path: String) async throws -> StoreMigration.Report {
        try Self.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent(), permissions: permissions.folder)
        // Two processes that start together wait for each other here; a consumer holds the lock while it runs.
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            if let lock = try StoreLock(storePath: path) {
                let label = SQLTimestamp.text(Date()).filter { $0.isNumber }
                return try await StoreMigration.run(
                    path: path, migrations: migrations, permissions: permissions.file, lock: lock, label: label)
            }
            if try await isCurrent() { return StoreMigration.Report(steps: [], copy: nil) }
            guard ContinuousClock.now < deadline else {
                throw StorageError(
                    code: "storage-locked",
                    message: "Another process uses \(path); stop it before the store is migrated.")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Creates a folder. An existing folder is not changed, because its owner may have given it to a group.
    public static func makeFolder(_ url: URL, permissions: mode_t) throws(StorageError) {
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        let isMade =
            (try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)) != nil
            && chmod(url.path, permissions) == 0
        guard isMade else {
            throw StorageError(
                code: "file-unwritable",
                message: "The folder \(url.lastPathComponent) cannot be created, or its mode cannot be set.")
        }
    }

    /// Rewrites the store so that no byte of a deleted row remains in its files. The operator is responsible for what a
    /// server keeps in addition (its log, archives, replicas).
    ///
    /// - Throws: ``StorageError``; `storage-busy` if others use the store all the time. The call may be repeated.
    public func compact() async throws {
        switch location {
        case .file(let path): try SQLiteDatabase.compact(path: path)
        case .postgreSQL(let address): try await PostgreSQLDatabase.compact(schema, at: address)
        }
    }

    /// Size of the file and its log in bytes; nil on a server.
    public var fileSize: Int64? {
        path.map { path in
            [path, path + "-wal"].reduce(Int64(0)) { sum, file in
                let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
                return sum + (size?.int64Value ?? 0)
            }
        }
    }

    /// Paths of the copies that migrations have left next to the file.
    public var copies: [String] { path.map { StoreMigration.copies(nextTo: $0) } ?? [] }

    /// Checks the free space of the file's disk. A server's disk is not checked.
    /// - Throws: ``StorageError`` `storage-full` if less space is free.
    public func requireSpace(_ bytes: Int64) throws {
        if let path { try StoreMigration.requireSpace(bytes, onDiskOf: path) }
    }

    /// Creates an empty store on a server; replaces an existing one that has the same mark. Does nothing for a file,
    /// which the caller manages.
    ///
    /// - Throws: ``StorageError``; `storage-exists` if there is a store without the mark, `storage-locked` if another
    ///   process uses it.
    public func recreate(marked mark: String) async throws {
        guard case .postgreSQL(let address) = location else { return }
        try await PostgreSQLDatabase.recreate(schema, marked: mark, at: address)
    }
}
