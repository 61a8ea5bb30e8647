import Foundation
import Storage
import Submissions
import TestSupport
import Testing

@testable import TributaryServer

@Suite struct StudyUpgradeTests {
    let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test func upgradeMovesEverythingToItsStore() async throws {
        try await withFormerStudy { folder in
            let report = try await StudyUpgrade.run(folder, at: now)
            #expect(report.submissions == 5)
            #expect(report.waiting == 3)
            #expect(report.devices == 3)
            #expect(report.bindings == 2)
            #expect(report.records == 1)
            let copy = try #require(report.copy)
            let data = folder.dataURL.path
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: data))
                    == ["records.sqlite", URL(fileURLWithPath: copy).lastPathComponent])
            #expect(
                try FileManager.default.contentsOfDirectory(
                    atPath: folder.defaultQueueURL.deletingLastPathComponent().path) == ["queue.sqlite"])
            #expect(try mode(folder.url.appendingPathComponent("queue").path) == 0o2770)
            #expect(try mode(folder.defaultQueueURL.path) == 0o660)
            #expect(try mode(folder.defaultRecordsURL.path) == 0o600)
            #expect(try mode(copy) == 0o600)
            let ignored = try String(contentsOf: folder.url.appendingPathComponent(".gitignore"), encoding: .utf8)
            #expect(ignored == "keys/\ndata/\nantispam.sha256\nqueue/\n")
            try await requireUpgraded(folder)
            // It is now a study of this version.
            let again = await #expect(throws: ServerError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(again?.code == "study-current")
        }
    }

    @Test func queueContainsNoParticipantsOrResources() async throws {
        try await withFormerStudy { folder in
            _ = try await StudyUpgrade.run(folder, at: now)
            let bytes = try Data(contentsOf: folder.defaultQueueURL)
            for secret in [
                "participant-1", "participant-2", "resource-hint", "version-ids", "staff-digest", "said-of-it",
            ] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
            }
            #expect(bytes.range(of: Data("sealed-1".utf8)) != nil)
        }
    }

    @Test func settledSubmissionsAreRecognisedWhenRepeated() async throws {
        try await withFormerStudy { folder in
            _ = try await StudyUpgrade.run(folder, at: now)
            let records = try await StudyStores(folder).openRecords()
            let rows = try await records.read { transaction in
                try transaction.query("SELECT * FROM settlement ORDER BY number").map { row in
                    [
                        try row.text("lane"), try row.text("submission_id"), try row.text("digest"),
                        try row.text("status"),
                    ]
                }
            }
            try await records.close()
            #expect(rows == [["device-1", "s-2", "digest-2", "stored"], ["device-2", "s-4", "digest-4", "refused"]])
        }
    }

    // MARK: - Interrupted upgrades

    @Test func upgradeStoppedBeforeTheSplitRestartsAndTheOldVersionCanContinue() async throws {
        try await withFormerStudy { folder in
            let before = try await dump(folder.formerDatabaseURL.path)
            _ = try await StudyUpgrade(folder).makeQueue()
            #expect(try await dump(folder.formerDatabaseURL.path) == before)
            #expect(throws: ServerError.self) { try StudyStores(folder) }
            // Meanwhile the older version accepted one more submission.
            try await inFormer(folder) { try Self.insertSubmission(6, "received", device: 1, in: $0) }
            let report = try await StudyUpgrade.run(folder, at: now)
            #expect(report.submissions == 6)
            try await requireUpgraded(folder, more: 1)
        }
    }

    @Test func upgradeStoppedAfterTheSplitIsCompleted() async throws {
        try await withFormerStudy { folder in
            let upgrade = try StudyUpgrade(folder)
            let marks = try await upgrade.makeQueue()
            try await upgrade.part(from: marks, at: now)
            #expect(throws: ServerError.self) { try StudyStores(folder) }
            let report = try await StudyUpgrade.run(folder, at: now)
            #expect(report.submissions == 5)
            #expect(report.copy == nil)
            try await requireUpgraded(folder)
        }
    }

    @Test func upgradeStoppedBetweenTheRenamesIsCompleted() async throws {
        try await withFormerStudy { folder in
            let upgrade = try StudyUpgrade(folder)
            let marks = try await upgrade.makeQueue()
            try await upgrade.part(from: marks, at: now)
            try FileManager.default.moveItem(atPath: upgrade.partial, toPath: upgrade.queue)
            _ = try await StudyUpgrade.run(folder, at: now)
            try await requireUpgraded(folder)
        }
    }

    @Test func missingQueueAfterTheSplitIsReported() async throws {
        try await withFormerStudy { folder in
            let upgrade = try StudyUpgrade(folder)
            let marks = try await upgrade.makeQueue()
            try await upgrade.part(from: marks, at: now)
            upgrade.removePartial()
            let error = await #expect(throws: ServerError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(error?.code == "queue-missing")
            // Another queue is not accepted either.
            let other = try await SQLiteDatabase.open(
                path: upgrade.queue, migrations: StudyStores.queueMigrations, permissions: 0o660)
            try await other.close()
            let wrong = await #expect(throws: StorageError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(wrong?.code == "queue-of-another-study")
            #expect(FileManager.default.fileExists(atPath: upgrade.former))
        }
    }

    @Test func failedUpgradeLeavesOnlyTheFormerDatabase() async throws {
        try await withFormerStudy { folder in
            let before = try await dump(folder.formerDatabaseURL.path)
            func requireAsItWas() async throws {
                #expect(throws: (any Error).self) { try StudyStores(folder) }
                #expect(!FileManager.default.fileExists(atPath: folder.defaultQueueURL.path))
                #expect(try await dump(folder.formerDatabaseURL.path) == before)
                let copies = try FileManager.default.contentsOfDirectory(atPath: folder.dataURL.path)
                    .filter { $0.contains(".before-") }
                #expect(copies == [])
            }
            // 1. The queue cannot be created.
            let upgrade = try StudyUpgrade(folder)
            try FileManager.default.createDirectory(atPath: upgrade.partial, withIntermediateDirectories: true)
            await #expect(throws: StorageError.self) { try await StudyUpgrade.run(folder, at: now) }
            try await requireAsItWas()
            try FileManager.default.removeItem(atPath: upgrade.partial)
            // 2. A late statement of the split fails.
            try await inFormer(folder) { _ = try $0.execute("CREATE TABLE settlement (id int)") }
            let error = await #expect(throws: (any Error).self) { try await StudyUpgrade.run(folder, at: now) }
            #expect((error as? StorageError)?.code == "storage-failed")
            try await inFormer(folder) { _ = try $0.execute("DROP TABLE settlement") }
            try await requireAsItWas()
            #expect(!FileManager.default.fileExists(atPath: upgrade.partial))
            // 3. Without the cause it succeeds.
            _ = try await StudyUpgrade.run(folder, at: now)
            try await requireUpgraded(folder)
        }
    }

    // MARK: - Other processes and files

    @Test func databaseOpenInAnotherProcessIsNotChanged() async throws {
        try await withFormerStudy { folder in
            let open = try await SQLiteDatabase.open(
                path: folder.formerDatabaseURL.path, migrations: [], schema: .exact)
            try await open.write { try Self.insertSubmission(6, "received", device: 1, in: $0) }
            let error = await #expect(throws: ServerError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(error?.code == "study-in-use")
            try await open.close()
            #expect(!FileManager.default.fileExists(atPath: folder.defaultQueueURL.deletingLastPathComponent().path))
            #expect(try await StudyUpgrade.run(folder, at: now).submissions == 6)
        }
    }

    @Test func submissionAfterTheCopyOfTheQueueStopsTheUpgrade() async throws {
        try await withFormerStudy { folder in
            let upgrade = try StudyUpgrade(folder)
            let marks = try await upgrade.makeQueue()
            try await inFormer(folder) { try Self.insertSubmission(6, "received", device: 1, in: $0) }
            let before = try await dump(upgrade.former)
            let error = await #expect(throws: ServerError.self) { try await upgrade.part(from: marks, at: now) }
            #expect(error?.code == "study-in-use")
            #expect(try await dump(upgrade.former) == before)
        }
    }

    @Test func secondUpgradeIsRefusedWhileOneRuns() async throws {
        try await withFormerStudy { folder in
            let lock = try #require(try StoreLock(storePath: folder.formerDatabaseURL.path))
            let error = await #expect(throws: StorageError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(error?.code == "storage-locked")
            withExtendedLifetime(lock) {}
        }
    }

    @Test func aStudyOfThisVersionIsNotUpgraded() async throws {
        try await withStudy { folder in
            for _ in 0..<2 {
                let error = await #expect(throws: ServerError.self) { try await StudyUpgrade.run(folder, at: now) }
                #expect(error?.code == "study-current")
                _ = try await StudyStores(folder).migrate()
            }
        }
    }

    @Test func existingStoreOfThisVersionIsNotOverwritten() async throws {
        try await withStudy { folder in
            _ = try await StudyStores(folder).migrate()
            try await makeFormer(folder)
            let before = try Data(contentsOf: folder.defaultQueueURL)
            let error = await #expect(throws: ServerError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(error?.code == "study-upgrade-conflict")
            #expect(try Data(contentsOf: folder.defaultQueueURL) == before)
            #expect(FileManager.default.fileExists(atPath: folder.formerDatabaseURL.path))
        }
    }

    @Test func otherDatabaseIsNotUpgraded() async throws {
        try await withStudy { folder in
            let other = try await SQLiteDatabase.open(path: folder.formerDatabaseURL.path, migrations: [])
            try await other.close()
            let error = await #expect(throws: ServerError.self) { try await StudyUpgrade.run(folder, at: now) }
            #expect(error?.code == "study-upgrade-conflict")
        }
    }

    @Test func anEvenOlderDatabaseIsBroughtToTheSameTables() async throws {
        try await withStudy { folder in
            // Before steps 201 (amounts in the audit), 401 (numbered versions) and 502 (consents).
            try await makeFormer(folder, without: [201, 401, 502])
            _ = try await StudyUpgrade.run(folder, at: now)
            try await requireUpgraded(folder)
        }
    }

    @Test func largeSubmissionsAreMovedInSlices() async throws {
        try await withFormerStudy { folder in
            try await inFormer(folder) { transaction in
                for number in 6..<4500 {
                    try Self.insertSubmission(number, number % 3 == 0 ? "stored" : "held", device: 1, in: transaction)
                }
                for number in [10, 11, 13] {
                    try transaction.execute(
                        "UPDATE submission_body SET body = ? WHERE number = ?",
                        [SQLValue(Data(repeating: 7, count: 9 << 20)), SQLValue(number)])
                }
            }
            let report = try await StudyUpgrade.run(folder, at: now)
            #expect(report.submissions == 4499)
            let queue = try await StudyStores(folder).openQueue()
            let found = try await queue.read { transaction in
                (
                    bodies: try transaction.first("SELECT count(*) AS n FROM submission_body")?.integer("n"),
                    large: try transaction.first(
                        "SELECT count(*) AS n FROM submission_body WHERE length(body) = \(9 << 20)")?
                        .integer("n"),
                    waiting: try transaction.first(
                        "SELECT count(*) AS n FROM submission WHERE status <> 'stored' AND status <> 'refused'")?
                        .integer("n")
                )
            }
            try await queue.close()
            #expect(found.bodies == found.waiting)
            #expect(found.large == 3)
        }
    }
}

