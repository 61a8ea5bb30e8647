import Consumer
import Foundation
import Receiver
import Records
import Storage
import Trust
import Warehouse

/// A study's two stores: the queue, which a receiver opens alone, and the records.
///
/// Each is where its option says (a path, or `sqlite:PATH`), else where `study.json` says (a relative path is one below
/// the study's folder), else in the study's folder. Only `serve`, `tributary migrate` and what makes a new store change a
/// schema; everything else refuses one that is not this version's.
public struct StudyStores: Sendable {
    public let folder: StudyFolder
    /// The queue's database file.
    public let queuePath: String
    /// The records' database file.
    public let recordsPath: String

    /// The queue's file is shared with the receiver's account by its group.
    static let queuePermissions: mode_t = 0o660
    static let recordsPermissions: mode_t = 0o600

    /// - Throws: ``ServerError`` `study-upgrade-needed` for a study whose two stores are still one, or of `study.json`;
    ///   ``Storage/StorageError`` for a URL of another engine.
    public init(_ folder: StudyFolder, queue: String? = nil, database: String? = nil) throws {
        let study = try folder.configuration()
        self.folder = folder
        queuePath = try Self.path(queue, study.queue, in: folder, or: folder.defaultQueueURL)
        recordsPath = try Self.path(database, study.database, in: folder, or: folder.defaultRecordsURL)
        guard !FileManager.default.fileExists(atPath: folder.formerDatabaseURL.path) else { throw Self.upgradeNeeded }
    }

    static let upgradeNeeded = ServerError(
        code: "study-upgrade-needed",
        message:
            "The study was made by an older version, whose queue and records are one; see `tributary study upgrade`.")

    private static func path(_ option: String?, _ said: String?, in folder: StudyFolder, or standard: URL) throws
        -> String
    {
        if let option { return try databasePath(option) }
        guard let said else { return standard.path }
        let path = try databasePath(said)
        return path.hasPrefix("/") ? path : folder.url.appendingPathComponent(path).path
    }

    /// All steps of the queue's schema.
    public static var queueMigrations: [Migration] { StorageSchema.migrations }

    /// All steps of the records' schema, in their order.
    public static var recordsMigrations: [Migration] {
        (TrustSchema.migrations + RecordsSchema.migrations + WarehouseSchema.migrations + ConsumerSchema.migrations)
            .sorted { $0.number < $1.number }
    }

    /// Opens the queue's store, which must be there and of this version.
    ///
    /// - Parameter onWait: told how long each write waited for its turn.
    public func openQueue(onWait: (@Sendable (Duration) -> Void)? = nil) async throws -> any SQLDatabase {
        try await SQLiteDatabase.open(
            path: queuePath, migrations: Self.queueMigrations, schema: .exact, permissions: Self.queuePermissions,
            onWait: onWait)
    }

    /// Opens the records' store, which must be there and of this version.
    ///
    /// - Parameter onWait: told how long each write waited for its turn.
    public func openRecords(
        purpose: DatabasePurpose = .serving, onWait: (@Sendable (Duration) -> Void)? = nil
    ) async throws -> any SQLDatabase {
        try await requireNoQueue(recordsPath)
        return try await SQLiteDatabase.open(
            path: recordsPath, migrations: Self.recordsMigrations, purpose: purpose, schema: .exact,
            permissions: Self.recordsPermissions, onWait: onWait)
    }

    /// A database that has the queue's table in it is one of the former kind, wherever it stands.
    private func requireNoQueue(_ path: String) async throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let database: SQLiteDatabase
        do {
            database = try await SQLiteDatabase.open(path: path, migrations: [], schema: .exact, permissions: nil)
        } catch let error as StorageError where error.code == "storage-schema-older" {
            // There is no table in it: it was being made when its process ended.
            return
        }
        let isFormer = try await database.read {
            try $0.first("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'submission'") != nil
        }
        try await database.close()
        if isFormer { throw Self.upgradeNeeded }
    }
}

// MARK: - Migration

extension StudyStores {
    /// A report of bringing the stores up to date.
    public struct MigrationReport: Sendable, Hashable {
        public let queue: StoreMigration.Report
        public let records: StoreMigration.Report
        /// Of the store of links; nil where the study has none.
        public let links: StoreMigration.Report?
    }

