import FHIR
import Foundation
import Storage
import Submissions
import TestSupport
import Testing

@testable import StudyFiles
@testable import StudyOperations

@Suite struct StudyBackupTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    // MARK: - Backup and restore

    @Test func aRestoredStudyHasTheSameRowsAndBeginsANewEpoch() async throws {
        try await withStudy { root, stores in
            let file = root.appendingPathComponent("b.tar").path
            let report = try await StudyBackup.write(stores, to: file, at: now)
            #expect(report.submissions == 5)
            #expect(report.records == 2)
            #expect(report.bytes == Int64(try bytes(file).count))
            #expect(report.sha256 == (try StudyBackupFiles.digest(file).sha256))
            let target = root.appendingPathComponent("again")
            let restored = try await StudyBackup.restore(file, into: target.path, at: now)
            #expect(restored.submissions == 5)
            #expect(restored.records == 2)
            let folder = StudyFolder(path: target.path)
            let again = try StudyStores(folder)
            #expect(try await dump(again.queuePath) == dump(stores.queuePath))
            #expect(try await dump(again.recordsPath) == dump(stores.recordsPath))
            let seals = try await again.openRecords().closing { records in
                try await records.read { try $0.query("SELECT kind FROM audit_seal").map { try $0.text("kind") } }
            }
            #expect(seals.first == "restored")
            let before = try await state(stores)
            let after = try await state(again)
            #expect(after.queueID == before.queueID)
            #expect(after.epoch > before.epoch)
            #expect(after.epoch == restored.epoch)
            // A second restore of the same backup has another epoch.
            let third = try await StudyBackup.restore(
                file, into: root.appendingPathComponent("third").path, at: now.addingTimeInterval(60))
            #expect(third.epoch > restored.epoch)
        }
    }

    @Test func restoredFilesHaveTheirBytesAndModes() async throws {
        try await withStudy { root, stores in
            let folder = stores.folder
            try Data("a".utf8).write(to: folder.questionnairesURL.appendingPathComponent("größe.json"))
            let nested = folder.profilesURL.appendingPathComponent("of/others", isDirectory: true)
            try FileManager.default.createDirectory(at: nested, withIntermediateDirectories: true)
            try Data("b".utf8).write(to: nested.appendingPathComponent(String(repeating: "n", count: 180) + ".json"))
            try Data("{}".utf8).write(to: folder.healthTypesURL)
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            #expect(try mode(file) == 0o600)
            let target = root.appendingPathComponent("deep/er/again")
            _ = try await StudyBackup.restore(file, into: target.path, at: now)
            let restored = StudyFolder(path: target.path)
            let left = try files(folder.url).filter {
                !$0.hasPrefix("keys/") && !$0.hasPrefix("queue/") && !$0.hasPrefix("data/") && $0 != ".gitignore"
            }
            #expect(left.count >= 6)
            #expect(Set(try files(target)) == Set(left + ["queue/queue.sqlite", "data/records.sqlite"]))
            for name in left {
                #expect(
                    try bytes(target.appendingPathComponent(name).path)
                        == bytes(folder.url.appendingPathComponent(name).path), "\(name)")
            }
            #expect(try mode(restored.antispamURL.path) == 0o600)
            #expect(try mode(restored.configurationURL.path) == 0o644)
            #expect(try mode(restored.dataURL.path) == 0o700)
            #expect(try mode(restored.defaultRecordsURL.path) == 0o600)
            #expect(try mode(target.appendingPathComponent("queue").path) == 0o2770)
            #expect(try mode(restored.defaultQueueURL.path) == 0o660)
        }
    }

    @Test func restoreClearsLeasesAndBeginnings() async throws {
        try await withStudy { root, stores in
            let queue = try await stores.openQueue()
            _ = try await queue.write { transaction in
                try transaction.execute(
                    "UPDATE submission SET lease = 3, lease_owner = 'gone', lease_until = ?, begun = 2 WHERE number = 1",
                    [SQLValue(Date(timeIntervalSince1970: 1_890_000_000))])
            }
            try await queue.close()
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            let target = root.appendingPathComponent("again").path
            _ = try await StudyBackup.restore(file, into: target, at: now)
            let opened = try await StudyStores(StudyFolder(path: target)).openQueue()
            let leased = try await SQLSubmissionQueue(database: opened)
                .lease(owner: "new", limit: 10, duration: 60, now: now, isIdle: true)
            try await opened.close()
            #expect(leased.map(\.number) == [1])
        }
    }

    @Test func accessOfAppsDoesNotSurviveARestore() async throws {
        try await withStudy { root, stores in
            let records = try await stores.openRecords()
            try await records.write { transaction in
                for statement in [
                    "INSERT INTO registered_client (id, name, scopes, created_at) VALUES ('c', 'App', 'user/*.rs', 't')",
                    """
                    INSERT INTO access_authorization (id, client_id, scopes, created_at, expires_at)
                    VALUES ('a', 'c', 'user/*.rs', 't', 't')
                    """,
                    """
                    INSERT INTO bearer_token (token_digest, authorization_id, scopes, created_at, expires_at)
                    VALUES ('d', 'a', 'user/*.rs', 't', 't')
                    """,
                    "INSERT INTO refresh_token (token_digest, authorization_id, created_at) VALUES ('r', 'a', 't')",
                ] {
                    try transaction.execute(statement)
                }
            }
            try await records.close()
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            let target = root.appendingPathComponent("again").path
            _ = try await StudyBackup.restore(file, into: target, at: now)
            let opened = try await StudyStores(StudyFolder(path: target)).openRecords()
            let left = try await opened.read { transaction in
                try ["registered_client", "access_authorization", "bearer_token", "refresh_token"].map {
                    try transaction.query("SELECT 1 AS one FROM \($0)").count
                }
            }
            try await opened.close()
            #expect(left == [1, 0, 0, 0])
        }
    }

    @Test func permissionsEndWithARestore() async throws {
        try await withStudy { root, stores in
            let records = try await stores.openRecords()
            try await records.write { transaction in
                for statement in [
                    "INSERT INTO registered_client (id, name, scopes, created_at) VALUES ('c', 'App', '', 't')",
                    "INSERT INTO csi (guid, device_id, created_at) VALUES ('c', 'd', 't')",
                    """
                    INSERT INTO permission_request (id, csi, path, public_key, body, received_at)
                    VALUES ('r', 'w', '/permission/writePermission', 'k', 'x', '2026-01-01T00:00:00.000Z')
                    """,
                    """
                    INSERT INTO access_permission (id, request_id, grantor, grantee, participant, access, resource_types,
                        confidentiality, sensitivities, starts_at, ends_at, created_at)
                    VALUES ('p', 'r', '6a7b8c9d-0000-0000-0000-000000000001', '6a7b8c9d-0000-0000-0000-000000000002',
                        'anna', 'read', '*', 'N', '', '2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z',
                        '2026-01-01T00:00:00.000Z')
                    """,
                    """
                    INSERT INTO access_authorization (id, client_id, scopes, created_at, expires_at, permission_changes)
                    VALUES ('a', 'c', '', 't', 't', 0)
                    """,
                    "INSERT INTO token_permission (authorization_id, permission_id) VALUES ('a', 'p')",
                ] {
                    try transaction.execute(statement)
                }
            }
            try await records.close()
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            let target = root.appendingPathComponent("again").path
            _ = try await StudyBackup.restore(file, into: target, at: now)
            let opened = try await StudyStores(StudyFolder(path: target)).openRecords()
            let (ended, carried) = try await opened.read { transaction in
                (
                    try transaction.first("SELECT ended_at FROM access_permission")?.dateIfPresent("ended_at"),
                    try transaction.query("SELECT 1 AS one FROM token_permission").count
                )
            }
            try await opened.close()
            #expect(ended == now && carried == 0)
        }
    }

    @Test func restoredStoresAreInTheFolderForAnyFormerLocation() async throws {
        try await withStudy { root, stores in
            var json = try #require(try JSON(bytes(stores.folder.configurationURL.path)).object)
            json["queue"] = .string("sqlite:" + stores.queuePath)
            json["database"] = .string(stores.recordsPath)
            try Data(JSON.object(json).text(.pretty).utf8).write(to: stores.folder.configurationURL)
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(try StudyStores(stores.folder), to: file, at: now)
            let target = StudyFolder(path: root.appendingPathComponent("again").path)
            _ = try await StudyBackup.restore(file, into: target.url.path, at: now)
            let again = try StudyStores(target)
            #expect(again.queuePath == target.defaultQueueURL.path)
            #expect(again.recordsPath == target.defaultRecordsURL.path)
        }
    }

    @Test func aBackupIsOneStateWhileOthersWrite() async throws {
        try await withStudy { root, stores in
            let queue = try await stores.openQueue()
            let records = try await stores.openRecords()
            let writing = _Concurrency.Task {
                var number = 100
                while !_Concurrency.Task.isCancelled {
                    number += 1
                    let id = number
                    // In the consumer's order: the records first, then the queue.
                    try await queue.write { try Self.insertSubmission(id, "received", in: $0) }
                    try await records.write { try Self.insertSettlement(id, in: $0) }
                    try await queue.write {
                        try $0.execute("DELETE FROM submission_body WHERE number = ?", [SQLValue(id)])
                        try $0.execute("UPDATE submission SET status = 'stored' WHERE number = ?", [SQLValue(id)])
                    }
                }
            }
            for round in 0..<5 {
                let file = root.appendingPathComponent("b\(round).tar").path
                _ = try await StudyBackup.write(stores, to: file, at: now)
                let target = root.appendingPathComponent("again\(round)").path
                _ = try await StudyBackup.restore(file, into: target, at: now)
                let again = try StudyStores(StudyFolder(path: target))
                let stored = try await column(
                    again.queuePath, "SELECT submission_id FROM submission WHERE status = 'stored'")
                let settled = try await column(again.recordsPath, "SELECT submission_id FROM settlement")
                #expect(Set(stored).subtracting(["s-stored"]).isSubset(of: settled))
            }
            writing.cancel()
            do { try await writing.value } catch is CancellationError {}
            try await queue.close()
            try await records.close()
        }
    }

    // MARK: - Excluded content and refused targets

    @Test func noPrivateKeyIsInABackup() async throws {
        try await withStudy { root, stores in
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            let backup = try bytes(file)
            #expect(backup.range(of: Data("PRIVATE KEY".utf8)) == nil)
            var lines = 0
            let keys = stores.folder.keys.url
            for name in try files(keys) {
                let text = String(decoding: try bytes(keys.appendingPathComponent(name).path), as: UTF8.self)
                for line in text.split(separator: "\n") where !line.hasPrefix("-") && line.count >= 40 {
                    lines += 1
                    #expect(backup.range(of: Data(line.utf8)) == nil, "\(name)")
                }
            }
            #expect(lines > 10)
            // Nor a key at an unexpected path.
            let names = try files(root)
            let key = try #require(try files(keys).first { $0.hasSuffix(".pem") })
            let strayed = stores.folder.receiptRootsURL.appendingPathComponent("root.pem")
            try FileManager.default.createSymbolicLink(
                at: strayed, withDestinationURL: keys.appendingPathComponent(key))
            let error = await #expect(throws: ServerError.self) {
                try await StudyBackup.write(stores, to: root.appendingPathComponent("c.tar").path, at: now)
            }
            #expect(error?.code == "backup-private-key")
            try FileManager.default.removeItem(at: strayed)
            #expect(try files(root) == names)
        }
    }

    @Test func fileIsReplacedOnlyWithForceAndAFolderNever() async throws {
        try await withStudy { root, stores in
            let file = root.appendingPathComponent("b.tar")
            try Data("mine".utf8).write(to: file)
            let error = await #expect(throws: ServerError.self) {
                try await StudyBackup.write(stores, to: file.path, at: now)
            }
            #expect(error?.code == "file-exists")
            #expect(try bytes(file.path) == Data("mine".utf8))
            _ = try await StudyBackup.write(stores, to: file.path, force: true, at: now)
            #expect(try mode(file.path) == 0o600)
            let folder = await #expect(throws: ServerError.self) {
                try await StudyBackup.write(stores, to: stores.folder.url.path, force: true, at: now)
            }
            #expect(folder?.code == "file-exists")
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.path).sorted() == ["b.tar", "study"])
        }
    }

    @Test func mismatchedStoresAreNotBackedUp() async throws {
        try await withStudy { root, stores in
            let records = try await stores.openRecords()
            try await records.write { _ = try $0.execute("UPDATE records_state SET queue_id = 'another'") }
            try await records.close()
            let error = await #expect(throws: StorageError.self) {
                try await StudyBackup.write(stores, to: root.appendingPathComponent("b.tar").path, at: now)
            }
            #expect(error?.code == "queue-of-another-study")
            try FileManager.default.removeItem(atPath: stores.recordsPath)
            let missing = await #expect(throws: StorageError.self) {
                try await StudyBackup.write(stores, to: root.appendingPathComponent("b.tar").path, at: now)
            }
            #expect(missing?.code == "storage-missing")
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == ["study"])
        }
    }

    @Test func aStudyIsNeverOverwrittenByARestore() async throws {
        try await withStudy { root, stores in
            let file = root.appendingPathComponent("b.tar").path
            _ = try await StudyBackup.write(stores, to: file, at: now)
            let before = try files(stores.folder.url)
            let error = await #expect(throws: ServerError.self) {
                try await StudyBackup.restore(file, into: stores.folder.url.path, at: now)
            }
            #expect(error?.code == "study-exists")
            #expect(try files(stores.folder.url) == before)
            for name in ["queue", "data", "consent"] {
                let target = root.appendingPathComponent("half-\(name)")
                try FileManager.default.createDirectory(
                    at: target.appendingPathComponent(name), withIntermediateDirectories: true)
                let error = await #expect(throws: ServerError.self) {
                    try await StudyBackup.restore(file, into: target.path, at: now)
                }
                #expect(error?.code == "study-exists")
                #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [name])
            }
            // Restored keys alone are not a study.
            let keyed = root.appendingPathComponent("keyed")
            try FileManager.default.createDirectory(at: keyed, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: stores.folder.keys.url, to: keyed.appendingPathComponent("keys"))
            _ = try await StudyBackup.restore(file, into: keyed.path, at: now)
            #expect(try StudyFolder(path: keyed.path).configuration().id == "s")
        }
    }

    // MARK: - Damage

    @Test func truncatedOrChangedBackupIsDetectedAndLeavesNothing() async throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        try await withStudy { root, stores in
            let file = root.appendingPathComponent("b.tar")
            _ = try await StudyBackup.write(stores, to: file.path, at: now)
            let whole = try bytes(file.path)
            let target = root.appendingPathComponent("again").path
            let damaged = root.appendingPathComponent("d.tar")
            for round in 0..<100 {
                var data = whole
                if round < 50 {
                    data = data.prefix(Int.random(in: 0..<whole.count, using: &random))
                } else {
                    data[Int.random(in: 0..<whole.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
                try data.write(to: damaged)
                let error = await #expect(throws: ServerError.self, "round \(round), seed \(seed)") {
                    try await StudyBackup.restore(damaged.path, into: target, at: now)
                }
                #expect(error?.code == "backup-damaged", "round \(round), seed \(seed)")
                #expect(
                    Set(try FileManager.default.contentsOfDirectory(atPath: root.path)) == ["study", "b.tar", "d.tar"],
                    "round \(round), seed \(seed)")
            }
        }
    }

    @Test func validArchiveThatIsNotABackupRestoresNothing() async throws {
        try await withStudy { root, stores in
            let queue = root.appendingPathComponent("q").path
            let records = root.appendingPathComponent("r").path
            try SQLiteDatabase.copy(path: stores.queuePath, to: queue)
            try SQLiteDatabase.copy(path: stores.recordsPath, to: records)
            let good: [(String, Data)] = [
                ("queue.sqlite", try bytes(queue)), ("records.sqlite", try bytes(records)),
                ("study/study.json", try bytes(stores.folder.configurationURL.path)),
            ]
            let state = try await state(stores)
            func attempt(
                _ entries: [(String, Data)], listing members: [(String, Data)]? = nil, study: String = "s",
                epoch: Int64? = nil
            ) async throws -> String? {
                let file = root.appendingPathComponent("made.tar").path
                let target = root.appendingPathComponent("again")
                try? FileManager.default.removeItem(atPath: file)
                let manifest = StudyBackupManifest(
                    studyID: study, time: "t", queueID: state.queueID, epoch: epoch ?? state.epoch,
                    members: try (members ?? entries).map { name, data in
                        let temporary = root.appendingPathComponent("m").path
                        try data.write(to: URL(fileURLWithPath: temporary))
                        let digest = try StudyBackupFiles.digest(temporary)
                        return StudyBackupManifest.Member(path: name, bytes: digest.bytes, sha256: digest.sha256)
                    })
                try Self.seal(manifest, entries, to: file, at: now)
                do {
                    _ = try await StudyBackup.restore(file, into: target.path, at: now)
                    try FileManager.default.removeItem(at: target)
                    return nil
                } catch {
                    #expect(!FileManager.default.fileExists(atPath: target.path))
                    #expect(!FileManager.default.fileExists(atPath: root.appendingPathComponent("evil.json").path))
                    return (error as? ServerError)?.code ?? (error as? StorageError)?.code
                }
            }
            #expect(try await attempt(good) == nil)
            // 1. Names that lead out of the folder, or that no backup contains.
            for name in [
                "../evil.json", "study/../../evil.json", "/evil.json", "study/consent/../../../evil.json",
                "study/keys/evil.json", "study/consent", "study/consent/.hidden", "study//consent/a", "keys/a",
                "study/queue/a",
            ] {
                #expect(try await attempt(good + [(name, Data("e".utf8))]) == "backup-damaged", "\(name)")
                #expect(
                    try await attempt(good + [(name, Data("e".utf8))], listing: good) == "backup-damaged", "\(name)")
            }
            // 2. Members that differ from the manifest.
            let form = ("study/consent/a.json", Data("form".utf8))
            #expect(try await attempt(good + [form]) == nil)
            #expect(try await attempt(good, listing: good + [form]) == "backup-damaged")
            #expect(try await attempt(good + [form, form], listing: good + [form]) == "backup-damaged")
            #expect(
                try await attempt(good + [(form.0, Data("from".utf8))], listing: good + [form]) == "backup-damaged")
            #expect(try await attempt(good, study: "another") == "backup-damaged")
            #expect(try await attempt(good, epoch: state.epoch + 1) == "backup-damaged")
            #expect(try await attempt(Array(good.dropFirst())) == "backup-damaged")
            // 3. Files that are not databases, or of other programs, or damaged.
            var other = good
            other[0].1 = Data("no database".utf8)
            #expect(try await attempt(other) == "backup-damaged")
            other[0].1 = good[1].1
            #expect(try await attempt(other) == "backup-damaged")
            other = good
            for index in stride(from: 8192, to: other[1].1.count - 4096, by: 4096) { other[1].1[index] = 0xFF }
            #expect(try await attempt(other) == "backup-damaged")
            // 4. A database of a newer version has its own error.
            let database = try await SQLiteDatabase.open(path: queue, migrations: [], schema: .exact)
            try await database.write {
                _ = try $0.execute("INSERT INTO schema_migration (number, name, applied_at) VALUES (799, 'later', 't')")
            }
            try await database.close()
            try SQLiteDatabase.settle(path: queue)
            other = good
            other[0].1 = try bytes(queue)
            #expect(try await attempt(other) == "storage-schema-newer")
        }
    }

    @Test func missingFileIsNotReportedAsDamage() async throws {
        let error = await #expect(throws: FileAccessError.self) {
            try await StudyBackup.restore("/nowhere/b.tar", into: "/nowhere/study", at: now)
        }
        #expect(error?.code == "file-unreadable")
    }
}