// MARK: - Studies of the older version

extension StudyUpgradeTests {
    /// The queue's tables as created by versions before 0.4.
    private static let step100 = Migration(number: 100, name: "submission queue") { _ in
        [
            """
            CREATE TABLE submission (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                client_id TEXT NOT NULL,
                lane TEXT NOT NULL,
                submission_id TEXT NOT NULL,
                digest TEXT NOT NULL,
                format TEXT NOT NULL,
                sequence BIGINT,
                resource_type_hint TEXT,
                resource_id_hint TEXT,
                size BIGINT NOT NULL,
                received_at TEXT NOT NULL,
                status TEXT NOT NULL,
                changed_at TEXT NOT NULL,
                change BIGINT NOT NULL,
                attempts BIGINT NOT NULL DEFAULT 0,
                lease_owner TEXT,
                lease_until TEXT,
                reason_code TEXT,
                detail TEXT,
                subject TEXT,
                key_id TEXT,
                version_ids TEXT,
                UNIQUE (lane, submission_id))
            """,
            "CREATE INDEX submission_by_status ON submission (status, number)",
            "CREATE INDEX submission_by_change ON submission (lane, change)",
            "CREATE INDEX submission_by_client ON submission (client_id, lane)",
            "CREATE INDEX submission_by_id ON submission (submission_id)",
            "CREATE INDEX submission_by_lease ON submission (lane, lease_until) WHERE lease_owner IS NOT NULL",
            """
            CREATE TABLE submission_body (
                number BIGINT PRIMARY KEY REFERENCES submission (number),
                body BLOB NOT NULL)
            """,
            "CREATE TABLE submission_counter (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)",
            "INSERT INTO submission_counter (id, value) VALUES (1, 0)",
        ]
    }

