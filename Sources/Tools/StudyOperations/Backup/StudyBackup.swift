import Core
import Crypto
import Foundation
import Storage
import StudyFiles
import Submissions

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A backup of a study in one file, made while its server runs: all stores and the study's files, without private
/// keys.
///
/// The file is a tar (`manifest.json`, `queue.sqlite`, `records.sqlite`, `people.sqlite` if the study has accounts,
/// `study/...`) followed by a block with the SHA-256 of all bytes before it. So a file that was truncated or changed is
/// detected before it is used.
///
/// The queue is copied first, then the records. So submissions that are stored according to the queue's copy are in
/// the copy of the records. Those that arrive between the two are sent again by the phones, and are recognized by
/// their settlement. The people store shares no id with the two, so its copy may be of any time.
package enum StudyBackup {
    /// A report of the backup that was made.
    package struct Report: Sendable, Hashable {
        /// The file's path.
        package let file: String
        package let bytes: Int64
        /// The digest of the whole file, in lowercase hexadecimal digits.
        package let sha256: String
        /// The number of rows in the queue's copy.
        package let submissions: Int
        /// The number of resources in the records' copy that are not deleted.
        package let records: Int
        /// The number of accounts in the copy of the people store; nil if the study has none.
        package let accounts: Int?
    }

    /// Makes a backup. When this returns, the file is durable and complete, and readable only by its owner.
    ///
    /// - Parameters:
    ///   - force: whether an existing file with this name is replaced.
    ///   - date: the present time.
    /// - Throws: ``ServerError`` `file-exists`, `backup-private-key`, `backup-too-large`, `file-unwritable`;
    ///   ``Storage/StorageError`` for a store that is missing or not of this version, `queue-of-another-study`,
    ///   `storage-full`. After an error no file was created, and an existing file with this name is unchanged.
    package static func write(
        _ stores: StudyStores, to path: String, force: Bool = false, at date: Date
    ) async throws -> Report {
        let target = URL(fileURLWithPath: path)
        let studyID = try stores.folder.configuration().id
        try requireFree(target.path, force: force)
        // 1. Check the stores, their versions and that they belong together, before the expensive work.
        _ = try await checkedState(queue: stores.queue, records: stores.records, studyID: studyID)
        _ = try await accounts(in: stores.people)
        // 2. Check the space for the copies and for the file.
        let files = try StudyBackupSources.files(of: stores.folder)
        let copied = [stores.queue, stores.records] + [stores.people].compactMap { $0 }
        let size = files.reduce(copied.reduce(Int64(0)) { $0 + ($1.fileSize ?? 0) }) {
            $0 + (StudyBackupFiles.size($1.path) ?? 0)
        }
        try StoreMigration.requireSpace(size * 2 + (16 << 20), onDiskOf: target.path)
        // 3. Make the copies in a private folder.
        let parent = target.deletingLastPathComponent()
        let copies = try StudyBackupStaging(for: target, of: stores.folder)
        let staging = copies.folder
        defer { copies.remove() }
        let queueCopy = staging.appendingPathComponent(StudyBackupManifest.queue).path
        let recordsCopy = staging.appendingPathComponent(StudyBackupManifest.records).path
        try await stores.queue.copy(to: queueCopy)
        try await stores.records.copy(to: recordsCopy)
        let found = try await checkedState(
            queue: .init(
                at: .file(queueCopy), migrations: stores.queue.migrations, schema: .queue, permissions: (0o600, 0o700)),
            records: .init(
                at: .file(recordsCopy), migrations: stores.records.migrations, schema: .records,
                permissions: (0o600, 0o700)), studyID: studyID)
        var sources: [(name: String, path: String)] = [
            (StudyBackupManifest.queue, queueCopy), (StudyBackupManifest.records, recordsCopy),
        ]
        let peopleCopy = try await copyPeople(of: stores, into: staging)
        if let peopleCopy { sources.append((StudyBackupManifest.people, peopleCopy.path)) }
        for copy in sources { try SQLiteDatabase.settle(path: copy.path) }
        sources += try StudyBackupSources.copy(files, into: staging)
        // 4. Write them to one file, which gets its name when it is complete and on disk.
        let members = try sources.map { source in
            let digest = try StudyBackupFiles.digest(source.path)
            return StudyBackupManifest.Member(path: source.name, bytes: digest.bytes, sha256: digest.sha256)
        }
        let manifest = StudyBackupManifest(
            studyID: studyID, time: SQLTimestamp.text(date), queueID: found.state.queueID, epoch: found.state.epoch,
            members: members)
        let temporary = staging.appendingPathComponent("backup.part").path
        let digest = try write(manifest, of: sources.map(\.path), to: temporary, at: date)
        try requireFree(target.path, force: force)
        try StudyBackupFiles.move(temporary, to: target.path)
        try StudyBackupFiles.synchronize(parent.path)
        return Report(
            file: target.path, bytes: digest.bytes, sha256: digest.sha256, submissions: found.submissions,
            records: found.records, accounts: peopleCopy?.accounts)
    }

    /// Checks that the name is free. An existing regular file is replaced only if requested.
    private static func requireFree(_ path: String, force: Bool) throws {
        guard StudyBackupFiles.exists(path) else { return }
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard force, isFile else {
            throw ServerError(
                code: "file-exists",
                message: isFile
                    ? "There is a file \(path) already; nothing was changed. --force replaces it."
                    : "\(path) exists and is not a file; nothing was changed.")
        }
    }

    /// Writes the archive and the block after it, and syncs them.
    private static func write(
        _ manifest: StudyBackupManifest, of files: [String], to path: String, at date: Date
    ) throws -> (bytes: Int64, sha256: String) {
        let descriptor = try StudyBackupFiles.create(path)
        defer { close(descriptor) }
        let writer = try StudyBackupWriter(
            descriptor: descriptor, path: path, names: manifest.members.map(\.path), at: date)
        let data = manifest.data
        guard data.count <= StudyBackupManifest.largestManifest else { throw StudyBackupSources.tooLarge }
        try writer.add(StudyBackupManifest.name, data)
        for (member, file) in zip(manifest.members, files) {
            try writer.add(member.path, file: file, bytes: member.bytes)
        }
        try writer.finish()
        var hash = SHA256()
        var bytes: Int64 = 0
        try StudyBackupFiles.each(path) { piece in
            hash.update(bufferPointer: piece)
            bytes += Int64(piece.count)
        }
        let seal = seal(Hexadecimal.text(hash.finalize()))
        try seal.withUnsafeBytes { try StudyBackupFiles.write($0, to: descriptor, path) }
        guard fsync(descriptor) == 0 else { throw StudyBackupFiles.failure(path) }
        hash.update(data: seal)
        return (bytes + Int64(seal.count), Hexadecimal.text(hash.finalize()))
    }

    // MARK: - Shared by backup and restore

    /// Returns the block after the end of the archive, as long as a block of the archive.
    static func seal(_ sha256: String) -> Data {
        var block = Data("tributary-backup sha256 \(sha256)\n".utf8)
        block.append(Data(repeating: 0, count: 512 - block.count))
        return block
    }

    static func damaged(_ how: String) -> ServerError {
        ServerError(
            code: "backup-damaged",
            message:
                "The file is no backup, or is cut or damaged: \(how). Nothing was changed; take another copy of it.")
    }

    /// The state of two stores.
    struct StoresState: Sendable {
        let state: QueueState
        let submissions: Int
        let records: Int
    }

    /// Checks two stores of this version.
    private static func checkedState(
        queue: Store, records: Store, studyID: String
    ) async throws -> StoresState {
        let first = try await queue.open().closing {
            try await $0.read { (try QueueState.read(in: $0), try submissions(in: $0)) }
        }
        let second = try await records.open().closing {
            try await $0.read { (try queueID(in: $0), try self.records(in: $0)) }
        }
        guard first.0.studyID ?? studyID == studyID, second.0 ?? first.0.queueID == first.0.queueID else {
            throw StorageError(
                code: "queue-of-another-study",
                message:
                    "The queue and the records do not belong together; see \"queue\" and \"database\" in study.json.")
        }
        return StoresState(state: first.0, submissions: first.1, records: second.1)
    }

    static func submissions(in transaction: any SQLTransaction) throws -> Int {
        Int(try transaction.first("SELECT count(*) AS rows FROM submission")?.integer("rows") ?? 0)
    }

    static func records(in transaction: any SQLTransaction) throws -> Int {
        Int(try transaction.first("SELECT count(*) AS rows FROM record WHERE deleted = 0")?.integer("rows") ?? 0)
    }

    /// Returns the id of the queue that records belong to; nil if they had none yet.
    static func queueID(in transaction: any SQLTransaction) throws -> String? {
        try transaction.first("SELECT queue_id FROM records_state WHERE id = 1")?.text("queue_id")
    }
}
