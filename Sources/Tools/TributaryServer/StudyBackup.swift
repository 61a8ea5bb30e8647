import Core
import Crypto
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A backup of a study in one file, made while its server works: both stores and the study's files, no private key.
///
/// The file is a tar (`manifest.json`, `queue.sqlite`, `records.sqlite`, `study/...`) with a block behind its end that
/// holds the SHA-256 of all before it, so that a file that was cut or changed anywhere is known before any of it is used.
///
/// The queue is copied first, the records after it: what the queue's copy says was stored is in the records' copy, and
/// what came between the two is sent again by the phones and known again by its settlement.
public enum StudyBackup {
    /// A report of the backup that was made.
    public struct Report: Sendable, Hashable {
        /// The file's path.
        public let file: String
        public let bytes: Int64
        /// Of the whole file; lower-case hex.
        public let sha256: String
        /// The rows of the queue's copy.
        public let submissions: Int
        /// The resources of the records' copy that are not deleted.
        public let records: Int
    }

    /// Makes a backup. The file is durable and whole when this returns, readable by its owner alone.
    ///
    /// - Parameters:
    ///   - force: whether a file of this name is replaced.
    ///   - date: now.
    /// - Throws: ``ServerError`` `file-exists`, `backup-private-key`, `backup-too-large`, `file-unwritable`;
    ///   ``Storage/StorageError`` of a store that is missing or not of this version, `queue-of-another-study`,
    ///   `storage-full`. Then nothing was made, and a file of this name stands as it was.
    public static func write(
        _ stores: StudyStores, to path: String, force: Bool = false, at date: Date
    ) async throws -> Report {
        let target = URL(fileURLWithPath: path)
        let studyID = try stores.folder.configuration().id
        try requireFree(target.path, force: force)
        // 1. Both stores are there, of this version, and belong together: asked before anything large is done.
        _ = try await standing(queue: stores.queue, records: stores.records, studyID: studyID)
        // 2. Room for the copies and for the file.
        let files = try StudyBackupSources.files(of: stores.folder)
        let size = files.reduce((stores.queue.fileSize ?? 0) + (stores.records.fileSize ?? 0)) {
            $0 + (StudyBackupFiles.size($1.path) ?? 0)
        }
        try StoreMigration.requireSpace(size * 2 + (16 << 20), besides: target.path)
        // 3. The copies, in a folder that nobody else can look into.
        let parent = target.deletingLastPathComponent()
        let place = try StudyBackupStaging(for: target, of: stores.folder)
        let staging = place.folder
        defer { place.remove() }
        let queueCopy = staging.appendingPathComponent(StudyBackupManifest.queue).path
        let recordsCopy = staging.appendingPathComponent(StudyBackupManifest.records).path
        try await stores.queue.copy(to: queueCopy)
        try await stores.records.copy(to: recordsCopy)
        let found = try await standing(
            queue: .init(
                at: .file(queueCopy), migrations: stores.queue.migrations, schema: .queue, permissions: (0o600, 0o700)),
            records: .init(
                at: .file(recordsCopy), migrations: stores.records.migrations, schema: .records,
                permissions: (0o600, 0o700)), studyID: studyID)
        var sources: [(name: String, path: String)] = [
            (StudyBackupManifest.queue, queueCopy), (StudyBackupManifest.records, recordsCopy),
        ]
        for copy in [queueCopy, recordsCopy] { try SQLiteDatabase.settle(path: copy) }
        sources += try StudyBackupSources.copy(files, into: staging)
        // 4. One file of them, which gets its name when it is whole and on disk.
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
            records: found.records)
    }

    /// A file of the name is replaced only when told to, and nothing else ever is.
    private static func requireFree(_ path: String, force: Bool) throws {
        guard StudyBackupFiles.exists(path) else { return }
        var status = stat()
        let isFile = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard force, isFile else {
            throw ServerError(
                code: "file-exists",
                message: isFile
                    ? "There is a file \(path) already; nothing was changed. --force replaces it."
                    : "\(path) is there and is no file; nothing was changed.")
        }
    }

    /// Writes the archive and the block behind it, and syncs them.
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

    // MARK: - What both ways share

    /// The block behind the end of the archive, as long as one of its own.
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

    /// The state that two stores tell of themselves.
    struct Standing: Sendable {
        let state: QueueState
        let submissions: Int
        let records: Int
    }

    /// Looks at two stores of this version.
    private static func standing(
        queue: Store, records: Store, studyID: String
    ) async throws -> Standing {
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
        return Standing(state: first.0, submissions: first.1, records: second.1)
    }

    static func submissions(in transaction: any SQLTransaction) throws -> Int {
        Int(try transaction.first("SELECT count(*) AS rows FROM submission")?.integer("rows") ?? 0)
    }

    static func records(in transaction: any SQLTransaction) throws -> Int {
        Int(try transaction.first("SELECT count(*) AS rows FROM record WHERE deleted = 0")?.integer("rows") ?? 0)
    }

    /// The queue that records belong to; nil before they had one.
    static func queueID(in transaction: any SQLTransaction) throws -> String? {
        try transaction.first("SELECT queue_id FROM records_state WHERE id = 1")?.text("queue_id")
    }
}
