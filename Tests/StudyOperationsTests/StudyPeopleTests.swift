import AccessPolicy
import Accounts
import Audit
import FHIR
import Foundation
import Storage
import Submissions
import TestSupport
import Testing

@testable import StudyFiles
@testable import StudyOperations

/// Backups, moves, sizes and deletions of the store of account holders.
@Suite struct StudyPeopleTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let site = Actor(id: "team", role: .site)

    // MARK: - Backup and restore

    @Test func restoredPeopleStoreHasItsRowsAndANewIdentity() async throws {
        try await withStudy { root, stores, accounts in
            try await write(stores) { transaction in
                for statement in [
                    """
                    INSERT INTO access_authorization (id, client_id, scopes, created_at, expires_at)
                    SELECT 'a', id, 'account', 't', 't' FROM registered_client
                    """,
                    """
                    INSERT INTO bearer_token (token_digest, authorization_id, scopes, created_at, expires_at)
                    VALUES ('d', 'a', 'account', 't', 't')
                    """,
                    "INSERT INTO refresh_token (token_digest, authorization_id, created_at) VALUES ('r', 'a', 't')",
                ] {
                    try transaction.execute(statement)
                }
            }
            let file = root.appendingPathComponent("b.tar").path
            let report = try await StudyBackup.write(stores, to: file, at: now)
            #expect(report.accounts == accounts.count)
            #expect(try manifest(file)["version"]?.integer == 2)
            let target = root.appendingPathComponent("again").path
            let restored = try await StudyBackup.restore(file, into: target, at: now)
            #expect(restored.accounts == accounts.count && restored.accountsDeletedAgain == 0)
            let again = try StudyStores(StudyFolder(path: target))
            let path = try #require(again.people?.path)
            #expect(path == target + "/data/people.sqlite")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: target + "/data").sorted()
                    == ["people.sqlite", "records.sqlite"])
            let ended: Set = [
                "people_state", "account_code", "access_authorization", "bearer_token", "refresh_token",
            ]
            let before = try await dump(stores)
            let after = try await dump(again)
            for (table, rows) in before where !ended.contains(table) { #expect(after[table] == rows, "\(table)") }
            #expect(before["person"]?.count == accounts.count && before["mail_message"]?.count == accounts.count)
            for table in ended.subtracting(["people_state"]) {
                #expect(before[table]?.isEmpty == false, "\(table)")
                #expect(after[table] == [], "\(table)")
            }
            // The counter of changes continues, with another identity, key and process of care plans, and the mark of a restore.
            let (old, new) = (before["people_state"]?.first ?? [], after["people_state"]?.first ?? [])
            #expect(old.count == 6 && old.indices.filter { old[$0] != new[$0] }.count == 4)
        }
    }

    @Test func backupOfAStudyWithoutAccountsHasTheFormerFormat() async throws {
        try await withStudy(accounts: nil) { root, stores, _ in
            let file = root.appendingPathComponent("b.tar").path
            #expect(try await StudyBackup.write(stores, to: file, at: now).accounts == nil)
            let manifest = try manifest(file)
            #expect(manifest["version"]?.integer == 1)
            #expect(manifest["members"]?.array?.contains { $0["path"]?.string == "people.sqlite" } == false)
            let target = root.appendingPathComponent("again").path
            let restored = try await StudyBackup.restore(file, into: target, at: now)
            #expect(restored.accounts == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: target + "/data") == ["records.sqlite"])
        }
    }

    @Test func studyWhosePeopleStoreIsMissingIsNotBackedUp() async throws {
        try await withStudy { root, stores, _ in
            try FileManager.default.removeItem(atPath: try #require(stores.people?.path))
            let refused = await #expect(throws: StorageError.self) {
                try await StudyBackup.write(stores, to: root.appendingPathComponent("b.tar").path, at: now)
            }
            #expect(refused?.code == "storage-missing")
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == ["study"])
        }
    }

    @Test func damagedPeopleStoreIsNotRestored() async throws {
        try await withStudy { root, stores, _ in
            func copy(_ store: Store?) async throws -> Data {
                let path = root.appendingPathComponent("copy").path
                try await store?.copy(to: path)
                defer { try? FileManager.default.removeItem(atPath: path) }
                return try Data(contentsOf: URL(fileURLWithPath: path))
            }
            let state = try await stores.withQueue { try await $0.read { try QueueState.read(in: $0) } }
            let others: [(String, Data)] = [
                ("queue.sqlite", try await copy(stores.queue)), ("records.sqlite", try await copy(stores.records)),
                ("study/study.json", try Data(contentsOf: stores.folder.configurationURL)),
            ]
            let people = try await copy(stores.people)
            var torn = people
            for index in stride(from: 8192, to: torn.count - 4096, by: 4096) { torn[index] = 0xFF }
            let cases: [(Data, String?)] = [
                (people, nil), (Data("no database".utf8), "backup-damaged"), (torn, "backup-damaged"),
                (others[1].1, "backup-damaged"),
            ]
            for (index, (data, code)) in cases.enumerated() {
                let entries = others + [("people.sqlite", data)]
                let file = root.appendingPathComponent("\(index).tar").path
                let target = root.appendingPathComponent("again-\(index)").path
                let members = try entries.map { name, data in
                    let part = root.appendingPathComponent("part")
                    try data.write(to: part)
                    let digest = try StudyBackupFiles.digest(part.path)
                    return StudyBackupManifest.Member(path: name, bytes: digest.bytes, sha256: digest.sha256)
                }
                let manifest = StudyBackupManifest(
                    studyID: "s", time: "t", queueID: state.queueID, epoch: state.epoch, members: members)
                try StudyBackupTests.seal(manifest, entries, to: file, at: now)
                do {
                    _ = try await StudyBackup.restore(file, into: target, at: now)
                    #expect(code == nil, "\(index)")
                } catch {
                    #expect((error as? ServerError)?.code == code, "\(index): \(error)")
                    #expect(!FileManager.default.fileExists(atPath: target))
                }
            }
        }
    }

    // MARK: - Deletion

    @Test func accountDeletedAfterABackupIsDeletedAgain() async throws {
        try await withStudy { root, stores, accounts in
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            #expect(try await delete(accounts[0], in: stores) == 1)
            let list = stores.folder.deletionListURL.path
            let target = root.appendingPathComponent("again").path
            let restored = try await StudyBackup.restore(file, into: target, deletions: list, at: now)
            #expect(restored.accounts == 1 && restored.accountsDeletedAgain == 1)
            #expect(restored.deletedAgain == 0 && restored.hasDeletionList)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: target + "/data").sorted()
                    == ["people.sqlite", "records.sqlite"])
            let again = try StudyStores(StudyFolder(path: target))
            let rows = try await dump(again)
            #expect(rows["person"]?.count == 1 && rows["user_account"]?.count == 1)
            #expect(rows["mail_message"]?.count == 1 && rows["participant_deletion"]?.count == 1)
            #expect(try files(with: "p0@example.org", below: root) == ["b.tar"])
            #expect(try files(with: "p1@example.org", below: root).contains("again/data/people.sqlite"))
            // Without the list, the account is back, as the report shows.
            let without = try await StudyBackup.restore(file, into: root.path + "/without", at: now)
            #expect(without.accounts == 2 && !without.hasDeletionList)
        }
    }

    @Test func deletionsOfTheBackupAreAddedToTheList() async throws {
        try await withStudy { root, stores, accounts in
            #expect(try await delete(accounts[0], in: stores) == 1)
            let list = try #require(try StudyDeletionList.read(stores.folder.deletionListURL, studyID: "s"))
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            let target = root.appendingPathComponent("again").path
            let restored = try await StudyBackup.restore(file, into: target, at: now)
            #expect(restored.hasDeletionList && restored.accounts == 1 && restored.accountsDeletedAgain == 0)
            #expect(
                try StudyDeletionList.read(StudyFolder(path: target).deletionListURL, studyID: "s") == list)
            // A list with another key belongs to other stores.
            let other = root.appendingPathComponent("other.json")
            try StudyDeletionList(studyID: "s", key: Data(repeating: 7, count: 32)).write(to: other)
            let refused = await #expect(throws: ServerError.self) {
                try await StudyBackup.restore(file, into: root.path + "/refused", deletions: other.path, at: now)
            }
            #expect(refused?.code == "deletions-mismatch")
            #expect(!FileManager.default.fileExists(atPath: root.path + "/refused"))
        }
    }

    @Test func lostListIsMadeAgainWithTheKeyOfThePeopleStore() async throws {
        try await withStudy { _, stores, accounts in
            #expect(try await delete(accounts[0], in: stores) == 1)
            let list = try #require(try StudyDeletionList.read(stores.folder.deletionListURL, studyID: "s"))
            #expect(try await stores.deletionKeyOfPeople() == list.key)
            try FileManager.default.removeItem(at: stores.folder.deletionListURL)
            #expect(try await delete(accounts[1], in: stores) == 1)
            let again = try #require(try StudyDeletionList.read(stores.folder.deletionListURL, studyID: "s"))
            #expect(again.key == list.key)
        }
    }

    @Test func deletionRemovesTheFileOfAMovedStore() async throws {
        try await withStudy { root, stores, accounts in
            let former = try #require(stores.people?.path)
            _ = try await StudyMove.run(stores.folder, people: "elsewhere/people.sqlite", at: now)
            let moved = try StudyStores(stores.folder)
            #expect(try files(with: "p0@example.org", below: root).contains("study/data/people.sqlite"))
            #expect(try await delete(accounts[0], in: moved) == 1)
            #expect(try files(with: "p0@example.org", below: root) == [])
            #expect(!FileManager.default.fileExists(atPath: former))
        }
    }

    // MARK: - Location and size

    @Test func movedPeopleStoreIsUsedFromItsNewLocation() async throws {
        try await withStudy { _, stores, accounts in
            let before = try await dump(stores)
            let report = try await StudyMove.run(stores.folder, people: "elsewhere/people.sqlite", at: now)
            #expect(report.queue == nil && report.records == nil)
            #expect(report.people?.rows?["person"] == accounts.count)
            let moved = try StudyStores(stores.folder)
            #expect(moved.people?.path == stores.folder.url.appendingPathComponent("elsewhere/people.sqlite").path)
            #expect(try await dump(moved) == before)
            let refused = await #expect(throws: StorageError.self) { try await stores.openPeople().close() }
            #expect(refused?.code == "storage-moved")
            let same = await #expect(throws: ServerError.self) {
                try await StudyMove.run(stores.folder, people: "elsewhere/people.sqlite", at: now)
            }
            #expect(same?.code == "move-nowhere")
        }
    }

    @Test func studyWithoutAccountsHasNoPeopleStoreToMoveOrMeasure() async throws {
        try await withStudy(accounts: nil) { _, stores, _ in
            let refused = await #expect(throws: ServerError.self) {
                try await StudyMove.run(stores.folder, people: "elsewhere/people.sqlite", at: now)
            }
            #expect(refused?.code == "accounts-missing")
            let measured = try await StudyStorage.measure(stores)
            #expect(measured.people == nil)
            #expect(!FileManager.default.fileExists(atPath: stores.folder.defaultPeopleURL.path))
        }
    }

    @Test func sizeOfThePeopleStoreIsMeasured() async throws {
        try await withStudy { _, stores, accounts in
            let size = try #require(try await StudyStorage.measure(stores).people)
            let person = try #require(size.tables.first { $0.name == "person" })
            #expect(person.rows == Int64(accounts.count) && person.bytes > 0)
            #expect(size.tables.contains { $0.name == "mail_message" } && size.totalBytes > 0)
        }
    }

    @Test func peopleStoreIsCreatedWhenAStudyGetsAccountsAndUnusedAfterwards() async throws {
        try await withStudy(accounts: nil) { _, stores, _ in
            #expect(try await stores.migrate().people == nil)
            try change(stores.folder) { $0["accounts"] = ["groups": ["main"]] }
            let with = try StudyStores(stores.folder)
            #expect(try await with.migrate().people?.steps.isEmpty == false)
            let file = try #require(with.people?.path)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            let listed = try await with.withPeople { try await $0.list(by: site) }
            #expect(listed.isEmpty)
            try change(stores.folder) { $0["accounts"] = nil }
            let without = try StudyStores(stores.folder)
            #expect(without.people == nil)
            #expect(try await without.migrate().people == nil)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)).count >= bytes.count)
            let refused = await #expect(throws: ServerError.self) { try await without.openPeople().close() }
            #expect(refused?.code == "accounts-missing")
        }
    }
}