    /// Makes both stores, or brings them up to date.
    ///
    /// - Throws: ``Storage/StorageError`` `storage-locked` while a consumer of an older version works.
    public func migrate() async throws -> MigrationReport {
        let records = try await migrateRecords()
        try await withRecords { try await requireQueueOfRecords($0) }
        return MigrationReport(
            queue: try await migrateQueue(), records: records, links: try await migrateLinks())
    }

    /// Makes the queue's store, or brings it up to date. A store that is up to date is only looked at.
    @discardableResult
    public func migrateQueue() async throws -> StoreMigration.Report {
        // The folder gives its group to what is made in it.
        try Self.makeFolder(URL(fileURLWithPath: queuePath).deletingLastPathComponent(), permissions: 0o2770)
        return try await Self.migrate(queuePath, Self.queueMigrations, Self.queuePermissions)
    }

    /// Makes the records' store, or brings it up to date, under the consumer's lock.
    @discardableResult
    public func migrateRecords() async throws -> StoreMigration.Report {
        try Self.makeFolder(URL(fileURLWithPath: recordsPath).deletingLastPathComponent(), permissions: 0o700)
        try await requireNoQueue(recordsPath)
        return try await Self.migrate(recordsPath, Self.recordsMigrations, Self.recordsPermissions)
    }

    static func migrate(
        _ path: String, _ migrations: [Migration], _ permissions: mode_t
    ) async throws -> StoreMigration.Report {
        if try await isCurrent(path, migrations, permissions) { return StoreMigration.Report(steps: [], copy: nil) }
        // Two processes that begin together take turns; a consumer keeps the lock as long as it works.
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            if let lock = try StoreLock(storePath: path) {
                let label = SQLTimestamp.text(Date()).filter { $0.isNumber }
                return try await StoreMigration.run(
                    path: path, migrations: migrations, permissions: permissions, lock: lock, label: label)
            }
            if try await isCurrent(path, migrations, permissions) {
                return StoreMigration.Report(steps: [], copy: nil)
            }
            guard ContinuousClock.now < deadline else {
                throw StorageError(
                    code: "storage-locked",
                    message: "Another process works with \(path); stop it before the store is brought up to date.")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func isCurrent(
        _ path: String, _ migrations: [Migration], _ permissions: mode_t
    ) async throws -> Bool {
        do {
            let database = try await SQLiteDatabase.open(
                path: path, migrations: migrations, schema: .exact, permissions: permissions)
            try await database.close()
            return true
        } catch let error as StorageError where error.code == "storage-missing" || error.code == "storage-schema-older"
        {
            return false
        }
    }

    /// A folder that is there is left as it is: its owner may have given it to a group.
    static func makeFolder(_ url: URL, permissions: mode_t) throws {
        guard !FileManager.default.fileExists(atPath: url.path) else { return }
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw ServerError(
                code: "file-unwritable", message: "The folder \(url.lastPathComponent) cannot be made.")
        }
        guard chmod(url.path, permissions) == 0 else {
            throw ServerError(
                code: "file-unwritable", message: "The folder \(url.lastPathComponent) cannot be given its mode.")
        }
    }
}

// MARK: - Together

extension StudyStores {
    /// Ties the queue to the study and, where records are given, these to the queue.
    ///
    /// - Throws: ``Storage/StorageError`` `queue-of-another-study`.
    static func claim(
        queue: any SQLDatabase, records: (any SQLDatabase)?, studyID: String
    ) async throws -> QueueState {
        let name = UUID().uuidString.lowercased()
        var state = try await queue.read { try QueueState.read(in: $0) }
        if state.studyID != studyID || state.queueID.isEmpty {
            state = try await queue.write { try QueueState.claim(studyID: studyID, newQueueID: name, in: $0) }
        }
        if let records {
            let id = state.queueID
            try await records.write { try SettlementRegister.claim(queueID: id, in: $0) }
        }
        return state
    }

    /// Sees that records that have a queue already do not get a new one because theirs is away.
    ///
    /// - Throws: ``ServerError`` `queue-missing`.
    func requireQueueOfRecords(_ records: any SQLDatabase) async throws {
        guard !FileManager.default.fileExists(atPath: queuePath) else { return }
        let hasQueue = try await records.read { try $0.first("SELECT 1 AS one FROM records_state") != nil }
        guard !hasQueue else {
            throw ServerError(
                code: "queue-missing",
                message: "The records' queue is not at \(queuePath); say where it is with --queue, or restore a backup."
            )
        }
    }
}
