import FHIR
import Foundation
import Storage
import Testing

@testable import Warehouse

/// An Observation in which a device gateway groups values has a fact for each value, at the time of the value.
@Suite struct GroupedValuesTests {
    private func grouped(_ value: String, id: String = "g", extra: String = "") -> String {
        observation(
            """
            "identifier":[{"system":"\(CodeSystemURL.deviceConnector)","value":"p1.d.t"}],\(extra)\(value)
            """, id: id,
            time: #""effectivePeriod":{"start":"2026-03-01T08:00:00Z","end":"2026-03-01T08:59:59.9999999Z"}"#)
    }

    private func sampled(_ data: String, period: Int = 60_000) -> String {
        """
        "valueSampledData":{"origin":{"value":0,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"},
        "period":\(period),"dimensions":1,"data":"\(data)"}
        """
    }

    private func facts(_ fixture: WarehouseFixture) async throws -> [String] {
        try await fixture.rows(
            "SELECT start_date, nval_num FROM observation_fact WHERE modifier_cd = '@' ORDER BY start_date, instance_num, nval_num"
        ).map { row in
            "\(String(try row.text("start_date").dropFirst(11))) \(row.realIfPresent("nval_num").map { "\(Int($0))" } ?? "-")"
        }
    }

    @Test func eachValueOfASeriesIsAFactAtItsOwnTime() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(grouped(sampled("70 E 72 71 E")), submission: "s1")
            #expect(try await facts(fixture) == ["08:00:00 70", "08:02:00 72", "08:03:00 71"])
            // Several values in one second have different instance numbers.
            try await fixture.load(
                grouped(sampled("1 2 3", period: 400)), submission: "s2", received: "2026-05-02T12:00:00Z")
            #expect(try await facts(fixture) == ["08:00:00 1", "08:00:00 2", "08:00:00 3"])
        }
    }

    @Test func newVersionReplacesOnlyTheFactsOfItsResource() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(
                observation(#""valueInteger":5"#, id: "other", time: #""effectiveDateTime":"2026-03-01T08:02:00Z""#),
                submission: "s0")
            try await fixture.load(grouped(sampled("70 71 72")), submission: "s1")
            try await fixture.load(
                grouped(sampled("70 E 73")), submission: "s2", received: "2026-05-02T12:00:00Z")
            #expect(try await facts(fixture).sorted() == ["08:00:00 70", "08:02:00 5", "08:02:00 73"])
            try await fixture.load(
                grouped(#""valueString":"gone""#), submission: "s3", received: "2026-05-03T12:00:00Z")
            #expect(try await facts(fixture) == ["08:00:00 -", "08:02:00 5"])
        }
    }

    @Test func quantityHasTheTimeOfTheGateway() async throws {
        let time = ValueTime(name: nil, time: try #require(DateTime.init("2026-03-01T08:17:05.5Z")))
        let text = String(decoding: time.json.data(), as: UTF8.self)
        try await WarehouseFixture.with { fixture in
            try await fixture.load(
                grouped(#""valueQuantity":{"value":9}"#, extra: #""extension":[\#(text)],"#), submission: "s1")
            #expect(try await facts(fixture) == ["08:17:05 9"])
        }
    }

    @Test func observationThatNoGatewayGroupedIsOneFact() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(
                observation(
                    sampled("70 71"), id: "ecg", time: #""effectivePeriod":{"start":"2026-03-01T08:00:00Z"}"#),
                submission: "s1")
            #expect(try await facts(fixture).count == 1)
        }
    }
}