extension StudyPeopleTests {
    @Test func anInterruptedDeletionIsCompletedByTheNextCall() async throws {
        try await withStudy { root, stores, accounts in
            // The process ended after the rows were deleted, and before the files were rewritten.
            try await stores.withPeople(clock: clock()) {
                try await $0.requestDeletion(of: accounts[0], by: site)
            }
            try await stores.openPeople().closing { people in
                try await AccountDeletion.delete(
                    accounts[0], at: now, key: Data(repeating: 1, count: 32), work: AccountDeletion.filesRemain,
                    completedAt: nil, in: people)
                let isOpen = try await people.read { try !DeletionRegister().unfinished(in: $0).isEmpty }
                #expect(isOpen)
                try await people.write { _ = try $0.execute("DELETE FROM mail_message") }
                #expect(try await AccountDeletion(stores, people: people, clock: clock(after: 1)).run() == 0)
                let entries = try await people.read { try DeletionRegister().all(in: $0) }
                #expect(entries.map(\.work) == [nil])
                #expect(entries.map(\.completedAt) == [now + 1])
            }
            #expect(try files(with: "p0@example.org", below: root).isEmpty)
        }
    }
}

// MARK: - Test studies

extension StudyPeopleTests {
    /// Passes a study with accounts `p0@example.org`, `p1@example.org`, or without accounts for nil.
    private func withStudy(
        accounts: Int? = 2, _ body: (URL, StudyStores, [String]) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        var study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study")
        if accounts != nil { study.accounts = AccountsConfiguration() }
        try folder.make(study, antispam: "a-secret-word", now: now)
        let stores = try StudyStores(folder)
        _ = try await stores.migrate()
        try await stores.withBoth { queue, records in
            _ = try await StudyStores.claim(queue: queue, records: records, studyID: "s")
        }
        var made: [String] = []
        for number in 0..<(accounts ?? 0) {
            made.append(
                try await stores.withPeople(clock: clock()) {
                    try await $0.create(email: "p\(number)@example.org", group: nil, by: site)
                })
        }
        try await body(temporary.url, stores, made)
    }

