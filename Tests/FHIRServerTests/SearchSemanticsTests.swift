import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Storage
import Testing

@testable import FHIRSearch

/// The meaning of search, value by value.
@Suite struct SearchSemanticsTests {
    @Test(arguments: [
        ("code=http://loinc.org%7C8867-4", ["a"]), ("code=http://loinc.org%7C", ["a", "b"]), ("code=%7Cown", ["c"]),
        ("code=own", ["c"]), ("code=OWN", ["c"]), ("identifier=C%5C,D", ["c"]), ("status=FINAL", []),
        ("code=8867-4,own", ["a", "c"]), ("code=8867-4&code=own", []), ("code=8867-4,", ["a"]),
        ("code=", ["a", "b", "c"]), ("code=,", ["a", "b", "c"]), ("identifier=urn:x%7Ca%5C%7Cv", ["a"]),
        ("identifier=c%5C,d", ["c"]), ("identifier=c,d", []), ("subject=p1", ["a", "b"]),
        ("subject=Patient/p1", ["a", "b"]), ("subject=http://elsewhere.example.org/fhir/Patient/p2", []),
        ("subject=https://here.example.org/fhir/Patient/p2", ["c"]), ("subject:Patient=p2", []),
        ("patient=https://here.example.org/fhir/Patient/p2/_history/1", ["c"]), ("patient=p1,p2", ["a", "b"]),
        ("subject=p1&_id=b,c", ["b"]), ("_id=A", []),
        ("code=8867-4&_count=1", ["a"]), ("unknown=x&code=own", ["c"]),
        ("subject:Group=x", []), ("subject=Observation/x", []), ("code:not=8867-4", ["b", "c"]), ("code:text=x", []),
        ("date:missing=true", ["c"]), ("date:missing=false", ["a", "b"]), ("value-quantity=gt5", ["a", "b"]),
        ("value-quantity=72.00||/min", ["a", "b"]), ("value-quantity=71", []), ("status=final", ["a", "b"]),
        ("combo-code=own", ["c"]), ("code-value-quantity=8867-4$72", ["a"]), ("subject:missing=true", []),
        ("_sort=-date", ["a", "b", "c"]),
    ])
    func valuesFindTheResultsThatFHIRDefines(query: String, expected: [String]) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        try await fixture.put(observation("b", code: "2708-6"))
        try await fixture.put(
            """
            {"resourceType":"Observation","id":"c","code":{"coding":[{"code":"own"}]},"identifier":[{"value":"c,d"}],
            "subject":{"reference":"https://here.example.org/fhir/Patient/p2/_history/3"}}
            """)
        #expect(try await fixture.ids("/fhir/Observation?\(query)") == expected, "\(query)")
        try await fixture.close()
    }

    @Test(arguments: [
        "subject:Grp=x", "code:exact=x", "code:in=http://x", "code:above=x", "date:missing=maybe", "_id:exact=a",
        "identifier:of-type=x", "value-quantity=x", "value-quantity=5|x", "code-value-quantity=x", "code=a%5Cb",
        "date=2026-13", "date=2026-03-01T", "date=2026-03-01T10", "date=2026-03-01T10:00X", "date=yesterday",
        "date=xx2026", "_count=-1", "_count=many", "_cursor=abc", "_summary=most",
        "subject=nobody%20known", "_lastUpdated=",
    ])
    func invalidValuesAreRefused(query: String) async throws {
        let fixture = try await RecordsFixture()
        let (status, json) = try await fixture.get("/fhir/Observation?\(query)")
        #expect(status == (query.hasSuffix("=") ? 200 : 400), "\(query)")
        #expect(json["resourceType"] == (query.hasSuffix("=") ? "Bundle" : "OperationOutcome"))
        try await fixture.close()
    }

    @Test func selfLinkHasOnlyTheUsedParameters() async throws {
        let fixture = try await RecordsFixture()
        let (_, bundle) = try await fixture.get(
            "/fhir/Observation?code=http://loinc.org%7C8867-4&nonsense=1&_count=3&_format=json")
        let link = try #require(bundle["link"]?[0])
        #expect(link["relation"] == "self")
        let url = try #require(link["url"]?.string)
        #expect(url.hasSuffix("/fhir/Observation?code=http%3A%2F%2Floinc.org%7C8867-4&_count=3"), "\(url)")
        try await fixture.close()
    }

    @Test func pagesAreCapped() throws {
        func count(_ value: String) throws -> Int {
            try SearchQuery(type: "Observation", parameters: [("_count", value)], strict: true, now: Date()).count
        }
        #expect(try count("1000000000") == SearchQuery.maximumCount)
        #expect(try count("7") == 7)
        #expect(
            try SearchQuery(type: "Observation", parameters: [("_count", "0")], strict: true, now: Date()).isCountOnly)
    }

    /// Changes between two pages move nothing: the order is that of first arrival.
    @Test func newVersionKeepsTheOrderOfPages() async throws {
        let fixture = try await RecordsFixture()
        for id in ["a", "b", "c"] { try await fixture.put(observation(id)) }
        let first = try await fixture.get("/fhir/Observation?_count=1").1
        try await fixture.put(observation("a", code: "9-9"))
        let next = try #require(
            first["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string)
        let path = String(next[try #require(next.range(of: "/fhir/")).lowerBound...])
        #expect(try await fixture.ids(path) == ["b"])
        #expect(try await fixture.ids("/fhir/Observation") == ["a", "b", "c"])
        #expect(try await fixture.ids("/fhir/Observation?code=8867-4") == ["b", "c"], "the old version is not found")
        try await fixture.close()
    }

    /// Each prefix compared with FHIR's own definition for ranges, over all relative positions of two ranges.
    @Test(arguments: ["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb"])
    func prefixesCompareRanges(prefix: String) async throws {
        let fixture = try await RecordsFixture()
        let days = (1...6).map { "2026-03-0\($0)" }
        var stored: [(id: String, low: Int, high: Int)] = []
        for low in 1...6 {
            for high in low...6 {
                stored.append(("o\(low)\(high)", low, high + 1))
                try await fixture.put(
                    """
                    {"resourceType":"Observation","id":"o\(low)\(high)","effectivePeriod":{"start":"\(days[low - 1])",\
                    "end":"\(days[high - 1])"}}
                    """)
            }
        }
        // The value covers one day: [day, day + 1).
        for day in 1...6 {
            let expected = stored.filter { range in
                let contained = day <= range.low && range.high <= day + 1
                let above = range.high > day + 1
                let below = range.low < day
                return switch prefix {
                case "eq": contained
                case "ne": !contained
                case "gt": above
                case "lt": below
                case "ge": above || contained
                case "le": below || contained
                case "sa": range.low >= day + 1
                default: range.high <= day
                }
            }.map(\.id)
            #expect(try await fixture.ids("/fhir/Observation?date=\(prefix)\(days[day - 1])") == expected, "\(day)")
        }
        try await fixture.close()
    }

    @Test func approximatelyIsATenthOfTheDistanceToNow() throws {
        let now = try #require(DateTime.init("2026-01-11T00:00:00Z")?.start())
        let query = try SearchQuery(
            type: "Observation", parameters: [("date", "ap2026-01-01T00:00:00Z")], strict: true, now: now)
        guard case .date(.ap, let period)? = query.conditions.first?.alternatives.first else {
            Issue.record("no range")
            return
        }
        #expect(period.high - period.low == 2 * 86_400_000 + 1000)
    }

    @Test(arguments: [
        ("2026-03-01T10:00", 60_000), ("2026-03-01T10:00Z", 60_000), ("2026-03-01T10:00-05:00", 60_000),
        ("2026-03-01T10:00 05:00", 60_000), ("2026-03-01T10:00:00", 1000), ("2026-03-01T10:00:00.005Z", 1),
        ("2026", 31_536_000_000), ("2026-02", 2_419_200_000),
    ])
    func rangeOfADateFollowsItsPrecision(text: String, milliseconds: Int64) throws {
        let query = try SearchQuery(type: "Observation", parameters: [("date", text)], strict: true, now: Date())
        guard case .date(.eq, let period)? = query.conditions.first?.alternatives.first else {
            Issue.record("no range")
            return
        }
        #expect(period.high - period.low == milliseconds)
    }

    @Test func openPeriodsReachAsFarAsCanBe() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(
            #"{"resourceType":"Observation","id":"a","effectivePeriod":{"start":"2026-03-01"}}"#)
        try await fixture.put(#"{"resourceType":"Observation","id":"b","effectivePeriod":{"end":"2026-03-01"}}"#)
        try await fixture.put(#"{"resourceType":"Observation","id":"c"}"#)
        #expect(try await fixture.ids("/fhir/Observation?date=gt2999") == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?date=lt1000") == ["b"])
        #expect(
            try await fixture.ids("/fhir/Observation?date=ne2026") == ["a", "b"],
            "without a date there is none to be other")
        try await fixture.close()
    }
}
