import FHIR
import Foundation
import Storage
import TestSupport
import Testing

@testable import RecordStorage

/// The order of receipt decides the current version of a resource, in any order of handling.
@Suite struct VersionOrderTests {
    private let start = Date(timeIntervalSince1970: 1_770_000_000)
    private let first = observation("a", code: "1-1")
    private let second = observation("a", code: "2-2")

    private func after(_ milliseconds: Int) -> Date { start.addingTimeInterval(Double(milliseconds) / 1000) }

    @Test func lateProcessedOldVersionIsHistory() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(second, at: after(9), received: after(2), number: 2, submission: "s2")
        for _ in 1...2 {
            let late = try await fixture.put(first, at: after(10), received: after(1), number: 1, submission: "s1")
            #expect(late.became == [.superseded: 2], "stored once")
            #expect(!late.isCurrent)
        }
        let present = try await fixture.get("/fhir/Observation/a").1
        #expect(present["code"]?["coding"]?[0]?["code"] == "2-2")
        #expect(present["meta"]?["versionId"] == "1")
        #expect(try await fixture.ids("/fhir/Observation?code=2-2") == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?code=1-1") == [])
        #expect(try await fixture.get("/fhir/Observation/a/_history/2").1["code"]?["coding"]?[0]?["code"] == "1-1")
        #expect(try await versions(fixture, size: 9) == ["1", "2"])
        // The next version becomes current, with the next number.
        #expect(
            try await fixture.put(observation("a", code: "3-3"), received: after(3), number: 3, submission: "s3")
                .became == [.updated: 3])
        #expect(try await versions(fixture, size: 9) == ["3", "1", "2"])
        try await fixture.close()
    }

    @Test func anOldMessageOfAnotherPersonDoesNotMoveTheResource() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", subject: "p2"), received: after(2))
        try await fixture.put(observation("a", subject: "p1", date: "2020"), received: after(1), submission: "s1")
        #expect(try await fixture.ids("/fhir/Observation?subject=p2") == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?subject=p1") == [])
        #expect(try await fixture.ids("/fhir/Observation?date=2020") == [])
        try await fixture.close()
    }

    /// A, B, and A again; B is handled last.
    @Test func repeatedContentHasTheTimeOfItsLastReceipt() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(first, received: after(1), submission: "s1")
        let again = try await fixture.put(first, received: after(3), submission: "s3")
        #expect(again.became == [.unchanged: 1])
        #expect(again.isCurrent)
        let between = try await fixture.put(second, received: after(2), submission: "s2")
        #expect(between.became == [.superseded: 2])
        let older = try await fixture.put(first, received: after(1), submission: "s1")
        #expect(older.became == [.superseded: 1])
        #expect(try await fixture.get("/fhir/Observation/a").1["code"]?["coding"]?[0]?["code"] == "1-1")
        try await fixture.close()
    }

    @Test func numberDecidesWithinAMillisecond() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(second, received: after(1), number: 12, submission: "s12")
        #expect(try await fixture.put(first, received: after(1), number: 11, submission: "s11").isCurrent == false)
        #expect(try await fixture.put(first, received: after(1), number: 13, submission: "s13").isCurrent)
        try await fixture.close()
    }

    @Test func historyHasEachVersionOnceWithTheNewestFirst() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for size in 1...4 {
            let fixture = try await RecordsFixture()
            var orders: [(version: String, order: RecordOrder)] = []
            for number in (1...Int64(11)).shuffled(using: &generator) {
                let received = after(Int.random(in: 0...4, using: &generator))
                let put = try await fixture.put(
                    observation("a", code: "\(number)-0"), received: received, number: number, submission: "s\(number)")
                orders.append(
                    (
                        String(put.version),
                        RecordOrder(receivedMilliseconds: Milliseconds.of(received), number: number)
                    ))
            }
            let expected = orders.sorted { $0.order > $1.order }.map(\.version)
            #expect(try await versions(fixture, size: size) == expected, "seed \(seed)")
            try await fixture.close()
        }
    }

    /// The versions of `Observation/a` as all pages list them.
    private func versions(_ fixture: RecordsFixture, size: Int) async throws -> [String] {
        var path: String? = "/fhir/Observation/a/_history?_count=\(size)"
        var versions: [String] = []
        for _ in 0..<50 {
            guard let page = path else { break }
            let bundle = try await fixture.get(page).1
            versions += (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["meta"]?["versionId"]?.string }
            let next = bundle["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
            path = next.flatMap { url in url.range(of: "/fhir/").map { String(url[$0.lowerBound...]) } }
        }
        return versions
    }
}
