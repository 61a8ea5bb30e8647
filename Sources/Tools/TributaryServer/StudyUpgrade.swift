import Consumer
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Parts a study that was made before version 0.4, whose queue and records are one database, into its two stores.
///
/// 1. The queue is made beside its place from what the former database says, which is only read.
/// 2. One transaction takes the queue out of the former database and brings the rest up to date. Until it is committed the
///    older version can go on with the study.
/// 3. Both files get their names.
///
/// Whatever stops it, running it again finishes it.
public struct StudyUpgrade: Sendable {
    /// The content of the two stores after the upgrade.
    public struct Report: Sendable, Hashable {
        /// The queue's rows, and those of them that are neither stored nor refused.
        public let submissions: Int
        public let waiting: Int
        public let devices: Int
        /// Devices that are a participant's.
        public let bindings: Int
        /// Resources that are not deleted.
        public let records: Int
        /// The former database as it was; nil where it is away.
        public let copy: String?
    }

    let folder: StudyFolder
    let studyID: String
    let former: String
    let copy: String
    let partial: String
    let queue: String
    let records: String

    /// - Throws: ``ServerError`` `study-current` for a study that is not of the older kind; `study-upgrade-place`.
    init(_ folder: StudyFolder) throws {
        let study = try folder.configuration()
        self.folder = folder
        studyID = study.id
        former = folder.formerDatabaseURL.path
        copy = former + ".before-upgrade"
        queue = folder.defaultQueueURL.path
        partial = queue + ".partial"
        records = folder.defaultRecordsURL.path
        guard StudyBackupFiles.exists(former) else {
            throw ServerError(
                code: "study-current",
                message: "The study has no data/tributary.sqlite of an older version; there is nothing to upgrade.")
        }
        guard study.queue == nil, study.database == nil else {
            throw ServerError(
                code: "study-upgrade-place",
                message: "The upgrade makes the stores in the study's folder: take \"queue\" and \"database\" out of "
                    + "study.json, and move the stores after it. Nothing was changed.")
        }
    }

    /// Upgrades the study, or finishes what was begun.
    ///
    /// - Parameter date: now.
    /// - Throws: ``ServerError`` `study-current`, `study-upgrade-place`, `study-upgrade-conflict`, `study-in-use`,
    ///   `queue-missing`; ``Storage/StorageError``, also `storage-full` and `storage-locked`. Then running it again goes on.
    public static func run(_ folder: StudyFolder, at date: Date) async throws -> Report {
        let upgrade = try StudyUpgrade(folder)
        guard let lock = try StoreLock(storePath: upgrade.former) else {
            throw StorageError(
                code: "storage-locked", message: "Another process is upgrading the study; wait until it is done.")
        }
        defer { withExtendedLifetime(lock) {} }
        try upgrade.requireAlone()
        if try await !upgrade.isParted() { try await upgrade.partKeepingCopy(at: date) }
        let report = try await upgrade.publish()
        unlink(upgrade.former + ".lock")
        return report
    }

    /// Steps 1 and 2, after a copy was made. What fails leaves the study as it was.
    private func partKeepingCopy(at date: Date) async throws {
        guard !StudyBackupFiles.exists(queue), !StudyBackupFiles.exists(records) else {
            throw ServerError(
                code: "study-upgrade-conflict",
                message:
                    "Beside data/tributary.sqlite there is a store of this version already; move away the one that "
                    + "does not belong here. Nothing was changed.")
        }
        let size = StudyBackupFiles.size(former) ?? 0
        try StoreMigration.requireSpace(size * 3 + (64 << 20), besides: former)
        // A copy that an earlier run left is of an earlier state.
        unlink(copy)
        try SQLiteDatabase.copy(path: former, to: copy)
        do {
            let marks = try await makeQueue()
            try await part(from: marks, at: date)
        } catch {
            // An error of the disk may have come after all was written.
            if (try? await isParted()) != true {
                removePartial()
                unlink(copy)
            }
            throw error
        }
    }

    // MARK: - The former database

    /// Opens the former database as it is.
    func openFormer() async throws -> SQLiteDatabase {
        try await SQLiteDatabase.open(path: former, migrations: [], schema: .exact)
    }

    /// Sees that no other process works with the former database, and that its file is all of it.
    ///
    /// - Throws: ``ServerError`` `study-in-use`.
    func requireAlone() throws {
        do {
            try SQLiteDatabase.settle(path: former)
        } catch let error as StorageError where error.code == "storage-busy" {
            throw Self.inUse
        }
    }

    static let inUse = ServerError(
        code: "study-in-use",
        message: "Another process works with the study's data/tributary.sqlite; stop it, and run the upgrade again.")

    /// Whether the queue was taken out of the former database already.
    func isParted() async throws -> Bool {
        try await openFormer().closing { database in
            try await database.read { transaction in
                let tables = try transaction.query(
                    """
                    SELECT name FROM sqlite_master WHERE type = 'table'
                    AND name IN ('submission', 'submission_body', 'client', 'records_state')
                    """)
                let names = Set(try tables.map { try $0.text("name") })
                if names == ["records_state"] { return true }
                guard names == ["submission", "submission_body", "client"] else {
                    throw ServerError(
                        code: "study-upgrade-conflict",
                        message: "data/tributary.sqlite is no database of an older version. Nothing was changed.")
                }
                return false
            }
        }
    }

