import Consumer
import Core
import DeviceGateway
import FHIR
import Foundation
import Storage
import Trust

/// Deletes participants from a study: from both stores, the copies of earlier states beside them and the files in which the
/// stores keep what was deleted; and proves it by a signed report.
///
/// The participant's digest stands in the study's list before anything is deleted, then the records go, then what the queue
/// has, then the traces in files. Whatever stops it, the next one ends it, with the same report.
public struct StudyDeletion: Sendable {
    /// The result, as it is told.
    public struct Result: Sendable, Hashable {
        /// By their tables, the rows that went; `copies` are files.
        public let removed: [String: Int]
        /// The rows that stayed, by what they are; `submission` are those of the queue that say nothing any more.
        public let kept: [String: Int]
        /// The report's file.
        public let report: String
    }

    private let stores: StudyStores
    private let actor: Actor
    private let clock: @Sendable () -> Date

    /// - Parameter actor: who deletes: the machine's account.
    public init(_ stores: StudyStores, actor: Actor, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.stores = stores
        self.actor = actor
        self.clock = clock
    }

    private var folder: StudyFolder { stores.folder }

    /// Deletes a participant.
    ///
    /// - Parameter reason: for the report; it must not name them.
    /// - Throws: ``ServerError`` `participant-invalid`, `reason-names-participant`, `deletion-running`, `keys-missing`,
    ///   `deletions-mismatch`; ``Consumer/ConsumerError`` `participant-unknown`, `participant-deleted`,
    ///   `file-unwritable`; ``Storage/StorageError`` `storage-full`. Of these nothing was deleted. After any other error
    ///   it is to be called again.
    public func delete(_ participant: String, reason: String? = nil) async throws -> Result {
        guard Resource.isID(participant) else {
            throw ServerError(
                code: "participant-invalid",
                message: "The participant is named by the id of their Patient: up to 64 letters, digits, - and .")
        }
        if let reason, reason.contains(participant) {
            throw ServerError(
                code: "reason-names-participant", message: "The reason stands in the report, which names nobody.")
        }
        let study = try folder.configuration()
        // 1. Where the report will stand, who signs it, and room for the stores to be written anew.
        guard let lock = try takeLock() else {
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
        // 3. The files: copies of earlier states, then what the stores themselves left behind.
        let copies = try await Self.removeCopies(beside: stores)
        // Those who asked for them were told in the store that they are not there any more.
        try Self.removeExports(of: folder)
        try await stores.records.compact()
        try await stores.queue.compact()
        if StudyBackupFiles.exists(stores.linksPath) { try await stores.links.compact() }
        // 4. The report, and that nothing is left to do.
        let report = StudyDeletionReport(digest: digest, studyID: study.id, account: account, copies: copies)
        let file = try signer.write(report, into: folder.deletionsURL)
        let now = clock()
        try await stores.withBoth { _, records in
            try await records.write { transaction in
                try DeletionRegister().note(
                    digest: digest, deletedAt: account.deletedAt, work: nil, completedAt: now, in: transaction)
            }
        }
        var removed = account.removed.mapValues(\.count)
        removed["copies"] = copies.count
        return Result(removed: removed, kept: account.kept.mapValues(\.count), report: file.path)
    }

    /// Deletes in both stores what is left, and notes how far it came.
    private func erase(
        _ participant: String, study: StudyConfiguration, reason: String?, queue: any SQLDatabase,
        records: any SQLDatabase, links: LinkStore?
    ) async throws -> (digest: String, account: ParticipantDeletion.Account) {
        let access = AccessControl(database: records, clock: clock)
        let now = clock()
        // 1. Who is it, and how far was it done?
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
                message: "The participant was deleted already; the report stands in deletions/.")
        }
        guard known.entry != nil || known.isKnown else { throw ConsumerError.participantUnknown }
        // 2. The list that outlives the stores: before anything is deleted.
        var list =
            try StudyDeletionList.read(folder.deletionListURL, studyID: study.id)
            ?? StudyDeletionList(studyID: study.id, key: known.key ?? Data(AccessControl.systemRandom(32)))
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
                others: { try GatewayDeletion.delete(participant: $0, in: $1) })
            account = try await records.write { transaction in
                try deletion.delete(participant, key: key, queued: queued, links: links, at: now, in: transaction)
            }
        }
        // 4. The links, of which none becomes theirs any more; the queue, and what was noted of it meanwhile.
        try await links?.delete(participant: participant)
        account = try await Self.empty(account, digest: digest, queue: queue, records: records, at: now)
        return (digest, account)
    }

    /// Empties what the queue has of a participant whom the records have no more.
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

    /// Removes the copies of earlier states that lie beside the stores, and the files of stores that were moved away.
    static func removeCopies(beside stores: StudyStores) async throws -> [String] {
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

    /// Removes the files of all exports, which tell of everybody.
    static func removeExports(of folder: StudyFolder) throws {
        let place = folder.exportsURL.path
        guard StudyBackupFiles.isFolder(place) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: place) where UUID(text: name) != nil {
            let path = folder.exportsURL.appendingPathComponent(name).path
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                // A server that saw the same may have been first.
                guard !StudyBackupFiles.exists(path) else { throw StudyBackupFiles.failure(path) }
            }
        }
    }

    static let mismatch = ServerError(
        code: "deletions-mismatch",
        message: "The list of deleted participants belongs to another study than the records.")

    /// The folder of the list and the reports, for the owner alone; one process at a time deletes.
    private func takeLock() throws -> StoreLock? {
        let place = folder.deletionsURL.path
        if !StudyBackupFiles.exists(place) { try StudyBackupFiles.makeFolder(place, permissions: 0o700) }
        guard StudyBackupFiles.isFolder(place) else {
            throw ServerError(
                code: "file-unwritable", message: "deletions is no folder; the reports of deletions stand in one.")
        }
        return try StoreLock(folder: place)
    }
}