// MARK: - Test studies

extension StudyBackupTests {
    /// Passes a study whose stores have rows.
    private func withStudy(_ body: (URL, StudyStores) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url
        let folder = StudyFolder(path: root.appendingPathComponent("study").path)
        let study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study", development: true)
        try folder.make(study, antispam: "a-secret-word", now: now)
        let stores = try StudyStores(folder)
        _ = try await stores.migrate()
        let queue = try await stores.openQueue()
        let records = try await stores.openRecords()
        _ = try await StudyStores.claim(queue: queue, records: records, studyID: "s")
        try await queue.write { transaction in
            try transaction.execute("INSERT INTO enrolment (id, receipt_digest, created_at) VALUES ('lane', 'r', 't')")
            try transaction.execute(
                "INSERT INTO client (id, enrolment_id, secret_digest, created_at) VALUES ('client', 'lane', 'd', 't')")
            for (index, status) in ["received", "stored", "held", "refused", "quarantined"].enumerated() {
                try Self.insertSubmission(index + 1, status, named: "s-\(status)", in: transaction)
            }
        }
        try await records.write { transaction in
            try transaction.execute(
                """
                INSERT INTO record_source (number, submission_id, client_id, received_at, received_number, stored_at)
                VALUES (1, 's-stored', 'client', 't', 0, 't')
                """)
            for (number, deleted) in [(1, 0), (2, 0), (3, 1)] {
                try transaction.execute(
                    """
                    INSERT INTO record (number, type, id, version, subject, updated_ms, deleted)
                    VALUES (?, 'Observation', ?, 1, 'p', 0, ?)
                    """, [SQLValue(number), SQLValue("o\(number)"), SQLValue(deleted)])
                try transaction.execute(
                    """
                    INSERT INTO record_version (number, version, content, digest, source) VALUES (?, 1, ?, ?, 1)
                    """,
                    [
                        SQLValue(number), SQLValue(Data(repeating: UInt8(number), count: 5000)),
                        SQLValue(Data("d".utf8)),
                    ])
            }
        }
        try await queue.close()
        try await records.close()
        try await body(root, stores)
    }

