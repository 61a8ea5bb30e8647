import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations
import TestSupport
import Testing
import Warehouse

/// The participants for whom data may be loaded, and the record of their paper consent.
@Suite struct StudyHealthLoadTests {
    private static let now = DateTime.init("2026-06-01T10:00:00Z")?.start() ?? .distantPast

    private func withStudy(_ body: (any SQLDatabase) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url.appendingPathComponent("study")
        let folder = StudyFolder(path: root.path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study"), antispam: "a-secret-word",
            now: Self.now)
        let stores = try StudyStores(folder)
        _ = try await stores.migrateRecords()
        let database = try await stores.openRecords()
        try await body(database)
        try await database.close()
    }

    private func open(
        _ database: any SQLDatabase, participant: String = "p1", export: String = "export", signed: String? = nil,
        mustBeKnown: Bool = false, at: Date = now
    ) async throws -> StudyHealthLoad {
        try await StudyHealthLoad(
            participant: participant, export: export, account: "site-desk", signedAt: signed.flatMap { DateTime($0) },
            mustBeKnown: mustBeKnown, database: database, clock: { at })
    }

    private func batch() throws -> HealthBatch {
        var maker = HealthBatchMaker(receivedAt: Self.now)
        let json = try JSON(
            Data(
                """
                {"resourceType":"Observation","id":"o1","status":"final","subject":{"reference":"Patient/p1"},
                 "code":{"text":"Steps"},"effectiveDateTime":"2026-05-01","valueInteger":5}
                """.utf8))
        let isTaken = maker.add(json)
        #expect(isTaken)
        return maker.take()
    }

    @Test func newParticipantIsRecordedWithAPaperConsent() async throws {
        try await withStudy { database in
            #expect(try await open(database, signed: "2026-05-02").madeParticipant)
            let participants = try await StudyOverview.participants(in: database)
            #expect(participants.map(\.id) == ["p1"])
            #expect(participants.first?.isConsented == true)
            #expect(participants.first?.since == DateTime.init("2026-05-02")?.start())
            let types = try await database.read { try $0.query("SELECT type FROM record ORDER BY type") }
            #expect(try types.map { try $0.text("type") } == ["Contract", "Patient"])
            let rows = try await database.read { try $0.query("SELECT status_cd, signed_at FROM consent_contract") }
            #expect(try rows.map { try $0.text("status_cd") + $0.text("signed_at") } == ["A2026-05-02 00:00:00"])
            // Once is enough, for any later options.
            let (later, known) = (
                try await open(database, signed: "2026-05-03"), try await open(database, mustBeKnown: true)
            )
            #expect(!later.madeParticipant && !known.madeParticipant)
            let contracts = try await database.read { try $0.query("SELECT 1 AS one FROM consent_contract") }
            #expect(contracts.count == 1)
        }
    }

    @Test func unknownParticipantsCanBeRefused() async throws {
        try await withStudy { database in
            for (participant, code) in [
                ("p2", "participant-unknown"), ("p 2", "participant-invalid"), ("", "participant-invalid"),
            ] {
                let error = await #expect(throws: ServerError.self) {
                    _ = try await open(database, participant: participant, mustBeKnown: true)
                }
                #expect(error?.code == code)
            }
            let stored = try await database.read { try $0.query("SELECT 1 AS one FROM record") }
            #expect(stored.isEmpty)
        }
    }

    @Test func withdrawnParticipantIsRefusedUntilTheySignAgain() async throws {
        try await withStudy { database in
            _ = try await open(database, signed: "2026-05-02")
            let changed = try await database.write { transaction in
                try transaction.execute(
                    """
                    UPDATE participant_consent SET standing = 'withdrawn',
                        state = json_set(state, '$.withdrawnAt', ?)
                    """, [.real((DateTime.init("2026-05-10")?.start() ?? .distantPast).timeIntervalSinceReferenceDate)])
            }
            #expect(changed == 1)
            for signed in [nil, "2026-05-09"] {
                let error = await #expect(throws: ServerError.self) { _ = try await open(database, signed: signed) }
                #expect(error?.code == "consent-withdrawn")
            }
            #expect(try await open(database, signed: "2026-05-11").madeParticipant)
        }
    }

    @Test func aRepeatedLoadHasTheSameSubmissionAndTheTimeOfTheFirst() async throws {
        try await withStudy { database in
            let first = try await open(database)
            try await first.store(try batch())
            #expect(try await first.finish().resources == 1)
            let again = try await open(database, at: Self.now.addingTimeInterval(3600))
            #expect(again.submissionID == first.submissionID && again.receivedAt == Self.now)
            try await again.store(try batch())
            let report = try await again.finish()
            #expect(report.resources == 0 && report.alreadyKnown == 1)
            let other = try await open(database, export: "another", at: Self.now.addingTimeInterval(3600))
            #expect(other.submissionID != first.submissionID)
            #expect(other.receivedAt == Self.now.addingTimeInterval(3600))
        }
    }

    @Test func loadsAreAudited() async throws {
        try await withStudy { database in
            for (export, resources) in [("print-1", 1), ("print-2", 0)] {
                let load = try await open(database, export: export)
                try await load.store(try batch())
                try await load.store(try batch())
                #expect(try await load.finish().resources == resources)
            }
            let rows = try await database.read { transaction in
                try transaction.query(
                    "SELECT * FROM audit JOIN participant_pseudonym ON pseudonym = subject ORDER BY number"
                ).map { row in
                    try ["actor_id", "role", "action", "resource_type", "resource_id", "participant", "reason"]
                        .map { try row.text($0) } + [String(row.integer("amount")), String(row.integer("allowed"))]
                }
            }
            // The second load stored nothing, so it is not audited.
            #expect(
                rows == [
                    [
                        "site-desk", "site", "load-health", "Observation", "print-1", "p1", "permitted", "1", "1",
                    ]
                ])
        }
    }

    @Test func exportIsRecognisedByItsBytesAtAnyPath() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url.appendingPathComponent("study")
        let folder = root.appendingPathComponent("a")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (one, two) = (root.appendingPathComponent("one.xml"), folder.appendingPathComponent("two.xml"))
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try bytes.write(to: one)
        try bytes.write(to: two)
        #expect(try ExportDigest.text(of: one.path) == ExportDigest.text(of: two.path))
        #expect(try ExportDigest.text(of: folder.path) == ExportDigest.text(of: two.path))
        try (bytes + [1]).write(to: two)
        #expect(try ExportDigest.text(of: one.path) != ExportDigest.text(of: two.path))
        let error = #expect(throws: ServerError.self) { try ExportDigest.text(of: root.path + "/none") }
        #expect(error?.code == "file-unreadable")
    }
}
