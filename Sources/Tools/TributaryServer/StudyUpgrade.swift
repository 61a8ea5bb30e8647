import Consumer
import Foundation
import Storage
import Submissions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Splits a study from before version 0.4, whose queue and records are one database, into two stores.
///
/// 1. The queue is created next to its final path from the former database, which is only read.
/// 2. One transaction removes the queue from the former database and migrates the rest. Until it is committed, the
///   older version can still use the study.
/// 3. Both files get their final names.
///
/// After any interruption, running it again completes it.
package struct StudyUpgrade: Sendable {
    /// The contents of the two stores after the upgrade.
    package struct Report: Sendable, Hashable {
        /// The number of rows in the queue, and of those that are neither stored nor refused.
        package let submissions: Int
        package let waiting: Int
        package let devices: Int
        /// The number of devices that belong to a participant.
        package let bindings: Int
        /// The number of resources that are not deleted.
        package let records: Int
        /// The path of the copy of the former database; nil if it does not exist.
        package let copy: String?
    }

    let folder: StudyFolder
    let studyID: String
    let former: String
    let copy: String
    let partial: String
    let queue: String
    let records: String

    /// - Throws: ``ServerError`` `study-current` for a study without a former database; `study-upgrade-place`.
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

    /// Upgrades the study, or completes an interrupted upgrade.
    ///
    /// - Parameter date: the present time.
    /// - Throws: ``ServerError`` `study-current`, `study-upgrade-place`, `study-upgrade-conflict`, `study-in-use`,
    ///   `queue-missing`; ``Storage/StorageError``, also `storage-full` and `storage-locked`. After an error, running
    ///   it again continues.
    package static func run(_ folder: StudyFolder, at date: Date) async throws -> Report {
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

    /// Runs steps 1 and 2 after making a copy. A failure leaves the study unchanged.
    private func partKeepingCopy(at date: Date) async throws {
        guard !StudyBackupFiles.exists(queue), !StudyBackupFiles.exists(records) else {
            throw ServerError(
                code: "study-upgrade-conflict",
                message:
                    "There is a store of this version next to data/tributary.sqlite; move away the one that "
                    + "does not belong here. Nothing was changed.")
        }
        let size = StudyBackupFiles.size(former) ?? 0
        try StoreMigration.requireSpace(size * 3 + (64 << 20), onDiskOf: former)
        // A copy of an earlier run has an earlier state.
        unlink(copy)
        try SQLiteDatabase.copy(path: former, to: copy)
        do {
            let marks = try await makeQueue()
            try await part(from: marks, at: date)
        } catch {
            // A disk error may have occurred after everything was written.
            if (try? await isParted()) != true {
                removePartial()
                unlink(copy)
            }
            throw error
        }
    }

    // MARK: - The former database

    /// Opens the former database without migrating it.
    func openFormer() async throws -> SQLiteDatabase {
        try await SQLiteDatabase.open(path: former, migrations: [], schema: .exact)
    }

    /// Checks that no other process uses the former database, and that its file is complete.
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

    /// Whether the queue was already removed from the former database.
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

    /// Step 2: removes the queue from the former database, and migrates the rest.
    ///
    /// - Parameter marks: the counters that the queue was made from.
    func part(from marks: Marks, at date: Date) async throws {
        let state = try await queueState(at: partial)
        try await openFormer().closing { database in
            try await database.write { transaction in
                guard try Marks(in: transaction) == marks else { throw Self.inUse }
                try Migration.apply(StudyStores.recordsMigrations, at: date, in: transaction)
                // A phone that resends a stored submission must get its outcome, even from another queue.
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
                try OutcomeStore.claim(queueID: state.queueID, in: transaction)
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

    /// Step 3: renames both stores.
    func publish() async throws -> Report {
        // 1. Check that they belong together.
        let made = StudyBackupFiles.exists(partial) ? partial : queue
        guard StudyBackupFiles.exists(made) else {
            throw ServerError(
                code: "queue-missing",
                message:
                    "The queue that the upgrade made is missing; restore the copy data/tributary.sqlite.before-upgrade "
                    + "and run the upgrade again.")
        }
        let report = try await report(queue: made)
        try requireAlone()
        try SQLiteDatabase.settle(path: made)
        // 2. Rename the queue first: as long as the former database has its old name, the upgrade is known to be
        //   incomplete.
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

    /// Adds the queue's folder to the study's `.gitignore`: like the records, it must not be in a repository of the
    /// study's files.
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
