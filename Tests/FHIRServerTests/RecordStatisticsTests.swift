import FHIR
import Foundation
import Storage
import Testing

@testable import RecordStorage

@Suite struct RecordStatisticsTests {
    @Test func aParticipantsFormsAndStreamsAreCounted() async throws {
        let fixture = try await RecordsFixture()
        let early = try #require(DateTime.init("2026-01-01T00:00:00Z")?.start())
        let late = try #require(DateTime.init("2026-02-01T00:00:00Z")?.start())
        func response(_ id: String, form: String, subject: String = "p1") -> String {
            """
            {"resourceType":"QuestionnaireResponse","id":"\(id)","questionnaire":"\(form)",\
            "subject":{"reference":"Patient/\(subject)"}}
            """
        }
        try await fixture.put(response("r1", form: "http://x/f|1"), at: early)
        try await fixture.put(response("r2", form: "http://x/f|2"), at: late)
        try await fixture.put(response("r3", form: "http://x/g"), at: early)
        try await fixture.put(response("r4", form: "http://x/f|1", subject: "p2"), at: early)
        try await fixture.put(observation("a"), at: early)
        try await fixture.put(observation("a", code: "8867-4", date: "2026"), at: early)
        try await fixture.put(observation("b"), at: early)
        try await fixture.put(
            #"{"resourceType":"Observation","id":"c","subject":{"reference":"Patient/p1"}}"#, at: early)
        let counts = try await fixture.database.read { transaction in
            let statistics = RecordStatistics()
            return (
                forms: try statistics.counts(of: "p1", type: "QuestionnaireResponse", in: transaction),
                streams: try statistics.counts(of: "p1", type: "Observation", in: transaction),
                seen: try statistics.lastSeen("p1", in: transaction),
                other: try statistics.lastSeen("p3", in: transaction)
            )
        }
        #expect(counts.forms == ["http://x/f": 2, "http://x/g": 1])
        #expect(counts.streams == ["8867-4": 2, "unnamed": 1], "a second version counts no more")
        #expect(counts.seen == late)
        #expect(counts.other == nil)
        try await fixture.close()
    }
}