    /// Their other steps, which the lists contain as published.
    private static let formerSteps: Set<Int> = [200, 201, 400, 401, 500, 501, 502, 600]

    func withStudy(_ body: (StudyFolder) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url.appendingPathComponent("study")
        let folder = StudyFolder(path: root.path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study"), antispam: "a-secret-word",
            now: now)
        try Data("keys/\ndata/\nantispam.sha256\n".utf8).write(to: root.appendingPathComponent(".gitignore"))
        try await body(folder)
    }

    func withFormerStudy(_ body: (StudyFolder) async throws -> Void) async throws {
        try await withStudy { folder in
            try await makeFormer(folder)
            try await body(folder)
        }
    }

    private func makeFormer(_ folder: StudyFolder, without missing: Set<Int> = []) async throws {
        let steps = StudyStores.recordsMigrations.filter {
            Self.formerSteps.contains($0.number) && !missing.contains($0.number)
        }
        let database = try await SQLiteDatabase.open(
            path: folder.formerDatabaseURL.path, migrations: [Self.step100] + steps)
        try await database.write { transaction in
            for device in 1...3 {
                let participant: String? = device < 3 ? "participant-\(device)" : nil
                try transaction.execute(
                    """
                    INSERT INTO enrolment (id, receipt_digest, participant, bound_at, created_at, last_seen_at)
                    VALUES (?, ?, ?, ?, 't1', 't2')
                    """,
                    [
                        SQLValue("device-\(device)"), SQLValue("receipt-\(device)"), SQLValue(participant),
                        SQLValue(device == 1 ? "t3" : nil),
                    ])
                for (client, revoked) in [("old", "t4"), ("new", nil)] {
                    try transaction.execute(
                        """
                        INSERT INTO client (id, enrolment_id, secret_digest, name, created_at, revoked_at)
                        VALUES (?, ?, ?, 'App', 't1', ?)
                        """,
                        [
                            SQLValue("client-\(device)-\(client)"), SQLValue("device-\(device)"),
                            SQLValue("secret-\(device)"), SQLValue(revoked),
                        ])
                }
                try transaction.execute(
                    "INSERT INTO access_token (token_digest, client_id, created_at, expires_at) VALUES (?, ?, 't1', 't9')",
                    [SQLValue("token-\(device)"), SQLValue("client-\(device)-new")])
            }
            for (index, status) in ["received", "stored", "held", "refused", "parked"].enumerated() {
                try Self.insertSubmission(
                    index + 1, status, device: index % 2 == 0 ? 1 : index < 2 ? 1 : 2, in: transaction)
            }
            try transaction.execute(
                "INSERT INTO staff_token (token_digest, id, name, created_at) VALUES ('staff-digest', 'staff', 'n', 't1')"
            )
            try transaction.execute(
                """
                INSERT INTO audit (at, action, subject, resource_type, resource_id, allowed, reason)
                VALUES ('t', 'read', 'participant-1', 'Patient', 'participant-1', 1, 'own')
                """)
            try transaction.execute(
                """
                INSERT INTO record (number, type, id, version, subject, updated_ms)
                VALUES (1, 'Observation', 'o', 1, 'participant-1', 0)
                """)
            let numbered = missing.contains(401) ? ("", "") : ("number, ", "1, ")
            try transaction.execute(
                """
                INSERT INTO record_version (\(numbered.0)type, id, version, content, digest, last_updated, submission_id,
                    client_id, received_at)
                VALUES (\(numbered.1)'Observation', 'o', 1, ?, 'd', '2026-09-01T00:00:01.000Z', 's-2', 'client-1-new', '2026-09-01T00:00:00.250Z')
                """, [SQLValue(Data("content".utf8))])
            try transaction.execute(
                """
                INSERT INTO participant_consent (subject, standing, state, client_id, updated_at)
                VALUES ('participant-1', 'active', '{}', 'client-1-new', 't')
                """)
        }
        try await database.close()
    }