    private static func insertSubmission(
        _ number: Int, _ status: String, named name: String? = nil, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO submission (number, client_id, lane, submission_id, digest, format, size, received_at, status,
                changed_at, change) VALUES (?, 'client', 'lane', ?, 'd', 'jwe', 3, ?, ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(name ?? "s-\(number)"), SQLValue(Date(timeIntervalSince1970: 1_789_000_000)),
                SQLValue(status), SQLValue(Date(timeIntervalSince1970: 1_789_000_000)), SQLValue(number),
            ])
        guard status != "stored", status != "refused" else { return }
        try transaction.execute(
            "INSERT INTO submission_body (number, body) VALUES (?, ?)",
            [SQLValue(number), SQLValue(Data([1, 2, UInt8(truncatingIfNeeded: number)]))])
    }

    private static func insertSettlement(_ number: Int, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO settlement (lane, submission_id, digest, number, status, releases_held, settled_at)
            VALUES ('lane', ?, 'd', ?, 'stored', 0, 't')
            """, [SQLValue("s-\(number)"), SQLValue(number)])
    }

    static func seal(
        _ manifest: StudyBackupManifest, _ entries: [(String, Data)], to file: String, at date: Date
    ) throws {
        let descriptor = try StudyBackupFiles.create(file)
        defer { StudyBackupFiles.end(descriptor) }
        let writer = try StudyBackupWriter(
            descriptor: descriptor, path: file, names: entries.map(\.0), at: date)
        try writer.add(StudyBackupManifest.name, manifest.data)
        for (name, data) in entries { try writer.add(name, data) }
        try writer.finish()
        let seal = StudyBackup.seal(try StudyBackupFiles.digest(file).sha256)
        try seal.withUnsafeBytes { try StudyBackupFiles.write($0, to: descriptor, file) }
    }

    private func state(_ stores: StudyStores) async throws -> QueueState {
        let queue = try await stores.openQueue()
        let state = try await queue.read { try QueueState.read(in: $0) }
        try await queue.close()
        return state
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func mode(_ path: String) throws -> Int {
        let number = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return try #require(number).intValue
    }

    /// Returns the paths of the files below a folder, sorted.
    private func files(_ url: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted().filter {
            !StudyBackupFiles.isFolder(url.appendingPathComponent($0).path)
        }
    }

    private func column(_ path: String, _ sql: String) async throws -> [String] {
        let database = try await SQLiteDatabase.open(path: path, migrations: [], schema: .exact, permissions: 0o600)
        let values = try await database.read { try $0.query(sql).map { try $0.text("submission_id") } }
        try await database.close()
        return values
    }

    /// Returns all rows of all tables except for the queue's state.
    private func dump(_ path: String) async throws -> [String: [[SQLValue]]] {
        let database = try await SQLiteDatabase.open(path: path, migrations: [], schema: .exact, permissions: 0o600)
        let rows = try await database.read { try TableDump.rows(in: $0, except: ["queue_state", "audit_seal"]) }
        try await database.close()
        return rows
    }
}

/// The rows of a database's tables, for comparisons.
enum TableDump {
    static func rows(in transaction: any SQLTransaction, except: Set<String> = []) throws -> [String: [[SQLValue]]] {
        var found: [String: [[SQLValue]]] = [:]
        for table in try transaction.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            let name = try table.text("name")
            guard !except.contains(name) else { continue }
            let columns = try transaction.query("SELECT name FROM pragma_table_info(?)", [SQLValue(name)])
                .map { try $0.text("name") }
            let order = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            found[name] = try transaction.query("SELECT * FROM \(name) ORDER BY \(order)").map { row in
                columns.map { row[$0] }
            }
        }
        return found
    }
}
