import AccessPolicy
import Audit
import Consumer
import DeviceGateway
import Enrolments
import Foundation
import Permissions
import Storage
import Submissions

extension StudyDeletion {
    /// The result of repeating deletions.
    struct RepeatedDeletions: Sendable {
        /// The number of deleted participants.
        var count = 0
        /// The number of deleted accounts.
        var accounts = 0
        /// The number of remaining resources; nil if none was deleted.
        var records: Int?
        /// The study's list, with the deletions that the backup contains; nil if nothing was ever deleted.
        var list: StudyDeletionList?
    }

    /// Repeats the deletions that were made after a backup, in the restored stores, before any other process opens
    /// them.
    ///
    /// - Parameters:
    ///   - list: the study's list; nil if none was found.
    static func deleteAgain(
        in stores: StudyStores, by list: StudyDeletionList?, actor: Actor, at date: Date
    ) async throws -> RepeatedDeletions {
        let study = try stores.folder.configuration()
        let present = try await register(of: stores)
        if list?.deletions.isEmpty ?? true, present.entries.allSatisfy({ $0.completedAt != nil }) {
            guard let key = list?.key ?? present.key else { return RepeatedDeletions() }
            if let other = present.key, other != key { throw mismatch }
            var own = StudyDeletionList(studyID: study.id, key: key)
            own.add(present.entries)
            return RepeatedDeletions(list: own)
        }
        var list = list ?? StudyDeletionList(studyID: study.id, key: present.key ?? Data())
        if let key = present.key, key != list.key { throw mismatch }
        list.add(present.entries)
        // The stores may be those of an older version.
        _ = try await stores.migrate()
        let known = list
        let (count, left) = try await stores.withBoth { queue, records in
            let count = try await deleteAgain(
                known, keeps: study.keepOnDelete, actor: actor, queue: queue, records: records, at: date)
            return (count, try await records.read { try StudyBackup.records(in: $0) })
        }
        _ = try await removeCopies(of: stores)
        // A backup is restored to files.
        for path in [stores.queue, stores.records].compactMap(\.path) {
            try SQLiteDatabase.compact(path: path)
            try SQLiteDatabase.settle(path: path)
            try? FileManager.default.removeItem(atPath: path + ".lock")
        }
        return RepeatedDeletions(count: count, records: left, list: list)
    }

    private static func deleteAgain(
        _ list: StudyDeletionList, keeps: Set<KeptOnDelete>, actor: Actor, queue: any SQLDatabase,
        records: any SQLDatabase, at date: Date
    ) async throws -> Int {
        let access = EnrolmentStore(database: records, clock: { date })
        let key = list.key
        let register = DeletionRegister()
        try await records.write { try register.claim(key: key, in: $0) }
        // 1. Participants in the stores who were deleted.
        var count = 0
        for participant in try await records.read({ try ParticipantDeletion.known(in: $0) }).sorted() {
            let digest = DeletionRegister.digest(of: participant, key: key)
            guard let deletedAt = list.deletions[digest] else { continue }
            let found = try await records.read { transaction in
                (
                    isDeleted: try register.entry(digest: digest, in: transaction) != nil,
                    isKnown: try ParticipantDeletion.isKnown(participant, in: transaction),
                    stretches: try access.stretches(of: participant, in: transaction)
                )
            }
            // Data that was kept by a deletion in the backup stays kept.
            guard !found.isDeleted else { continue }
            guard found.isKnown else {
                _ = try await records.write { transaction in
                    _ = try others(of: participant, at: date, in: transaction)
                    return try EnrolmentStore.forget(participant, keepsAudit: keeps.contains(.audit), in: transaction)
                }
                continue
            }
            let queued = try await queue.read { try SQLSubmissionQueue.digest(found.stretches, in: $0) }
            let deletion = ParticipantDeletion(
                access: access, actor: actor, keeps: keeps, reason: nil,
                others: { try StudyDeletion.others(of: $0, at: date, in: $1) })
            _ = try await records.write { transaction in
                try deletion.delete(participant, key: key, queued: queued, at: deletedAt, in: transaction)
            }
            count += 1
        }
        // 2. Unfinished work of these deletions, and of a deletion that was in progress during the backup.
        for entry in try await records.read({ try register.all(in: $0) }) {
            guard let work = entry.work else { continue }
            let account = try ParticipantDeletion.Account(text: work)
            _ = try await StudyDeletion.empty(account, digest: entry.digest, queue: queue, records: records, at: date)
        }
        // 3. All participants of the list are registered as deleted, so that repeated submissions of their phones are
        //   refused.
        let deletions = list.deletions
        try await records.write { transaction in
            for (digest, deletedAt) in deletions.sorted(by: { $0.key < $1.key }) {
                try register.record(
                    digest: digest, deletedAt: deletedAt, work: nil, completedAt: date, in: transaction)
            }
        }
        return count
    }

    /// Returns the deletions in a store of this version or of an older one.
    private static func register(
        of stores: StudyStores
    ) async throws -> (key: Data?, entries: [DeletionRegister.Entry]) {
        guard let path = stores.records.path else { return (nil, []) }
        let database = try await SQLiteDatabase.open(
            path: path, migrations: [], schema: .exact, permissions: StudyStores.recordsPermissions)
        let found: (key: Data?, entries: [DeletionRegister.Entry]) = try await database.closing {
            database in
            try await database.read { transaction in
                let register = DeletionRegister()
                return (try register.key(in: transaction), try register.all(in: transaction))
            }
        }
        // Opening created a log, and only the file is published.
        try SQLiteDatabase.settle(path: path)
        return found
    }
}