    static func insertSubmission(
        _ number: Int, _ status: String, device: Int, in transaction: any SQLTransaction
    ) throws {
        let isFinal = status == "stored" || status == "refused"
        try transaction.execute("UPDATE submission_counter SET value = value + 1")
        try transaction.execute(
            """
            INSERT INTO submission (number, client_id, lane, submission_id, digest, format, sequence, resource_type_hint,
                resource_id_hint, size, received_at, status, changed_at, change, attempts, lease_owner, lease_until,
                reason_code, detail, subject, key_id, version_ids)
            VALUES (?, ?, ?, ?, ?, 'jwe', 7, 'Observation', 'resource-hint', 100, ?, ?, 't2',
                (SELECT value FROM submission_counter), 1, ?, ?, ?, ?, 'participant-1', 'key', 'version-ids')
            """,
            [
                SQLValue(number), SQLValue("client-\(device)-new"), SQLValue("device-\(device)"),
                SQLValue("s-\(number)"),
                SQLValue("digest-\(number)"), SQLValue(Date(timeIntervalSince1970: 1_780_000_000)), SQLValue(status),
                SQLValue(status == "received" ? "old-process" : nil),
                SQLValue(status == "received" ? "9999-01-01T00:00:00.000Z" : nil),
                SQLValue(status == "received" ? nil : "why"), SQLValue(isFinal ? "said-of-it" : "for the staff"),
            ])
        guard !isFinal else { return }
        try transaction.execute(
            "INSERT INTO submission_body (number, body) VALUES (?, ?)",
            [SQLValue(number), SQLValue(Data("sealed-\(number)".utf8))])
    }

