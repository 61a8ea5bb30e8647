import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

/// The indexes whose keys have only the columns of their queries (step 410).
@Suite struct ShorterKeysTests {
    /// Returns resources with times of all lengths, some without an end, some that end before they begin.
    private static func resources(_ count: Int, _ random: inout Seeded) -> [String] {
        func time(_ seconds: Int) -> String {
            DateTime(Date(timeIntervalSince1970: 1_772_000_000 + Double(seconds))).description
        }
        return (0..<count).map { number in
            let start = Int.random(in: 0..<2_000_000, using: &random)
            let length = [1, 60, 43_200, 86_399, 86_400, 86_401, 400_000, -1000].randomElement(using: &random) ?? 1
            let effective =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: ""
                case 1: #", "effectivePeriod": {"start": "\#(time(start))"}"#
                case 2: #", "effectivePeriod": {"end": "\#(time(start))"}"#
                case 3: #", "effectiveDateTime": "\#(time(start).prefix(10))""#
                case 4: #", "effectiveDateTime": "\#(time(start))""#
                default:
                    #", "effectivePeriod": {"start": "\#(time(start))", "end": "\#(time(start + length))"}"#
                }
            return """
                {"resourceType": "Observation", "id": "o\(number)", "subject": {"reference": "Patient/p\(number % 3)"},
                "code": {"coding": [{"system": "urn:c", "code": "c\(number % 5)"}, {"code": "d"}]},
                "identifier": [{"system": "urn:i\(number % 2)", "value": "i\(number)"}]\(effective)}
                """
        }
    }

    private static let at = Date(timeIntervalSince1970: 1_780_000_000)

    private func put(_ resources: [String], in database: any SQLDatabase) async throws {
        let provenance = RecordProvenance(submissionID: "s", clientID: "c", keyID: nil, receivedAt: Self.at)
        try await database.write { transaction in
            try RecordStore().write(provenance, at: Self.at, in: transaction) { writer in
                for json in resources {
                    let resource = try Resource(Data(json.utf8))
                    _ = try writer.put(NewRecord(resource, id: resource.id ?? "", content: Data(json.utf8)))
                }
            }
        }
    }

    private func numbers(
        _ parameters: [(name: String, value: String)], in database: any SQLDatabase
    ) async throws -> [Int64] {
        let now = Date(timeIntervalSince1970: 1_780_000_000)
        let query = try SearchQuery(type: "Observation", parameters: parameters, strict: true, now: now)
        return try await database.read { transaction in
            let statement = try SearchStatement(
                query, showing: .everything, in: transaction)
            let page = try statement.page(limit: 10_000)
            return try transaction.query(page.sql, page.parameters).map { try $0.integer("number") }
        }
    }

    /// <https://hl7.org/fhir/R4/search.html#prefix>, evaluated without an index.
    @Test func periodOfAnyLengthIsFoundByThePrefixRules() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Seeded(seed)
        let fixture = try await RecordsFixture()
        try await put(Self.resources(400, &random), in: fixture.database)
        let stored = try await fixture.database.read { transaction in
            try transaction.query(
                "SELECT number, date_low, date_high FROM record WHERE date_low IS NOT NULL ORDER BY number"
            ).map {
                (number: try $0.integer("number"), low: try $0.integer("date_low"), high: try $0.integer("date_high"))
            }
        }
        #expect(stored.count > 300 && stored.contains { $0.high == .max } && stored.contains { $0.high < $0.low })
        for _ in 0..<20 {
            let day = DateTime(
                Date(timeIntervalSince1970: 1_772_000_000 + Double.random(in: -90_000..<2_500_000, using: &random)))
            let text = Bool.random(using: &random) ? String(day.description.prefix(10)) : day.description
            for prefix in ["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"] {
                let query = try SearchQuery(
                    type: "Observation", parameters: [("date", prefix + text)], strict: true,
                    now: Date(timeIntervalSince1970: 1_780_000_000))
                guard case .date(_, let period)? = query.conditions.first?.alternatives.first else {
                    Issue.record("no range")
                    return
                }
                let (low, high) = (period.low, period.high)
                let expected = stored.filter { time in
                    switch prefix {
                    case "eq": time.low >= low && time.high <= high
                    case "ne": time.low < low || time.high > high
                    case "gt": time.high > high
                    case "lt": time.low < low
                    case "ge": time.high > high || time.low >= low
                    case "le": time.low < low || time.high <= high
                    case "sa": time.low >= high
                    case "eb": time.high <= low
                    default: time.low < high && time.high > low
                    }
                }.map(\.number)
                #expect(
                    try await numbers([("date", prefix + text)], in: fixture.database) == expected,
                    "\(prefix)\(text), seed \(seed)")
            }
        }
        try await fixture.close()
    }
}
