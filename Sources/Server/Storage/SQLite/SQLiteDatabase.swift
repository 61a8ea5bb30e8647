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
public struct SQLiteDatabase: NestedSQLDatabase {
    /// Maximum number of concurrent read transactions.
    private static let readers = 5
    /// Maximum number of concurrent lookups, on connections of their own.
    private static let lookups = 3

    private let pool: DatabasePool
    private let reading: FairSemaphore
    private let lookingUp: FairSemaphore
    private let purpose: DatabasePurpose
    /// nil if the writers run the checkpoints themselves.
    private let checkpoints: SQLiteCheckpoints?
    /// Receives the time that each write waited for the write lock.
    private let onWait: (@Sendable (Duration) -> Void)?

    /// Opens the file.
    ///
    /// SQLite gives its `-wal` and `-shm` files the same mode and, for root, the same owner. Under
    /// ``SchemaPolicy/exact``, a file that is not such a store keeps its contents and its mode, because the path may be
    /// mistyped.
    /// - Parameters:
    ///   - patience: maximum wait of a transaction for a connection to read, before `storage-busy`.
    ///   - permissions: mode of the file: readable only by its owner, unless a group shares the store; nil keeps it.
    ///   - onWait: receives the time that each write waited for the write lock.
    /// - Throws: ``StorageError``: `storage-missing`, `storage-schema-older` and `storage-schema-newer` under
    ///   ``SchemaPolicy/exact``.
    public static func open(
        path: String, migrations: [Migration], purpose: DatabasePurpose = .serving, schema: SchemaPolicy = .migrate,
        patience: Duration = .seconds(30), permissions: mode_t? = 0o600, onWait: (@Sendable (Duration) -> Void)? = nil
    ) async throws -> SQLiteDatabase {
        switch schema {
        case .migrate:
            try makeFile(path, permissions: permissions ?? 0o600)
            if let permissions { try restrictFile(path, to: permissions) }
        case .exact:
            guard try checkedStatus(path).st_size > 0 else { throw StorageError.schemaOlder }
            try requireAccess(path)
        }
        return try await StorageError.mappingAsync {
            var configuration = Configuration()
            configuration.busyMode = .callback(waitForLock)
            configuration.foreignKeysEnabled = true
            configuration.maximumReaderCount = Self.readers + Self.lookups
            configuration.prepareDatabase { connection in
                connection.add(function: TextDigest.ofSQLite)
                try TextList.register(in: connection)
            }
            if purpose == .recording {
                configuration.writeTargetQueue = DispatchQueue(
                    label: "tributary.recording", qos: BackgroundPriority.recording.qualityOfService)
            }
            let pool = try DatabasePool(path: path, configuration: configuration)
            let synchronous = try await pool.writeWithoutTransaction { database in
                // GRDB sets NORMAL on a pool's writer after `prepareDatabase`, so set FULL afterwards.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // Some builds overwrite each deleted row with zeros, while others wait for the lock. ``compact(path:)``
                // removes the traces instead.
                try database.execute(sql: "PRAGMA secure_delete = FAST")
                // Rows with random keys each change a different page. A larger cache and log keep pages until they are
                // full, so that each is written once.
                switch purpose {
                case .serving: break
                case .recording, .loading: try database.execute(sql: "PRAGMA cache_size = -24000")
                case .filling: try database.execute(sql: "PRAGMA cache_size = -160000")
                }
                let log = purpose.isLoad ? purpose.pagesOfLog : SQLiteCheckpoints.patience * purpose.pagesOfLog
                try database.execute(sql: "PRAGMA wal_autocheckpoint = \(log)")
                return try Int.fetchOne(database, sql: "PRAGMA synchronous")
            }
            guard synchronous == 2 else {
                throw StorageError(
                    code: "storage-synchronous",
                    message: "SQLite rejected synchronous = FULL; nothing is stored.")
            }
            let checkpoints = purpose.isLoad ? nil : SQLiteCheckpoints(path: path, limit: purpose.pagesOfLog)
            let database = SQLiteDatabase(
                pool: pool, reading: FairSemaphore(Self.readers, patience: patience),
                lookingUp: FairSemaphore(Self.lookups, patience: patience), purpose: purpose, checkpoints: checkpoints,
                onWait: onWait)
            do {
                switch schema {
                case .migrate: try await Migration.apply(migrations, at: Date(), to: database)
                case .exact:
                    try await database.requireNewest(migrations)
                    if let permissions { try restrictStore(path, to: permissions) }
                }
            } catch {
                // Close the connection: the log of a rolled-back step could fill the disk as long as it is open.
                try? await database.close()
                throw error
            }
            return database
        }
    }