    /// Step 2: takes the queue out of the former database, and brings what stays up to date.
    ///
    /// - Parameter marks: what the queue was made from.
    func part(from marks: Marks, at date: Date) async throws {
        let state = try await queueState(at: partial)
        try await openFormer().closing { database in
            try await database.write { transaction in
                guard try Marks(in: transaction) == marks else { throw Self.inUse }
                try Migration.apply(StudyStores.recordsMigrations, at: date, in: transaction)
                // A phone that sends again what was stored is to be told so, even by another queue.
                try transaction.execute(
                    """
                    INSERT INTO settlement (lane, submission_id, digest, number, status, reason_code, key_id,
                        releases_held, settled_at)
                    SELECT lane, submission_id, digest, number, status, reason_code, key_id, 0, changed_at
                    FROM submission WHERE status IN ('stored', 'refused')
                    """)
                for table in ["submission_body", "submission", "submission_counter"] {
                    try transaction.execute("DROP TABLE \(table)")
                }
                try transaction.execute("DELETE FROM schema_migration WHERE number BETWEEN 100 AND 199")
                try SettlementRegister.claim(queueID: state.queueID, in: transaction)
            }
        }
    }

    private func queueState(at path: String) async throws -> QueueState {
        try await openQueue(path).closing { database in
            try await database.read { try QueueState.read(in: $0) }
        }
    }

    func openQueue(_ path: String) async throws -> SQLiteDatabase {
        try await SQLiteDatabase.open(
            path: path, migrations: StudyStores.queueMigrations, schema: .exact,
            permissions: StudyStores.queuePermissions)
    }

    // MARK: - The names

    /// Step 3: gives both stores their names.
    func publish() async throws -> Report {
        // 1. The two belong together.
        let made = StudyBackupFiles.exists(partial) ? partial : queue
        guard StudyBackupFiles.exists(made) else {
            throw ServerError(
                code: "queue-missing",
                message:
                    "The queue that the upgrade made is away; go back to the copy data/tributary.sqlite.before-upgrade "
                    + "and run the upgrade again.")
        }
        let report = try await report(queue: made)
        try requireAlone()
        try SQLiteDatabase.settle(path: made)
        // 2. The queue first: as long as the former database has its name, all know that the upgrade is not done.
        if made == partial {
            guard !StudyBackupFiles.exists(queue) else { throw Self.inUse }
            try StudyBackupFiles.restrict(partial, to: StudyStores.queuePermissions)
            try StudyBackupFiles.move(partial, to: queue)
            try synchronizeFolder(of: queue)
        }
        guard !StudyBackupFiles.exists(records) else { throw Self.inUse }
        try ignoreQueue()
        try StudyBackupFiles.restrict(former, to: StudyStores.recordsPermissions)
        try StudyBackupFiles.move(former, to: records)
        try synchronizeFolder(of: records)
        return report
    }

    func synchronizeFolder(of path: String) throws {
        try StudyBackupFiles.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private func report(queue made: String) async throws -> Report {
        let queue = try await openQueue(made).closing { database in
            try await database.read { transaction in
                (
                    state: try QueueState.read(in: transaction),
                    submissions: try StudyBackup.submissions(in: transaction),
                    waiting: try transaction.first(
                        "SELECT count(*) AS rows FROM submission WHERE status NOT IN ('stored', 'refused')"
                    )?.integer("rows") ?? 0,
                    devices: try transaction.first("SELECT count(*) AS rows FROM enrolment")?.integer("rows") ?? 0
                )
            }
        }
        let rest = try await openFormer().closing { database in
            try await database.read { transaction in
                (
                    queueID: try StudyBackup.queueID(in: transaction),
                    records: try StudyBackup.records(in: transaction),
                    bindings: try transaction.first("SELECT count(*) AS rows FROM device_binding")?.integer("rows") ?? 0
                )
            }
        }
        guard rest.queueID == queue.state.queueID else {
            throw StorageError(
                code: "queue-of-another-study",
                message: "The queue in queue/ is not the one that the upgrade made of data/tributary.sqlite.")
        }
        return Report(
            submissions: queue.submissions, waiting: Int(queue.waiting), devices: Int(queue.devices),
            bindings: Int(rest.bindings), records: rest.records,
            copy: StudyBackupFiles.exists(copy) ? copy : nil)
    }

    /// Adds the queue's folder to the study's `.gitignore`: what waits in the queue belongs into a repository of the
    /// study's files as little as the records do.
    private func ignoreQueue() throws {
        let file = folder.url.appendingPathComponent(".gitignore")
        guard let data = FileManager.default.contents(atPath: file.path) else { return }
        let text = String(decoding: data, as: UTF8.self)
        guard text.split(separator: "\n").contains("data/"), !text.split(separator: "\n").contains("queue/") else {
            return
        }
        let end = text.hasSuffix("\n") ? "" : "\n"
        try PrivateFile.write(Data((text + end + "queue/\n").utf8), to: file, permissions: 0o644)
    }
}