    private func clock(after seconds: TimeInterval = 0) -> @Sendable () -> Date {
        let date = now.addingTimeInterval(seconds)
        return { date }
    }

    /// Requests the deletion of an account, and runs the job when the notice has waited long enough.
    private func delete(_ account: String, in stores: StudyStores) async throws -> Int {
        try await stores.withPeople(clock: clock()) { try await $0.requestDeletion(of: account, by: site) }
        return try await stores.openPeople().closing { people in
            let deletion = AccountDeletion(stores, people: people, clock: clock(after: 601))
            let count = try await deletion.run()
            // The notice was sent meanwhile.
            try await people.write {
                _ = try $0.execute("DELETE FROM mail_message WHERE recipient NOT IN (SELECT email FROM person)")
            }
            try await stores.people?.compact()
            return count
        }
    }

    private func write(_ stores: StudyStores, _ body: @escaping @Sendable (any SQLTransaction) throws -> Void)
        async throws
    {
        try await stores.openPeople().closing { try await $0.write { try body($0) } }
    }

    /// Returns all rows of the people store.
    private func dump(_ stores: StudyStores) async throws -> [String: [[SQLValue]]] {
        try await stores.openPeople().closing { try await $0.read { try TableDump.rows(in: $0) } }
            .filter { !["schema_migration", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4"].contains($0.key) }
    }

    private func manifest(_ file: String) throws -> JSON {
        let reader = try StudyBackupReader(path: file)
        #expect(try reader.next() == StudyBackupManifest.name)
        var bytes = Data()
        try reader.each(limit: 1 << 20) { bytes.append(contentsOf: $0) }
        return try JSON(bytes)
    }

    /// Returns the files below a folder that contain a text, by their paths.
    private func files(with text: String, below root: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().filter { name in
            let path = root.appendingPathComponent(name).path
            guard !StudyBackupFiles.isFolder(path) else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    private func change(_ folder: StudyFolder, _ change: (inout JSONObject) -> Void) throws {
        var json = try #require(try JSON(Data(contentsOf: folder.configurationURL)).object)
        change(&json)
        try Data(JSON.object(json).text(.pretty).utf8).write(to: folder.configurationURL)
    }
}
