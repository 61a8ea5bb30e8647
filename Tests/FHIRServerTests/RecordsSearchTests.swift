import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@Suite struct RecordsSearchTests {
    private func filled() async throws -> RecordsFixture {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", date: "2026-03-01T10:00:00+02:00"))
        try await fixture.put(observation("b", code: "2708-6", date: "2026-03-02"))
        try await fixture.put(observation("c", subject: "p2", date: "2026-04"))
        try await fixture.put(
            #"{"resourceType":"QuestionnaireResponse","id":"q","status":"completed","questionnaire":"http://x/f|1","subject":{"reference":"Patient/p1"},"authored":"2026-03-01T08:00:00Z"}"#
        )
        return fixture
    }

    @Test func searchFindsByEachParameter() async throws {
        let fixture = try await filled()
        #expect(try await fixture.ids("/fhir/Observation") == ["a", "b", "c"])
        #expect(try await fixture.ids("/fhir/Observation?_id=b,c") == ["b", "c"])
        #expect(try await fixture.ids("/fhir/Observation?code=http://loinc.org%7C8867-4") == ["a", "c"])
        #expect(try await fixture.ids("/fhir/Observation?code=%7C8867-4") == [])
        #expect(try await fixture.ids("/fhir/Observation?code=2708-6") == ["b"])
        #expect(try await fixture.ids("/fhir/Observation?subject=Patient/p1&code=8867-4") == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?patient=p2") == ["c"])
        #expect(try await fixture.ids("/fhir/Observation?identifier=urn:x%7Ca%5C%7Cv") == ["a"])
        #expect(try await fixture.ids("/fhir/QuestionnaireResponse?questionnaire=http://x/f") == ["q"])
        #expect(try await fixture.ids("/fhir/QuestionnaireResponse?questionnaire=http://x/f%7C2") == [])
        #expect(try await fixture.ids("/fhir/Observation?_lastUpdated=lt2020") == [])
        try await fixture.close()
    }

    /// 10:00+02:00 is 08:00 UTC; a day and a month are ranges.
    @Test(arguments: [
        ("2026-03-01", ["a"]), ("2026-03", ["a", "b"]), ("2026", ["a", "b", "c"]), ("ge2026-03-02", ["b", "c"]),
        ("gt2026-03-02", ["c"]), ("lt2026-03-01T08:00:00Z", []), ("le2026-03-01T08:00:00Z", ["a"]),
        ("ne2026-03-01", ["b", "c"]), ("sa2026-03-01", ["b", "c"]), ("eb2026-04", ["a", "b"]),
        ("2026-03-01T08:00:00Z", ["a"]), ("2026-03-01T10:00:00%2B02:00", ["a"]),
    ])
    func datesCompareAsRanges(value: String, expected: [String]) async throws {
        let fixture = try await filled()
        #expect(try await fixture.ids("/fhir/Observation?date=\(value)") == expected)
        try await fixture.close()
    }

    @Test func pagesFollowEachOtherWithoutGapOrRepetition() async throws {
        let fixture = try await RecordsFixture()
        for number in 0..<7 { try await fixture.put(observation("o\(number)")) }
        var path = "/fhir/Observation?_count=3&code=8867-4"
        var seen: [String] = []
        for _ in 0..<4 {
            let (_, bundle) = try await fixture.get(path)
            #expect(bundle["total"] == 7)
            seen += (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
            guard
                let next = bundle["link"]?.array?.first(where: { $0["relation"] == "next" })?["url"]?.string,
                let start = next.range(of: "/fhir/")
            else { break }
            path = String(next[start.lowerBound...])
            #expect(path.contains("code=8867-4"))
        }
        #expect(seen == (0..<7).map { "o\($0)" })
        try await fixture.close()
    }

    @Test func anUnknownParameterIsLeftOutOrRefusedWhenStrict() async throws {
        let fixture = try await filled()
        let (status, bundle) = try await fixture.get("/fhir/Observation?nonsense=1&code=2708-6")
        #expect(status == 200)
        #expect(bundle["link"]?[0]?["url"]?.string?.contains("nonsense") == false)
        let prefer = try #require(HTTPFields.Element.Name("Prefer"))
        let strict = try await fixture.get("/fhir/Observation?nonsense=1", headers: [prefer: "handling=strict"])
        #expect(strict.0 == 400)
        #expect(strict.1["resourceType"] == "OperationOutcome")
        #expect(try await fixture.get("/fhir/Observation?date=yesterday").0 == 400)
        #expect(try await fixture.get("/fhir/Observation?_count=x").0 == 400)
        try await fixture.close()
    }

    @Test func aSearchFormCountsLikeAQuery() async throws {
        let fixture = try await filled()
        let token = fixture.token
        let found = try await fixture.application.test(.router) { client in
            try await client.execute(
                uri: "/fhir/Observation/_search?subject=p1", method: .post,
                headers: [.authorization: "Bearer \(token)", .contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "code=http%3A%2F%2Floinc.org%7C2708-6")
            ) { try JSON(Array($0.body.readableBytesView)) }
        }
        #expect(found["total"] == 1)
        try await fixture.close()
    }

    @Test func countHasNoEntries() async throws {
        let fixture = try await filled()
        let (_, bundle) = try await fixture.get("/fhir/Observation?_summary=count")
        #expect(bundle["total"] == 3)
        #expect(bundle["entry"] == nil)
        try await fixture.close()
    }

    @Test func hostileValuesAreNotInterpreted() async throws {
        let fixture = try await filled()
        for value in ["'%20OR%201=1--", "%25", "a');DROP%20TABLE%20record;--", "%00", "%F0%9F%98%80"] {
            for name in ["_id", "code", "subject", "identifier"] {
                let (status, bundle) = try await fixture.get("/fhir/Observation?\(name)=\(value)")
                #expect(status == 200 || status == 400)
                #expect(status == 400 || bundle["total"] == 0)
            }
        }
        #expect(try await fixture.ids("/fhir/Observation").count == 3)
        try await fixture.close()
    }
}
