import AccessPolicy
import Audit
import Consumer
import Core
import DeviceGateway
import Enrolments
import FHIR
import Foundation
import Permissions
import Storage
import StudyFiles
import Submissions

/// Deletes participants from a study: from both stores, their copies of earlier states, and the files in which the
/// stores keep deleted data. Creates a signed report.
///
/// The participant's digest is added to the study's list before anything is deleted. Then their records are deleted,
/// then the contents of the queue, then the traces in files. If the process is interrupted, the next call completes
/// the deletion, with the same report.
package struct StudyDeletion: Sendable {
    /// The result of a deletion.
    package struct Result: Sendable, Hashable {
        /// The number of deleted rows by table; `copies` are files.
        package let removed: [String: Int]
        /// The number of kept rows by kind; `submission` are rows of the queue without content.
        package let kept: [String: Int]
        /// The name of the report's file.
        package let report: String
    }

    private let stores: StudyStores
    private let actor: Actor
    private let clock: @Sendable () -> Date

    /// - Parameter actor: the account of the machine that deletes.
    package init(_ stores: StudyStores, actor: Actor, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.stores = stores
        self.actor = actor
        self.clock = clock
    }

    private var folder: StudyFolder { stores.folder }

    /// Deletes a participant.
    ///
    /// - Parameter reason: the reason for the report; it must not name the participant.
    /// - Throws: ``ServerError`` `participant-invalid`, `reason-names-participant`, `deletion-running`,
    ///   `keys-missing`, `deletions-mismatch`; ``Consumer/ConsumerError`` `participant-unknown`,
    ///   `participant-deleted`; ``StudyKeys/StudyKeyError`` `file-unwritable`; ``Storage/StorageError`` `storage-full`. After these errors nothing
    ///   was deleted. After any other error it must be called again.
    package func delete(_ participant: String, reason: String? = nil) async throws -> Result {
        guard Resource.isID(participant) else {
            throw ServerError(
                code: "participant-invalid",
                message: "The participant is named by the id of their Patient: up to 64 letters, digits, - and .")
        }
        if let reason, reason.contains(participant) {
            throw ServerError(
                code: "reason-names-participant", message: "The reason is part of the report, which names no one.")
        }
        let study = try folder.configuration()
        // 1. The report's folder, its signer, and space to rewrite the stores.
        guard let lock = try Self.takeLock(folder) else {
            throw ServerError(code: "deletion-running", message: "Another deletion is running; wait until it ends.")
        }
        defer { withExtendedLifetime(lock) {} }
        let signer = try StudyDeletionSigner(folder)
        let size = [stores.queue, stores.records].compactMap(\.fileSize).max() ?? 0
        for store in [stores.queue, stores.records] { try store.requireSpace(size * 2 + (16 << 20)) }
        // 2. Both stores, one after the other.
        let (digest, account) = try await stores.withBoth { queue, records in
            try await stores.withLinks { links in
                try await erase(
                    participant, study: study, reason: reason, queue: queue, records: records, links: links)
            }
        }
        // 3. The files: copies of earlier states, then the remains in the stores themselves.
        let copies = try await Self.removeCopies(of: stores)
        // The records' store already reports the exports as gone to their clients.
        try Self.removeExports(of: folder)
        try await stores.records.compact()
        try await stores.queue.compact()
        if StudyBackupFiles.exists(stores.linksPath) { try await stores.links.compact() }
        // 4. The report, and the entry that nothing is left to do.
        let report = StudyDeletionReport(digest: digest, studyID: study.id, account: account, copies: copies)
        let file = try signer.write(report, into: folder.deletionsURL)
        let now = clock()
        try await stores.withBoth { _, records in
            try await records.write { transaction in
                try DeletionRegister().record(
                    digest: digest, deletedAt: account.deletedAt, work: nil, completedAt: now, in: transaction)
            }
        }
        var removed = account.removed.mapValues(\.count)
        removed["copies"] = copies.count
        return Result(removed: removed, kept: account.kept.mapValues(\.count), report: file.path)
    }

    /// Deletes the remaining data in both stores, and records the progress.
    private func erase(
        _ participant: String, study: StudyConfiguration, reason: String?, queue: any SQLDatabase,
        records: any SQLDatabase, links: LinkStore?
    ) async throws -> (digest: String, account: ParticipantDeletion.Account) {
        let access = EnrolmentStore(database: records, clock: clock)
        let now = clock()
        // 1. The participant and the progress of an earlier call.
        let known = try await records.read { transaction in
            let register = DeletionRegister()
            return (
                key: try register.key(in: transaction), entry: try register.entry(of: participant, in: transaction),
                all: try register.all(in: transaction),
                isKnown: try ParticipantDeletion.isKnown(participant, in: transaction),
                stretches: try access.stretches(of: participant, in: transaction)
            )
        }
        if known.entry?.completedAt != nil {
            throw ConsumerError(
                code: DeletionRegister.code,
                message: "The participant was deleted already; the report is in deletions/.")
        }
        guard known.entry != nil || known.isKnown else { throw ConsumerError.participantUnknown }
        // 2. The list outside of the stores, before anything is deleted.
        var list: StudyDeletionList
        if let written = try StudyDeletionList.read(folder.deletionListURL, studyID: study.id) {
            list = written
        } else {
            // One list has one key for participants and accounts.
            var key = known.key
            if key == nil { key = try await stores.deletionKeyOfPeople() }
            list = StudyDeletionList(studyID: study.id, key: key ?? Data(SystemRandom.bytes(32)))
        }
        if let key = known.key, key != list.key { throw Self.mismatch }
        let key = list.key
        let digest = DeletionRegister.digest(of: participant, key: key)
        list.add(known.all)
        list.add(digest, at: now)
        try list.write(to: folder.deletionListURL)
        // 3. The records, in one transaction.
        var account: ParticipantDeletion.Account
        if let work = known.entry?.work {
            account = try ParticipantDeletion.Account(text: work)
        } else {
            let queued = try await queue.read { try SQLSubmissionQueue.digest(known.stretches, in: $0) }
            let deletion = ParticipantDeletion(
                access: access, actor: actor, keeps: study.keepOnDelete, reason: reason,
                others: { try StudyDeletion.others(of: $0, at: now, in: $1) })
            account = try await records.write { transaction in
                try deletion.delete(participant, key: key, queued: queued, links: links, at: now, in: transaction)
            }
        }
        // 4. The links, which are never assigned to the participant again; the queue, and entries made meanwhile.
        try await links?.delete(participant: participant)
        account = try await Self.empty(account, digest: digest, queue: queue, records: records, at: now)
        return (digest, account)
    }

    /// Deletes the data of the gateway and the permissions of a participant.
    static func others(
        of participant: String, at date: Date, in transaction: any SQLTransaction
    ) throws -> [String: RowsDigest] {
        var removed = try GatewayDeletion.delete(participant: participant, in: transaction)
        removed.merge(try PermissionStore().forget(participant, at: date, in: transaction)) { _, new in new }
        return removed
    }

    /// Deletes the queue's data of a participant who is no longer in the records.
    static func empty(
        _ account: ParticipantDeletion.Account, digest: String, queue: any SQLDatabase, records: any SQLDatabase,
        at date: Date
    ) async throws -> ParticipantDeletion.Account {
        let stretches = account.stretches
        try await queue.write { transaction in
            try SQLSubmissionQueue.empty(stretches, reason: DeletionRegister.code, at: date, in: transaction)
        }
        return try await records.write { try ParticipantDeletion.settle(account, digest: digest, in: $0) }
    }

    /// Deletes the copies of earlier states next to the stores, and the files of stores that were moved to another
    /// location.
    static func removeCopies(of stores: StudyStores) async throws -> [String] {
        let files = [
            StudyStores.queue(at: .file(stores.folder.defaultQueueURL.path)),
            StudyStores.records(at: .file(stores.folder.defaultRecordsURL.path)),
        ]
        var copies = Set((files + [stores.queue, stores.records, stores.links]).flatMap(\.copies))
        for file in files where try await file.isMoved() {
            copies.formUnion(["", "-wal", "-shm"].compactMap { end in file.path.map { $0 + end } })
        }
        let present = copies.filter { StudyBackupFiles.exists($0) }.sorted()
        for copy in present {
            do {
                try FileManager.default.removeItem(atPath: copy)
            } catch {
                throw StudyBackupFiles.failure(copy)
            }
        }
        return present.map { URL(fileURLWithPath: $0).lastPathComponent }
    }

    /// Deletes the files of all exports, which contain all participants.
    static func removeExports(of folder: StudyFolder) throws {
        let exports = folder.exportsURL.path
        guard StudyBackupFiles.isFolder(exports) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: exports) where UUID(text: name) != nil {
            let path = folder.exportsURL.appendingPathComponent(name).path
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // A server may have deleted the files first.
                guard !StudyBackupFiles.exists(path) else { throw StudyBackupFiles.failure(path) }
            }
        }
    }

    static let mismatch = ServerError(
        code: "deletions-mismatch",
        message: "The list of deleted participants belongs to another study than the records.")

    /// Creates and locks the folder of the list and the reports, for the owner only. One process at a time deletes.
    static func takeLock(_ folder: StudyFolder) throws -> StoreLock? {
        let path = folder.deletionsURL.path
        if !StudyBackupFiles.exists(path) { try StudyBackupFiles.makeFolder(path, permissions: 0o700) }
        guard StudyBackupFiles.isFolder(path) else {
            throw ServerError(
                code: "file-unwritable", message: "deletions must be a folder, for the reports of deletions.")
        }
        return try StoreLock(folder: path)
    }
}
