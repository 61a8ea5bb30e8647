import AccessPolicy
import Audit
import Core
import Crypto
import FHIR
import Foundation
import Identity
import Permissions
import Storage
import StudyFiles
import Submissions
import Warehouse

extension StudyBackup {
    /// The content of a restored study.
    package struct Restored: Sendable, Hashable {
        /// The number of rows of the queue.
        package let submissions: Int
        /// The number of resources that are not deleted.
        package let records: Int
        /// The queue's new epoch. Phones query the outcomes of their submissions again, and resend missing ones.
        package let epoch: Int64
        /// The number of accounts; nil if the backup contains no people store.
        package let accounts: Int?
        /// The number of participants whose deletion after the backup was repeated.
        package let deletedAgain: Int
        /// The number of accounts whose deletion after the backup was repeated.
        package let accountsDeletedAgain: Int
        /// Whether there was a list of deletions, of the study or in the backup's records.
        package let hasDeletionList: Bool
        /// Whether the facts were in tables outside of the backup: they must be loaded again from the records.
        package let isToBeLoaded: Bool
    }

    /// The contents of the stores in the backup.
    private struct Found {
        let submissions: Int
        let records: Int
        let epoch: Int64
    }

    /// Creates a study from a backup. Its stores are at their default paths; its private keys must be restored
    /// separately.
    ///
    /// - Parameters:
    ///   - directory: the study's folder, which need not exist; it may contain `keys/` and `deletions/`.
    ///   - deletions: the study's list of deleted participants and accounts; nil for `deletions/list.json` in the
    ///     folder, if it exists. Those in the list are deleted again before the study can be used.
    ///   - actor: the actor of the restore, for the audit.
    ///   - date: the present time.
    /// - Throws: ``ServerError`` `study-exists`, `backup-damaged`, `backup-newer`, `file-unreadable`,
    ///   `file-unwritable`; `deletions-invalid`, `deletions-mismatch`; ``Storage/StorageError``
    ///   `storage-schema-newer`, `storage-full`. After an error nothing was changed, and no file is left.
    package static func restore(
        _ file: String, into directory: String, deletions: String? = nil,
        actor: Actor = Actor(id: "restore", role: .site), at date: Date
    ) async throws -> Restored {
        let destination = URL(fileURLWithPath: directory, isDirectory: true)
        for name in ["study.json", "queue", "data"] { try requireFree(name, in: destination) }
        // 1. Check that the backup is complete, before anything is created.
        try requireSealed(file)
        // 2. Create everything in a separate folder until all of it is valid.
        let isNew = !StudyBackupFiles.exists(destination.path)
        if isNew {
            do {
                try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: true)
            } catch {
                throw ServerError(
                    code: "file-unwritable", message: "The folder \(destination.lastPathComponent) cannot be made.")
            }
        }
        do {
            let staging = destination.appendingPathComponent(".restore-\(UUID().uuidString)", isDirectory: true)
            try StudyBackupFiles.makeFolder(staging.path, permissions: 0o700)
            defer { try? FileManager.default.removeItem(at: staging) }
            let manifest = try extract(file, into: staging)
            let found = try await prepare(staging, manifest, at: date)
            let isToBeLoaded = try await takeWarehouse(of: staging, by: actor, at: date)
            try await resetLocations(of: staging)
            try await recordRestoration(of: staging, anchors: StudyFolder(path: destination.path), at: date)
            let accounts = try await renewPeople(of: staging)
            let again = try await deleteAgain(
                in: staging, destination: destination, deletions: deletions, studyID: manifest.studyID, actor: actor,
                at: date)
            // 3. Move it into the folder; the last file makes the folder a study.
            try publish(staging, in: destination)
            return Restored(
                submissions: found.submissions, records: again.records ?? found.records, epoch: found.epoch,
                accounts: accounts.map { $0 - again.accounts }, deletedAgain: again.count,
                accountsDeletedAgain: again.accounts, hasDeletionList: again.list != nil, isToBeLoaded: isToBeLoaded)
        } catch {
            if isNew { try? FileManager.default.removeItem(at: destination) }
            throw error
        }
    }

    /// Repeats later deletions, and writes the list to its file in the study.
    private static func deleteAgain(
        in staging: URL, destination: URL, deletions: String?, studyID: String, actor: Actor, at date: Date
    ) async throws -> StudyDeletion.RepeatedDeletions {
        let own = StudyFolder(path: destination.path)
        let given = deletions.map { URL(fileURLWithPath: $0) } ?? own.deletionListURL
        let list = try StudyDeletionList.read(given, studyID: studyID)
        if list == nil, deletions != nil {
            throw ServerError(code: "file-unreadable", message: "The file \(given.path) cannot be read.")
        }
        let folder = StudyFolder(path: staging.path)
        let stores = try StudyStores(folder)
        var again = try await StudyDeletion.deleteAgain(in: stores, by: list, actor: actor, at: date)
        try await AccountDeletion.deleteAgain(in: stores, adding: &again, at: date)
        guard let list = again.list else { return again }
        // An existing folder with that name is kept, with its reports.
        if StudyBackupFiles.isFolder(own.deletionsURL.path) {
            try list.write(to: own.deletionListURL)
        } else {
            try StudyBackupFiles.makeFolder(folder.deletionsURL.path, permissions: 0o700)
            try list.write(to: folder.deletionListURL)
        }
        return again
    }

    private static func requireFree(_ name: String, in destination: URL) throws {
        guard StudyBackupFiles.exists(destination.appendingPathComponent(name).path) else { return }
        throw ServerError(
            code: "study-exists",
            message: "There is a \(name) in this folder already; nothing was changed. Restore into another folder.")
    }

    // MARK: - Reading the file

    /// Checks that the file ends with the digest of all bytes before it.
    private static func requireSealed(_ file: String) throws {
        try FileAccess.require(URL(fileURLWithPath: file))
        guard let size = StudyBackupFiles.size(file) else { throw FileAccessError(path: file, cause: .missing) }
        let length = Int64(seal("").count)
        guard size > length else { throw damaged("it is too short") }
        var hash = SHA256()
        var end = Data()
        var read: Int64 = 0
        try StudyBackupFiles.each(file) { piece in
            let body = min(piece.count, Int(clamping: max(0, size - length - read)))
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: piece[..<body]))
            end.append(contentsOf: piece[body...])
            read += Int64(piece.count)
            guard read <= size else { throw damaged("it changes while it is read") }
        }
        guard end == seal(Hexadecimal.text(hash.finalize())) else {
            throw damaged("its bytes do not have the digest at its end")
        }
    }

    /// Extracts the files below a folder, and checks them against the manifest.
    private static func extract(_ file: String, into staging: URL) throws -> StudyBackupManifest {
        let reader = try StudyBackupReader(path: file)
        guard try reader.next() == StudyBackupManifest.name else { throw damaged("it does not begin with a manifest") }
        var bytes = Data()
        try reader.each(limit: Int64(StudyBackupManifest.largestManifest)) { bytes.append(contentsOf: $0) }
        let manifest = try StudyBackupManifest(bytes)
        try StoreMigration.requireSpace(
            manifest.members.reduce(Int64(16 << 20)) { $0.addingReportingOverflow($1.bytes).partialValue },
            onDiskOf: staging.path)
        for folder in ["queue", "data", "consent", "questionnaires", "receipt-roots"] {
            try StudyBackupFiles.makeFolder(staging.appendingPathComponent(folder).path, permissions: 0o700)
        }
        var missing = Dictionary(manifest.members.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        while let name = try reader.next() {
            guard let member = missing.removeValue(forKey: name) else {
                throw damaged("it holds a file that its manifest does not name")
            }
            try extract(member, from: reader, to: staging.appendingPathComponent(studyPath(of: name)))
        }
        guard missing.isEmpty else { throw damaged("files are missing in it") }
        return manifest
    }

    private static func extract(
        _ member: StudyBackupManifest.Member, from reader: StudyBackupReader, to target: URL
    ) throws {
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        let descriptor = try StudyBackupFiles.create(target.path)
        defer { StudyBackupFiles.end(descriptor) }
        var hash = SHA256()
        var written: Int64 = 0
        try reader.each(limit: member.bytes) { piece in
            hash.update(bufferPointer: piece)
            written += Int64(piece.count)
            try StudyBackupFiles.write(piece, to: descriptor, target.path)
        }
        guard written == member.bytes, Hexadecimal.text(hash.finalize()) == member.sha256 else {
            throw damaged("a file in it is not what its manifest says")
        }
    }

    /// Returns the path of a backup's file in a study.
    private static func studyPath(of name: String) -> String {
        switch name {
        case StudyBackupManifest.queue: "queue/queue.sqlite"
        case StudyBackupManifest.records: "data/records.sqlite"
        case StudyBackupManifest.people: "data/people.sqlite"
        default: String(name.dropFirst("study/".count))
        }
    }

    // MARK: - The stores

    /// Checks the stores, and begins a new epoch of the queue.
    private static func prepare(
        _ staging: URL, _ manifest: StudyBackupManifest, at date: Date
    ) async throws -> Found {
        let folder = StudyFolder(path: staging.path)
        let queuePath = folder.defaultQueueURL.path
        let recordsPath = folder.defaultRecordsURL.path
        guard SQLiteDatabase.isSound(path: queuePath), SQLiteDatabase.isSound(path: recordsPath) else {
            throw damaged("a database in it is not sound")
        }
        guard (try? folder.configuration())?.id == manifest.studyID else {
            throw damaged("its study.json is another's")
        }
        let known = try await checking(
            queuePath, migrations: StudyStores.queueMigrations, permissions: StudyStores.queuePermissions
        ) { queue in
            try await queue.read { (state: try QueueState.read(in: $0), submissions: try submissions(in: $0)) }
        }
        let found = try await checking(
            recordsPath, migrations: StudyStores.recordsMigrations, permissions: StudyStores.recordsPermissions
        ) {
            try await $0.read { (queue: try queueID(in: $0), records: try records(in: $0)) }
        }
        guard known.state.queueID == manifest.queueID, known.state.epoch == manifest.epoch,
            known.state.studyID ?? manifest.studyID == manifest.studyID,
            found.queue ?? manifest.queueID == manifest.queueID
        else { throw damaged("its parts do not belong together") }
        let queue = try await SQLiteDatabase.open(
            path: queuePath, migrations: [], schema: .exact, permissions: StudyStores.queuePermissions)
        let epoch = try await queue.closing { queue in
            try await queue.write { transaction in
                // The owners of leases no longer exist, and did not complete what they had begun.
                try transaction.execute(
                    """
                    UPDATE submission SET lease = NULL, lease_owner = NULL, lease_until = NULL, begun = 0
                    WHERE lease IS NOT NULL OR lease_owner IS NOT NULL OR lease_until IS NOT NULL OR begun <> 0
                    """)
                return try QueueState.beginEpoch(at: date, in: transaction)
            }
        }
        for path in [queuePath, recordsPath] { try SQLiteDatabase.settle(path: path) }
        return Found(submissions: known.submissions, records: found.records, epoch: epoch)
    }

    /// Uses the records' own tables for the facts if they were in other schemas. Ends the access of apps, so that
    /// people must sign in and consent again, and all permissions, because the backup may lack the end of some.
    private static func takeWarehouse(of staging: URL, by actor: Actor, at date: Date) async throws -> Bool {
        let path = StudyFolder(path: staging.path).defaultRecordsURL.path
        let records = try await SQLiteDatabase.open(
            path: path, migrations: [], schema: .exact, permissions: StudyStores.recordsPermissions)
        let isToBeLoaded = try await records.closing { records in
            try await records.write { transaction in
                _ = try PermissionStore().recordRestoration(by: actor.id, at: date, in: transaction)
                try AuthorizationStore.endAuthorizations(in: transaction)
                return try WarehouseInstallation(.records).run(in: transaction).isToBeLoaded
            }
        }
        try SQLiteDatabase.settle(path: path)
        return isToBeLoaded
    }

    /// Records the restoration in the seals of the audit, after which the heads in the study's folder explain rows that
    /// the backup lacks.
    private static func recordRestoration(of staging: URL, anchors folder: StudyFolder, at date: Date) async throws {
        let path = StudyFolder(path: staging.path).defaultRecordsURL.path
        // A damaged head is reported by `audit verify`.
        let newest = try? AuditAnchorFolder(folder.auditAnchorsURL).anchors().map(\.at).max()
        let records = try await SQLiteDatabase.open(
            path: path, migrations: [], schema: .exact, permissions: StudyStores.recordsPermissions)
        try await records.closing { records in
            try await AuditSealer(database: records, clock: { date }).recordRestoration(
                notBefore: newest.flatMap(SQLTimestamp.date))
        }
        try SQLiteDatabase.settle(path: path)
    }

    /// Runs a closure with a store of this version, or of an older one.
    ///
    /// - Throws: `storage-schema-newer` for one of a newer version, `storage-schema-former` for one of an earlier
    ///   development version; `backup-damaged` if it is not a store of a study.
    static func checking<T: Sendable>(
        _ path: String, migrations: [Migration], permissions: mode_t,
        body: (SQLiteDatabase) async throws -> T
    ) async throws -> T {
        do {
            let database = try await SQLiteDatabase.open(
                path: path, migrations: [], schema: .exact, permissions: permissions)
            return try await database.closing { database in
                let done = try await database.read { transaction in
                    _ = try Migration.pending(migrations, in: transaction)
                    return try transaction.query("SELECT number FROM schema_migration").map { try $0.integer("number") }
                }
                guard !Set(done).isDisjoint(with: migrations.map { Int64($0.number) }) else {
                    throw damaged("a database in it is not a study's")
                }
                return try await body(database)
            }
        } catch let error as StorageError
            where [
                "storage-corrupt", "storage-schema-older", "storage-schema-mismatch", "storage-failed",
                "storage-column",
            ].contains(error.code)
        {
            throw damaged("a database in it is not a study's")
        }
    }

    // MARK: - The folder

    /// Updates `study.json`: the stores are in the study's folder now, wherever they were when the backup was made.
    private static func resetLocations(of staging: URL) async throws {
        let file = staging.appendingPathComponent("study.json")
        guard let data = FileManager.default.contents(atPath: file.path), var json = (try? JSON(data))?.object,
            ["queue", "database", "people", "warehouse"].contains(where: { json[$0] != nil })
        else { return }
        json["queue"] = nil
        json["database"] = nil
        json["people"] = nil
        // i2b2's tables were not in the backup; they are made again from the records.
        json["warehouse"] = nil
        try FileManager.default.removeItem(at: file)
        try StudyBackupFiles.make(file.path, Data((JSON.object(json).text(.pretty) + "\n").utf8))
    }

    /// Sets the modes of the created files, syncs them, and moves them to their final names.
    private static func publish(_ staging: URL, in destination: URL) throws {
        let files = FileManager.default
        // 1. Set the modes, and sync everything to disk.
        for case let path as String in files.enumerator(atPath: staging.path) ?? .init() {
            let full = staging.appendingPathComponent(path).path
            try StudyBackupFiles.restrict(full, to: mode(of: path, isFolder: StudyBackupFiles.isFolder(full)))
            try StudyBackupFiles.synchronize(full)
        }
        try StudyBackupFiles.synchronize(staging.path)
        // 2. Nothing that exists is replaced.
        let names = try files.contentsOfDirectory(atPath: staging.path).sorted().filter { $0 != "study.json" }
        for name in names + ["study.json"] { try requireFree(name, in: destination) }
        // 3. Rename.
        var published: [String] = []
        do {
            for name in names + ["study.json"] {
                let target = destination.appendingPathComponent(name).path
                try StudyBackupFiles.move(staging.appendingPathComponent(name).path, to: target)
                published.append(target)
                if name == names.last { try StudyBackupFiles.synchronize(destination.path) }
            }
            try StudyBackupFiles.synchronize(destination.path)
        } catch {
            for path in published.reversed() { try? files.removeItem(atPath: path) }
            throw error
        }
    }

    private static func mode(of path: String, isFolder: Bool) -> mode_t {
        switch path {
        case "queue": 0o2770
        case "data", "deletions": 0o700
        case "antispam.sha256", "deletions/list.json": 0o600
        case "queue/queue.sqlite": StudyStores.queuePermissions
        case "data/records.sqlite", "data/people.sqlite": StudyStores.recordsPermissions
        default: isFolder ? 0o755 : 0o644
        }
    }
}
