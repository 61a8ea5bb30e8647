import Foundation
import Storage
import Testing

@testable import Trust

@Suite(.timeLimit(.minutes(10)))
struct AuditTests {
    private let staff = Actor(id: "s", role: .staff)

    @Test func auditNamesParticipantsByPseudonyms() async throws {
        try await withAccess { access, database, _ async throws in
            let patient = Target(resourceType: "Patient", resourceID: "participant-anna")
            let observation = Target(resourceType: "Observation", resourceID: "o", subject: "participant-anna")
            _ = try await access.decide(staff, action: .readRecord, target: patient)
            _ = try await access.decide(staff, action: .readRecord, target: observation)
            let written = try await database.contents(["audit", "audit_participant"])
            #expect(!written.contains("participant-anna") && written.contains("Observation"))
            let rows = try await access.auditEntries()
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
            let permitted = access.decision(staff, action: .searchRecords, target: search)
            try await access.record(
                permitted, by: staff, action: .searchRecords, target: search, showing: ["anna", "bert"])
            try await access.record(permitted, by: staff, action: .searchRecords, target: search, showing: ["bert"])
            try await access.record(permitted, by: staff, action: .searchRecords, target: search, showing: [])
            _ = try await access.decide(
                staff, action: .readRecord, target: Target(resourceType: "Patient", resourceID: "anna"))
            let annas = try await access.auditEntries(participant: "anna")
            #expect(annas.map(\.action) == ["read-record", "search-records"])
            #expect(annas.map { Set($0.participants) } == [["anna"], ["anna", "bert"]])
            #expect(try await access.auditEntries(participant: "bert").count == 2)
            #expect(try await access.auditEntries(participant: "nobody").isEmpty)
            #expect(try await access.auditEntries().count == 4)
            #expect(try await access.auditEntries(limit: 1).map(\.action) == ["read-record"])
            #expect(try await access.auditEntries(participant: "anna", limit: 1).map(\.action) == ["read-record"])
            // Page by page the rows are the same, each once.
            for participant in [nil, "anna"] {
                var pages: [AuditEntry] = []
                while let next = try await access.auditEntries(
                    participant: participant, after: pages.last?.number, limit: 1
                ).first { pages.append(next) }
                #expect(try await access.auditEntries(participant: participant) == pages)
            }
        }
    }

    @Test func forgottenParticipantIsAPseudonymInTheAudit() async throws {
        try await withAccess { access, database, _ async throws in
            let search = Target(resourceType: "Patient")
            let permitted = access.decision(staff, action: .searchRecords, target: search)
            try await access.record(
                permitted, by: staff, action: .searchRecords, target: search, showing: ["anna", "bert"])
            _ = try await access.decide(
                staff, action: .readRecord, target: Target(resourceType: "Patient", resourceID: "anna"))
            let pseudonym = try await database.write { transaction in
                let pseudonym = try access.pseudonym(of: "anna", in: transaction)
                try transaction.execute("DELETE FROM participant_pseudonym WHERE participant = ?", ["anna"])
                return pseudonym
            }
            #expect(pseudonym != "anna" && pseudonym.count == 36)
            let rows = try await access.auditEntries()
            #expect(rows.map { Set($0.participants) } == [[pseudonym], [pseudonym, "bert"]])
            #expect(try await access.auditEntries(participant: "anna").isEmpty)
            #expect(try await access.auditEntries(participant: "bert").count == 1)
            // If the participant returns, the former rows do not refer to them.
            _ = try await access.decide(
                staff, action: .readRecord, target: Target(resourceType: "Patient", resourceID: "anna"))
            #expect(try await access.auditEntries(participant: "anna").count == 1)
        }
    }

    @Test func auditRowOfALoadHasTheStoredAmount() async throws {
        try await withAccess { access, database, _ async throws in
            let target = Target(resourceType: "Observation", resourceID: "export", subject: "anna")
            let entry = try await database.write { try access.beginLoad(site, target, amount: 10, in: $0) }
            _ = try await access.decide(staff, action: .readRecord, target: target)
            try await database.write { try access.recordAmount(25, of: entry, in: $0) }
            #expect(try await access.auditEntries(participant: "anna").map(\.amount) == [nil, 25])
            let error = await #expect(throws: TrustError.self) {
                _ = try await database.write { try access.beginLoad(staff, target, amount: 1, in: $0) }
            }
            #expect(error?.code == "role-not-permitted")
        }
    }
}
