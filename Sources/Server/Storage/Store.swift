import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A store: where it is, and what stands in it. The same piece opens, makes, copies and empties it on both engines.
public struct Store: Sendable {
    /// Where it is.
    public let location: StoreLocation
    /// All steps of its schema.
    public let migrations: [Migration]
    /// The schema that its tables stand in on PostgreSQL.
    let schema: PostgreSQLSchema
    /// The modes of its file and of the folder that is made for it.
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

    /// The path of the file that it is; nil on a server.
    public var path: String? { location.path }

    /// Opens the store, which must be there and of this version.
    ///
    /// - Parameter onWait: told how long each write waited for its turn.
    /// - Throws: ``StorageError``, among them `storage-missing`, `storage-schema-older`, `storage-schema-newer`.
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

    /// Whether there is one, of whatever version.
    public func isThere() async throws -> Bool {
        switch location {
        case .file(let path): return FileManager.default.fileExists(atPath: path)
        case .postgreSQL(let address): return try await PostgreSQLDatabase.isThere(schema, at: address)
        }
    }

    /// Makes the store, or brings it up to date. One that is up to date is only looked at.
    ///
    /// Of a file a copy is made first. On PostgreSQL each step is one transaction, and nobody else has the store open.
    ///
    /// - Throws: ``StorageError``; `storage-locked` while somebody works with an older version.
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
        // Two processes that begin together take turns; a consumer keeps the lock as long as it works.
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
                    message: "Another process works with \(path); stop it before the store is brought up to date.")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// A folder that is there is left as it is: its owner may have given it to a group.
    public static func makeFolder(_ url: URL, permissions: mode_t) throws(StorageError) {
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        let isMade =
            (try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)) != nil
            && chmod(url.path, permissions) == 0
        guard isMade else {
            throw StorageError(
                code: "file-unwritable",
                message: "The folder \(url.lastPathComponent) cannot be made, or not be given its mode.")
        }
    }

    /// Writes the store anew without a trace of what was deleted from it: no byte of a deleted row stands in its files.
    /// What a server keeps beside them (its log, archives, replicas) is in the hands of who runs it.
    ///
    /// - Throws: ``StorageError``; `storage-busy` where others work with it all the time. It may be called again.
    public func compact() async throws {
        switch location {
        case .file(let path): try SQLiteDatabase.compact(path: path)
        case .postgreSQL(let address): try await PostgreSQLDatabase.compact(schema, at: address)
        }
    }

    /// The bytes of the file and its log; nil on a server.
    public var fileSize: Int64? {
        path.map { path in
            [path, path + "-wal"].reduce(Int64(0)) { sum, file in
                let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
                return sum + (size?.int64Value ?? 0)
            }
        }
    }

    /// The copies of earlier states that migrations and upgrades left beside the file.
    public var copies: [String] { path.map { StoreMigration.copies(beside: $0) } ?? [] }

    /// - Throws: ``StorageError`` `storage-full` where the disk of the file has less room. A server's disk cannot be seen.
    public func requireSpace(_ bytes: Int64) throws {
        if let path { try StoreMigration.requireSpace(bytes, besides: path) }
    }

    /// Makes a store on a server anew, empty, in place of one that bears the same mark. A file is left to who names it.
    ///
    /// - Throws: ``StorageError``; `storage-exists` where a store without the mark stands there, `storage-locked` while
    ///   somebody works with it.
    public func makeAnew(marked mark: String) async throws {
        guard case .postgreSQL(let address) = location else { return }
        try await PostgreSQLDatabase.makeAnew(schema, marked: mark, at: address)
    }
}