    // MARK: - Expected contents

    func requireUpgraded(_ folder: StudyFolder, more: Int64 = 0) async throws {
        #expect(!FileManager.default.fileExists(atPath: folder.formerDatabaseURL.path))
        let stores = try StudyStores(folder)
        let queue = try await stores.openQueue()
        let records = try await stores.openRecords()
        let inQueue = try await queue.read { try TableDump.rows(in: $0) }
        let inRecords = try await records.read { try TableDump.rows(in: $0) }
        let state = try await StudyStores.claim(queue: queue, records: records, studyID: "s")
        // 1. The queue continues where it was.
        #expect(state.studyID == "s")
        #expect(inQueue["queue_state"]?.first?[4] == .integer(5 + more))
        #expect(inQueue["enrolment"]?.count == 3)
        #expect(inQueue["client"]?.count == 6)
        #expect(inQueue["access_token"]?.count == 3)
        #expect(
            inQueue["enrolment"]?.first == ["device-1", "receipt-1", "t1", "t2", nil] as [SQLValue])
        #expect(inQueue["client"]?[1] == ["client-1-old", "device-1", "secret-1", "t1", "t4"] as [SQLValue])
        let submissions = try await queue.read {
            try $0.query(
                "SELECT number, status, change, sequence, attempts, begun, lease, lease_owner, lease_until, detail FROM submission ORDER BY number LIMIT 5"
            )
        }
        #expect(submissions.map { $0["status"] } == ["received", "stored", "held", "refused", "quarantined"])
        for (index, row) in submissions.enumerated() {
            #expect(row["number"] == .integer(Int64(index + 1)))
            #expect(row["change"] == .integer(Int64(index + 1)))
            #expect(row["sequence"] == 7)
            #expect(row["attempts"] == 1)
            #expect(row["begun"] == 0)
            for column in ["lease", "lease_owner", "lease_until"] { #expect(row[column] == .null, "\(column)") }
            #expect(row["detail"] == ([1, 3].contains(index) ? nil : "for the staff"))
        }
        let leased = try await SQLSubmissionQueue(database: queue).lease(
            owner: "n", limit: 9, duration: 1, now: now, isIdle: true)
        #expect(leased.first?.body == Data("sealed-1".utf8))
        #expect(leased.count == 1 + Int(more))
        // 2. The records know the owners of the devices, and nothing of the queue.
        let bindings = try #require(inRecords["device_binding"])
        #expect(
            bindings.map { Array($0[1...]) } == [
                // They were bound before devices signed.
                ["device-1", "participant-1", "t3", nil, 1], ["device-2", "participant-2", "t1", nil, 1],
            ] as [[SQLValue]])
        for table in ["submission", "submission_body", "submission_counter", "client", "access_token", "enrolment"] {
            #expect(inRecords[table] == nil, "\(table)")
        }
        #expect(inRecords["record"]?.count == 1)
        #expect(inRecords["record_version"]?.count == 1)
        #expect(inRecords["participant_consent"]?.count == 1)
        #expect(inRecords["staff_token"]?.count == 1)
        #expect(inRecords["audit"]?.count == 1)
        #expect(inRecords["records_state"] == [[1, SQLValue(state.queueID)]])
        try await queue.close()
        try await records.close()
    }

    func inFormer(
        _ folder: StudyFolder, _ body: @escaping @Sendable (any SQLTransaction) throws -> Void
    ) async throws {
        let database = try await SQLiteDatabase.open(
            path: folder.formerDatabaseURL.path, migrations: [], schema: .exact)
        try await database.write(body)
        try await database.close()
    }

    func dump(_ path: String) async throws -> [String: [[SQLValue]]] {
        let database = try await SQLiteDatabase.open(path: path, migrations: [], schema: .exact)
        let rows = try await database.read { try TableDump.rows(in: $0) }
        try await database.close()
        return rows
    }

    private func mode(_ path: String) throws -> Int {
        let number = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return try #require(number).intValue
    }
}