    private func requireNewest(_ migrations: [Migration]) async throws {
        let isOlder = try await read { transaction in
            let table = try transaction.first(
                "SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'schema_migration'")
            return try table == nil || !Migration.pending(migrations, in: transaction).isEmpty
        }
        if isOlder { throw StorageError.schemaOlder }
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await reading.using { try await readNow(body) }
    }

    public func lookUp<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await lookingUp.using { try await readNow(body) }
    }

    private func readNow<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await StorageError.mappingAsync {
            try await pool.read { try SQLiteTransaction.run($0, body) }
        }
    }

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        let (asked, purpose, onWait) = (ContinuousClock.now, purpose, onWait)
        return try await StorageError.mappingAsync {
            let (value, pages) = try await pool.write { database in
                if purpose == .recording { BackgroundPriority.recording.applyToThread() }
                onWait?(asked.duration(to: .now))
                // Counts the pages of earlier transactions; this one's pages are written at its end.
                let pages = SQLiteCheckpoints.pagesWritten(by: database)
                return (try SQLiteTransaction.run(database, body), pages)
            }
            await checkpoints?.wrote(pages: pages)
            return value
        }
    }

    public func writeNested<T>(_ body: (any SQLTransaction) throws -> T) throws -> T {
        try StorageError.mapping { try pool.write { try SQLiteTransaction.run($0, body) } }
    }

    public func close() async throws {
        try await StorageError.mappingAsync { try await checkpoints?.close() }
        // The last connection removes the log on closing, unless it is read-only.
        pool.invalidateReadOnlyConnections()
        try StorageError.mapping { try pool.close() }
    }
}

/// Waits one millisecond for another process's lock, up to about ten seconds in total. SQLite's own delays grow to a
/// tenth of a second, which is too long: receiver and consumer hold the lock for milliseconds.
private func waitForLock(tries: Int) -> Bool {
    usleep(1000)
    return tries < 10_000
}

/// Creates the file if it does not exist, with its mode, before SQLite creates its companion files with the same mode.
private func makeFile(_ path: String, permissions: mode_t) throws {
    let made = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, permissions)
    if made >= 0 {
        close(made)
        return
    }
    switch errno {
    case EEXIST: return
    case ENOSPC: throw StorageError(code: "storage-full", message: "The disk is full; free some space.")
    default:
        throw StorageError.unopened(path, errno)
    }
}

/// Returns the system's status of a database file. Throws if it does not exist or is not a regular file.
///
/// An existing file is never opened here: closing it would release the POSIX locks that SQLite's other connections in
/// this process hold on it (sqlite.org/howtocorrupt.html, section 2.2), and another process might then delete the log.
private func checkedStatus(_ path: String) throws -> stat {
    var status = stat()
    guard stat(path, &status) == 0 else {
        if errno == ENOENT { throw StorageError.missing(path) }
        throw StorageError.unopened(path, errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw StorageError(code: "storage-open", message: "\(path) is a folder or a device, not a database file.")
    }
    return status
}

/// Checks that this account may use a store, because SQLite's own error contains neither the file nor the reason.
private func requireAccess(_ path: String) throws {
    // The account that first opens the database creates the log and its index.
    for file in [path, path + "-wal", path + "-shm"] where file == path || FileManager.default.fileExists(atPath: file)
    {
        guard access(file, R_OK) == 0 else { throw StorageError.unopened(file, errno) }
    }
}

/// Sets the mode of a file. A file of another user with the right mode is accepted.
private func restrictFile(_ path: String, to permissions: mode_t) throws {
    if try checkedStatus(path).st_mode & 0o7777 == permissions { return }
    guard chmod(path, permissions) == 0 else {
        throw StorageError(
            code: "storage-open",
            message: "The database file \(path) belongs to another user and its mode is not "
                + "\(String(permissions, radix: 8)); its owner must change it (chmod).")
    }
}

/// Sets the mode of an open store's file and of its companion files.
private func restrictStore(_ path: String, to permissions: mode_t) throws {
    guard try checkedStatus(path).st_mode & 0o7777 != permissions else { return }
    try restrictFile(path, to: permissions)
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
        try restrictFile(path + suffix, to: permissions)
    }
}

extension DatabasePurpose {
    /// Length of the log, in pages of 4 KB, at which it is copied into the database file.
    fileprivate var pagesOfLog: Int {
        switch self {
        case .serving: 4_096
        case .recording: 16_384
        case .loading: 65_536
        case .filling: 262_144
        }
    }
}
