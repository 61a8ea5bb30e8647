import Accounts
import Audit
import Consumer
import Core
import Foundation
import Storage
import StudyFiles

/// Deletes the accounts whose deletion was requested: from the people store, the links to them, and the mails in files.
///
/// The digest of the account is added to the study's list before anything is deleted, so that a restore of an older
/// backup deletes the account again. If the process is interrupted, the next call completes the deletion.
package struct AccountDeletion: Sendable {
    /// Seconds for which a deletion waits until the notice of it is sent.
    static let noticePatience: TimeInterval = 600
    /// Progress of a deletion whose rows are deleted, and whose remains are in files.
    static let filesRemain = "files"

    private let stores: StudyStores
    private let people: any SQLDatabase
    private let clock: @Sendable () -> Date

    /// - Parameter people: the open people store.
    package init(_ stores: StudyStores, people: any SQLDatabase, clock: @escaping @Sendable () -> Date) {
        self.stores = stores
        self.people = people
        self.clock = clock
    }

    /// Deletes the accounts whose deletion was requested.
    ///
    /// - Returns: the number of deleted accounts.
    /// - Throws: ``ServerError`` `deletions-mismatch`, `deletion-running`; ``Storage/StorageError``. The call must be
    ///   repeated.
    package func run() async throws -> Int {
        let now = clock()
        let (requests, isUnfinished) = try await people.read { transaction in
            let requests = try PeopleStore.deletionRequests(in: transaction).filter {
                !$0.hasNotice || now.timeIntervalSince($0.requestedAt) >= Self.noticePatience
            }
            return (requests, try !DeletionRegister().unfinished(in: transaction).isEmpty)
        }
        guard !requests.isEmpty || isUnfinished else { return 0 }
        guard let lock = try StudyDeletion.takeLock(stores.folder) else {
            throw ServerError(code: "deletion-running", message: "Another deletion is running; wait until it ends.")
        }
        defer { withExtendedLifetime(lock) {} }
        if !requests.isEmpty { try await delete(requests, now: now) }
        try await deleteFiles()
        try await people.write { transaction in
            let register = DeletionRegister()
            for entry in try register.unfinished(in: transaction) {
                try register.record(
                    digest: entry.digest, deletedAt: entry.deletedAt, work: nil, completedAt: now, in: transaction)
            }
        }
        return requests.count
    }

    private func delete(_ requests: [PeopleStore.DeletionRequest], now: Date) async throws {
        let study = try stores.folder.configuration()
        // 1. The list outside of the stores, before anything is deleted.
        var list = try await list(of: study)
        for request in requests {
            list.add(DeletionRegister.digest(of: request.account, key: list.key), at: request.requestedAt)
        }
        try list.write(to: stores.folder.deletionListURL)
        // 2. The links, the mails and the account. Without its row, the address of the mails is not known any more.
        try await stores.withLinks { links in
            for request in requests { try await links?.delete(record: request.account) }
        }
        for request in requests {
            try Self.removeMails(to: request.email, in: stores.folder.mailURL)
            try await Self.delete(
                request.account, at: request.requestedAt, key: list.key, work: Self.filesRemain, completedAt: nil,
                in: people)
        }
    }

    /// Deletes the remains in the stores' files.
    private func deleteFiles() async throws {
        for copy in try await formerFiles() where StudyBackupFiles.exists(copy) {
            do { try FileManager.default.removeItem(atPath: copy) } catch { throw StudyBackupFiles.failure(copy) }
        }
        try await stores.people?.compact()
        if StudyBackupFiles.exists(stores.linksPath) { try await stores.links.compact() }
    }

    /// Returns the copies of earlier states next to the people store, and the files of a store that was moved to another
    /// location.
    private func formerFiles() async throws -> Set<String> {
        let file = StudyStores.people(at: .file(stores.folder.defaultPeopleURL.path))
        var files = Set(file.copies + (stores.people?.copies ?? []))
        if try await file.isMoved() {
            files.formUnion(["", "-wal", "-shm"].compactMap { end in file.path.map { $0 + end } })
        }
        return files
    }

    /// Returns the study's list; a new one with the key of the stores if there is none.
    private func list(of study: StudyConfiguration) async throws -> StudyDeletionList {
        if let list = try StudyDeletionList.read(stores.folder.deletionListURL, studyID: study.id) { return list }
        var key = try await people.read { try DeletionRegister().key(in: $0) }
        if key == nil {
            key = try await stores.withRecords { records in
                try await records.read { try DeletionRegister().key(in: $0) }
            }
        }
        return StudyDeletionList(studyID: study.id, key: key ?? Data(SystemRandom.bytes(32)))
    }

    /// Deletes an account from the people store, and registers its deletion there.
    ///
    /// - Parameter work: nil if nothing is left to do.
    static func delete(
        _ account: String, at requestedAt: Date, key: Data, work: String?, completedAt: Date?,
        in people: any SQLDatabase
    ) async throws {
        try await people.write { transaction in
            let register = DeletionRegister()
            try register.claim(key: key, in: transaction)
            try PeopleStore.delete(account, in: transaction)
            try register.record(
                digest: DeletionRegister.digest(of: account, key: key), deletedAt: requestedAt, work: work,
                completedAt: completedAt, in: transaction)
        }
    }

    /// Deletes the accounts of a restored store that the list contains, and the mails to them: their owners were
    /// notified by the first deletion.
    ///
    /// - Returns: the number of deleted accounts.
    static func deleteAgain(
        in people: any SQLDatabase, by list: StudyDeletionList, now: Date
    ) async throws -> Int {
        var count = 0
        var last = ""
        while true {
            let after = last
            let accounts = try await people.read { try PeopleStore.accountIDs(after: after, limit: 500, in: $0) }
            for account in accounts {
                guard let deletedAt = list.deletions[DeletionRegister.digest(of: account, key: list.key)] else {
                    continue
                }
                try await people.write { try PeopleStore.deleteMails(to: account, in: $0) }
                try await delete(account, at: deletedAt, key: list.key, work: nil, completedAt: now, in: people)
                count += 1
            }
            guard let end = accounts.last else { return count }
            last = end
        }
    }

    /// Maximum bytes of a mail that is read.
    private static let largestMail = 1 << 20

    /// Removes the files of mails to an address.
    private static func removeMails(to address: String, in folder: URL) throws {
        for name in try FileAccess.names(in: folder) ?? [] where name.hasSuffix(".eml") {
            let file = folder.appendingPathComponent(name)
            guard StudyBackupFiles.size(file.path) ?? .max <= largestMail,
                let data = FileManager.default.contents(atPath: file.path),
                MailMessage.isAddressed(data, to: address)
            else { continue }
            do { try FileManager.default.removeItem(at: file) } catch { throw StudyBackupFiles.failure(file.path) }
        }
    }
}
