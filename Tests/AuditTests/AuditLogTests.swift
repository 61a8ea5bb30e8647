import AccessPolicy
import AccessTestSupport
import Foundation
import Identity
import Storage
import Testing

@testable import Audit

@Suite(.timeLimit(.minutes(10)))
struct AuditLogTests {
    private let staff = Actor(id: "s", role: .staff)

    @Test func auditNamesParticipantsByPseudonyms() async throws {
        try await withAccess { access, database, _ async throws in
            let patient = Target(resourceType: "Patient", resourceID: "participant-anna")
            let observation = Target(resourceType: "Observation", resourceID: "o", subject: "participant-anna")
            _ = try await access.audit.decide(staff, action: .readRecord, target: patient)
            _ = try await access.audit.decide(staff, action: .readRecord, target: observation)
            let written = try await database.contents(["audit", "audit_participant"])
            #expect(!written.contains("participant-anna") && written.contains("Observation"))
            let rows = try await access.audit.entries()
            #expect(rows.map(\.participants) == [["participant-anna"], ["participant-anna"]])
            #expect(rows.map(\.resourceID) == ["o", nil] && rows[0].number > rows[1].number)
            let subjects = try await database.read {
                try $0.query("SELECT DISTINCT subject FROM audit").map { try $0.text("subject") }
            }
            #expect(subjects.count == 1)
        }
    }

    @Test func auditListOfAParticipantIncludesResponsesThatShowedThem() async throws {
        try await withAccess { access, _, _ async throws in
            let search = Target(resourceType: "Observation")
            let permitted = access.audit.decision(staff, action: .searchRecords, target: search)
            try await access.audit.record(
                permitted, by: staff, action: .searchRecords, target: search, showing: ["anna", "bert"])
            try await access.audit.record(
                permitted, by: staff, action: .searchRecords, target: search, showing: ["bert"])
            try await access.audit.record(permitted, by: staff, action: .searchRecords, target: search, showing: [])
            _ = try await access.audit.decide(
                staff, action: .readRecord, target: Target(resourceType: "Patient", resourceID: "anna"))
            let annas = try await access.audit.entries(participant: "anna")
            #expect(annas.map(\.action) == ["read-record", "search-records"])
            #expect(annas.map { Set($0.participants) } == [["anna"], ["anna", "bert"]])
            #expect(try await access.audit.entries(participant: "bert").count == 2)
            #expect(try await access.audit.entries(participant: "nobody").isEmpty)
            #expect(try await access.audit.entries().count == 4)
            #expect(try await access.audit.entries(limit: 1).map(\.action) == ["read-record"])
            #expect(try await access.audit.entries(participant: "anna", limit: 1).map(\.action) == ["read-record"])
            // Page by page the rows are the same, each once.
            for participant in [nil, "anna"] {
                var pages: [AuditEntry] = []
                while let next = try await access.audit.entries(
                    participant: participant, after: pages.last?.number, limit: 1
                ).first { pages.append(next) }
                #expect(try await access.audit.entries(participant: participant) == pages)
            }
        }
    }

    @Test func forgottenParticipantIsAPseudonymInTheAudit() async throws {
        try await withAccess { access, database, _ async throws in
            let search = Target(resourceType: "Patient")
            let permitted = access.audit.decision(staff, action: .searchRecords, target: search)
            try await access.audit.record(
                permitted, by: staff, action: .searchRecords, target: search, showing: ["anna", "bert"])
            _ = try await access.audit.decide(
                staff, action: .readRecord, target: Target(resourceType: "Patient", resourceID: "anna"))
            let pseudonym = try await database.write { transaction in
                let pseudonym = try access.audit.pseudonym(of: "anna", in: transaction)
                try transaction.execute("DELETE FROM participant_pseudonym WHERE participant = ?", ["anna"])
                return pseudonym
            }
            #expect(pseudonym != "anna" && pseudonym.count == 36)
            let rows = try await access.audit.entries()
            #expect(rows.map { Set($0.participants) } == [[pseudonym], [pseudonym, "bert"]])
            #expect(try await access.audit.entries(participant: "anna").isEmpty)
            #expect(try await access.audit.entries(participant: "bert").count == 1)
            // If the participant returns, the former rows do not refer to them.
            _ = try await access.audit.decide(
                staff, action: .readRecord, target: Target(resourceType: "Patient", resourceID: "anna"))
            #expect(try await access.audit.entries(participant: "anna").count == 1)
        }
    }

    @Test func auditRowsOfALoadHaveTheStoredAmounts() async throws {
        try await withAccess { access, database, _ async throws in
            let target = Target(resourceType: "Observation", resourceID: "export", subject: "anna")
            for amount in [10, 15] {
                try await database.write { try access.audit.recordLoad(site, target, amount: amount, in: $0) }
            }
            #expect(try await access.audit.entries(participant: "anna").map(\.amount) == [15, 10])
            let error = await #expect(throws: AccessError.self) {
                try await database.write { try access.audit.recordLoad(staff, target, amount: 1, in: $0) }
            }
            #expect(error?.code == "role-not-permitted")
            #expect(try await access.audit.entries().count == 2)
        }
    }

    @Test func everyDecisionLeavesARow() async throws {
        try await withAccess { access, database, clock async throws in
            let device = Actor(id: "d", role: .device, participant: "anna")
            let target = Target(resourceType: "Observation", resourceID: "o", subject: "bert")
            #expect(
                try await access.audit.decide(device, action: .writeRecord, target: target).reason
                    == "other-participant")
            #expect(try await access.audit.decide(device, action: .submit, target: Target()).allowed)
            // A decision without an action is not audited.
            #expect(!access.audit.decision(nil, action: .readRecord, target: Target()).allowed)
            let rows = try await database.read { try $0.query("SELECT * FROM audit ORDER BY number") }
            #expect(rows.map { $0.textIfPresent("reason") } == ["other-participant", "permitted"])
            #expect(rows.map { $0.integerIfPresent("allowed") } == [0, 1])
            let first = try #require(rows.first)
            #expect(try first.date("at") == clock.now)
            let columns = ["actor_id", "role", "action", "resource_type", "resource_id"]
            #expect(
                columns.map { first.textIfPresent($0) } == ["d", "device", "write-record", "Observation", "o"])
        }
    }

    @Test func decisionInARolledBackTransactionLeavesNoRow() async throws {
        struct Undo: Error {}
        try await withAccess { access, database, _ async throws in
            await #expect(throws: Undo.self) {
                try await database.write { transaction in
                    let target = Target(resourceType: "Patient", resourceID: "anna")
                    _ = try access.audit.decide(site, action: .loadHealth, target: target, in: transaction)
                    throw Undo()
                }
            }
            #expect(try await database.contents(["audit", "participant_pseudonym"]).isEmpty)
        }
    }
}
