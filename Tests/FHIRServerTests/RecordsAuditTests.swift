import Audit
import FHIR
import Foundation
import Storage
import Testing

/// Every read writes an audit row that names the participants whose data it returned.
@Suite struct RecordsAuditTests {
    private func rows(_ fixture: RecordsFixture, of participant: String?) async throws -> [AuditEntry] {
        try await fixture.access.audit.entries(participant: participant).filter { $0.role == "staff" }
    }

    @Test func searchIsAuditedWithTheParticipantsOfItsPage() async throws {
        let fixture = try await RecordsFixture()
        for participant in ["p1", "p2", "p3"] {
            try await fixture.put(observation("of-\(participant)", subject: participant))
        }
        // 1. All participants of the page, each once.
        try await fixture.put(observation("more", subject: "p1"))
        #expect(try await fixture.ids("/fhir/Observation").count == 4)
        #expect(try await rows(fixture, of: nil).map { $0.participants.sorted() } == [["p1", "p2", "p3"]])
        // 2. Only those of the page, although the search found more.
        #expect(try await fixture.ids("/fhir/Observation?_count=1").count == 1)
        let shown = try await rows(fixture, of: nil)[0].participants
        #expect(shown.count == 1)
        // 3. Only those that were found.
        #expect(try await fixture.ids("/fhir/Observation?subject=Patient/p2") == ["of-p2"])
        #expect(try await rows(fixture, of: nil)[0].participants == ["p2"])
        // 4. None if the page shows none.
        #expect(try await fixture.ids("/fhir/Observation?_id=none") == [])
        #expect(try await rows(fixture, of: nil)[0].participants == [])
        #expect(try await fixture.get("/fhir/Observation?_summary=count").1["total"] == 4)
        #expect(try await rows(fixture, of: nil)[0].participants == [])
        #expect(try await rows(fixture, of: nil).count == 5)
        #expect(try await rows(fixture, of: nil).allSatisfy { $0.action == "search-records" && $0.isAllowed })
        // 5. The row is found by the participant.
        #expect(try await rows(fixture, of: "p2").count == (shown == ["p2"] ? 3 : 2))
        #expect(try await rows(fixture, of: "p9").isEmpty)
        try await fixture.close()
    }

    @Test func readAndHistoryAreAuditedWithTheParticipant() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "p1"))
        for path in ["a", "a/_history", "a/_history/1"] {
            #expect(try await fixture.get("/fhir/Observation/\(path)").0 == 200)
            let row = try await rows(fixture, of: "p1")[0]
            #expect(row.action == "read-record" && row.participants == ["p1"] && row.resourceID == "a", "\(path)")
        }
        #expect(try await rows(fixture, of: "p1").count == 3)
        try await fixture.close()
    }

    @Test func auditRowDoesNotNameAForgottenParticipant() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "planted-participant"))
        _ = try await fixture.get("/fhir/Observation/a")
        _ = try await fixture.ids("/fhir/Observation")
        try await fixture.database.write { transaction in
            _ = try transaction.execute("DELETE FROM participant_pseudonym WHERE participant = 'planted-participant'")
        }
        let rows = try await rows(fixture, of: nil)
        #expect(rows.count == 2)
        for row in rows {
            #expect(row.participants.count == 1 && !row.participants.contains("planted-participant"))
        }
        try await fixture.close()
    }
}
