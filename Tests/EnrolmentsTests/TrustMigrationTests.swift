import AccessTestSupport
import Audit
import Foundation
import Identity
import Storage
import StorageTestSupport
import Testing

@testable import Enrolments

/// A records store of version 0.4, in which devices, clients and the audit named participants.
@Suite(.timeLimit(.minutes(10)))
struct TrustMigrationTests {
    private static let former = [
        "INSERT INTO enrolment VALUES ('e1', 'r1', 'participant-anna', '2026-01-02T00:00:00.000Z', "
            + "'2026-01-01T00:00:00.000Z', NULL)",
        // Bound at an unknown time.
        "INSERT INTO enrolment VALUES ('e2', 'r2', 'participant-bert', NULL, '2026-01-03T00:00:00.000Z', NULL)",
        "INSERT INTO enrolment VALUES ('e3', 'r3', NULL, NULL, '2026-01-04T00:00:00.000Z', NULL)",
        "INSERT INTO client VALUES ('c1', 'e1', 'x', 'App', '2026-01-01T00:00:00.000Z', NULL)",
        "INSERT INTO access_token VALUES ('t', 'c1', '2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z')",
        "INSERT INTO staff_token VALUES ('s', 'staff-1', 'Team', '2026-01-01T00:00:00.000Z', NULL)",
        audit("c1", role: "device", action: "write-record", type: "Observation", id: "o1", subject: "participant-anna"),
        audit(
            "c1", role: "device", action: "write-record", type: "Patient", id: "participant-anna",
            subject: "participant-anna"),
        // The receiver knew only the URL: its id contained the owner.
        audit("c1", role: "device", action: "submit", type: "Patient", id: "participant-anna", subject: nil),
        audit("s", role: "staff", action: "read-record", type: "Patient", id: "participant-carl", subject: nil),
        audit("s", role: "staff", action: "read-record", type: "Condition", id: "o2", subject: "participant-bert"),
        audit("s", role: "staff", action: "search-records", type: "Patient", id: nil, subject: nil),
        audit(nil, role: nil, action: "register", type: "Client", id: nil, subject: nil),
    ]

    private static func audit(
        _ actor: String?, role: String?, action: String, type: String?, id: String?, subject: String?
    ) -> String {
        let texts = [actor, role, action, type, id, subject].map { $0.map { "'\($0)'" } ?? "NULL" }
        return """
            INSERT INTO audit (at, actor_id, role, action, resource_type, resource_id, subject, allowed, reason, amount)
            VALUES ('2026-01-01T00:00:00.000Z', \(texts.joined(separator: ", ")), 1, 'permitted', NULL)
            """
    }

    private func withFormer(_ body: (any SQLDatabase) async throws -> Void) async throws {
        try await withTemporaryDatabase(Array(TrustSchema.migrations.prefix(2))) { database async throws in
            try await database.write { transaction in
                for row in Self.former { try transaction.execute(row) }
            }
            try await body(database)
        }
    }

    @Test func bindingsStayAndNoParticipantIsLeftInTheAudit() async throws {
        try await withFormer { database async throws in
            let clock = TestClock()
            try await Migration.apply(TrustSchema.migrations, at: clock.now, to: database)
            let enrolments = EnrolmentStore(database: database, clock: { clock.now })
            let bindings = try await enrolments.bindings()
            #expect(bindings.map(\.device) == ["e1", "e2"])
            #expect(bindings.map(\.participant) == ["participant-anna", "participant-bert"])
            #expect(bindings.map { SQLTimestamp.text($0.since).prefix(10) } == ["2026-01-02", "2026-01-03"])
            let audit = try await database.contents(["audit", "audit_participant"])
            #expect(!audit.contains("participant-"), "\(audit)")
            #expect(audit.contains("o1"))
            // One row each resolves them, so the list still shows them.
            let pseudonyms = try await database.read {
                try $0.query("SELECT participant, pseudonym FROM participant_pseudonym ORDER BY participant").map {
                    (try $0.text("participant"), try $0.text("pseudonym"))
                }
            }
            #expect(pseudonyms.map(\.0) == ["participant-anna", "participant-bert", "participant-carl"])
            #expect(Set(pseudonyms.map(\.1)).count == 3 && pseudonyms.allSatisfy { $0.1.count == 32 })
            #expect(try await enrolments.audit.entries(participant: "participant-anna").count == 3)
            #expect(try await enrolments.audit.entries(participant: "participant-carl").count == 1)
            let all = try await enrolments.audit.entries()
            #expect(all.count == 7)
            #expect(all.map(\.resourceID).compactMap { $0 } == ["o2", "o1"])
            #expect(all.count { $0.participants.isEmpty } == 2)
        }
    }

    @Test func migratedStoreSupportsNewOperations() async throws {
        try await withFormer { database async throws in
            let clock = TestClock()
            try await Migration.apply(TrustSchema.migrations, at: clock.now, to: database)
            let enrolments = EnrolmentStore(database: database, clock: { clock.now })
            #expect(try await enrolments.bind("e1", to: "participant-anna").reason == "permitted")
            #expect(try await enrolments.bind("e3", to: "participant-anna").reason == "already-bound")
            #expect(try await enrolments.bind("e3", to: "participant-dora").reason == "bound")
            #expect(try await TokenStore(audit: enrolments.audit).revokeStaffToken(id: "staff-1", by: site))
            let tables = try await database.read { try $0.tableNames() }
            #expect(Set(tables).isDisjoint(with: ["enrolment", "client", "access_token"]))
            #expect(try await enrolments.audit.entries(participant: "participant-anna").count == 5)
        }
    }

    @Test func databaseAllowsOneCurrentBindingOfEachDeviceAndParticipant() async throws {
        try await withEnrolments { _, database, _ async throws in
            func insert(_ device: String, _ participant: String?, ended: String? = nil) async -> String? {
                do {
                    try await database.write { transaction in
                        _ = try transaction.execute(
                            "INSERT INTO device_binding (device, participant, bound_at, ended_at) VALUES (?, ?, 'x', ?)",
                            [SQLValue(device), SQLValue(participant), SQLValue(ended)])
                    }
                    return nil
                } catch {
                    return (error as? StorageError)?.code
                }
            }
            #expect(await insert("d1", "anna") == nil)
            #expect(await insert("d1", "bert") == "storage-constraint")
            #expect(await insert("d2", "anna") == "storage-constraint")
            #expect(await insert("d2", nil) == "storage-constraint")
            #expect(await insert("d1", "carl", ended: "y") == nil)
            #expect(await insert("d2", nil, ended: "y") == nil)
        }
    }
}
