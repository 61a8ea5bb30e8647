import Crypto
import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

@Suite struct SearchIndexTests {
    private func count(_ table: String, _ fixture: RecordsFixture) async throws -> Int64 {
        try await fixture.database.read { transaction in
            try transaction.first("SELECT count(*) AS total FROM \(table)")?.integer("total") ?? -1
        }
    }

    @Test func aCodeIsNumberedOnceAndHasAnEntryForEachResource() async throws {
        let fixture = try await RecordsFixture()
        for number in 0..<5 { try await fixture.put(observation("o\(number)")) }
        #expect(
            try await count("search_term", fixture) == 5,
            "the status, the code, HealthKit's code of the type, the unit, the system of identifiers")
        #expect(try await count("record_term", fixture) == 15)
        #expect(try await count("record_print", fixture) == 5)
        #expect(try await count("record_number", fixture) == 5)
        try await fixture.put(observation("o1", code: "2708-6"))
        #expect(try await count("record_term", fixture) == 15)
        #expect(try await count("search_term", fixture) == 7)
        #expect(try await fixture.ids("/fhir/Observation?code=8867-4") == ["o0", "o2", "o3", "o4"])
        #expect(try await fixture.ids("/fhir/Observation?code=2708-6") == ["o1"])
        try await fixture.close()
    }

    @Test func identifierIsFoundByValueSystemOrBoth() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        try await fixture.put(observation("b"))
        #expect(try await fixture.ids("/fhir/Observation?identifier=urn:x%7Ca%5C%7Cv") == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?identifier=b%5C%7Cv") == ["b"])
        #expect(try await fixture.ids("/fhir/Observation?identifier=urn:x%7C") == ["a", "b"])
        #expect(try await fixture.ids("/fhir/Observation?identifier=urn:y%7Cb%5C%7Cv") == [])
        #expect(try await fixture.ids("/fhir/Patient?identifier=b%5C%7Cv") == [])
        try await fixture.close()
    }

    /// Identifiers of one hour are adjacent in the index.
    @Test func identifiersOfOneHourAreAdjacentAndFound() async throws {
        let fixture = try await RecordsFixture()
        let ids = ["s.20260301080000z", "s.20260301085900z", "s.20260302080000z", "s.1700000000"]
        for id in ids { try await fixture.put(observation(id)) }
        let keys = ids.map { SearchIndex.key(of: $0 + "|v") }
        #expect(keys[0].prefix(2) == keys[1].prefix(2) && keys[0].prefix(2) != keys[2].prefix(2))
        #expect(Set(keys).count == ids.count && keys.allSatisfy { $0.count == 16 })
        for id in ids {
            #expect(try await fixture.ids("/fhir/Observation?identifier=urn:x%7C\(id)%5C%7Cv") == [id])
            #expect(try await fixture.ids("/fhir/Observation?identifier=\(id)%5C%7Cv") == [id])
        }
        try await fixture.close()
    }

    /// A key of PostgreSQL has up to a third of a page, and a code sent by a device has no such limit.
    @Test func aCodeThatIsLongerThanAKeyIsStoredAndFound() async throws {
        let fixture = try await RecordsFixture()
        var random = Seeded(.random(in: 0 ... .max))
        let code = String(
            (0..<9_000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &random))) })
        try await fixture.put(observation("a", code: code))
        try await fixture.put(observation("b", code: String(code.dropLast())))
        #expect(try await fixture.ids("/fhir/Observation?code=" + code) == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?code=" + code.dropLast()) == ["b"])
        try await fixture.close()
    }

    @Test func noCodeOfADeletedParticipantIsLeft() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", code: "of-p1-alone"))
        try await fixture.put(observation("b", code: "of-both"))
        try await fixture.put(observation("c", code: "of-both", subject: "p2"))
        let store = fixture.store
        let removed = try await fixture.database.write { transaction in
            try store.delete(about: "p1", keeping: [], in: transaction).removed
        }
        #expect(removed["record_term"]?.count == 4 && removed["record_print"]?.count == 2)
        #expect(removed["record_number"]?.count == 2 && removed["search_term"]?.count == 1)
        let codes = try await fixture.database.read { try $0.rowTexts(of: "search_term") }
        #expect(codes.count == 4 && !codes.contains { $0.contains("of-p1-alone") })
        #expect(try await fixture.ids("/fhir/Observation?code=of-both") == ["c"])
        try await fixture.close()
    }

    @Test func codeWithoutACurrentVersionIsRemoved() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", code: "said-first"))
        try await fixture.put(observation("b", code: "of-b"))
        try await fixture.put(observation("a", code: "of-b"))
        let codes = try await fixture.database.read { try $0.rowTexts(of: "search_term") }
        #expect(codes.count == 4 && !codes.contains { $0.contains("said-first") })
        #expect(try await fixture.ids("/fhir/Observation?code=of-b") == ["a", "b"])
        // In one submission the first version's code is removed, and added again by the third.
        let store = fixture.store
        try await fixture.database.write { transaction in
            let provenance = RecordProvenance(
                submissionID: "t", clientID: "c", keyID: nil, receivedAt: Date().addingTimeInterval(60))
            try store.write(provenance, at: Date(), in: transaction) { writer in
                for code in ["said-first", "said-second", "said-first"] {
                    let content = Data(observation("a", code: code).utf8)
                    try writer.put(NewRecord(Resource(content), id: "a", content: content))
                }
            }
        }
        let after = try await fixture.database.read { try $0.rowTexts(of: "search_term") }
        #expect(after.count == 5 && !after.contains { $0.contains("said-second") })
        #expect(try await fixture.ids("/fhir/Observation?code=said-first") == ["a"])
        try await fixture.close()
    }

    /// Canonically equivalent texts are two codes, as in a search for one of them.
    @Test func codesAreTheSameByTheirBytes() async throws {
        let fixture = try await RecordsFixture()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let store = fixture.store
        try await fixture.database.write { transaction in
            let provenance = RecordProvenance(submissionID: "s", clientID: "c", keyID: nil, receivedAt: Date())
            try store.write(provenance, at: Date(), in: transaction) { writer in
                for (id, code) in [("a", composed), ("b", decomposed)] {
                    let content = Data(observation(id, code: code).utf8)
                    try writer.put(NewRecord(Resource(content), id: id, content: content))
                }
            }
        }
        #expect(try await fixture.ids("/fhir/Observation?code=caf%C3%A9") == ["a"])
        #expect(try await fixture.ids("/fhir/Observation?code=cafe%CC%81") == ["b"])
        try await fixture.close()
    }

    @Test(
        arguments: [
            ("code=http://loinc.org|8867-4", "record_term_by_term"), ("code=8867-4", "record_term_by_term"),
            ("code=http://loinc.org|", "record_term_by_term"), ("identifier=urn:x|v", keyIndex),
            ("identifier=v", keyIndex), ("identifier=urn:x|", "record_print_by_term"),
            ("value-quantity=gt5", "record_number_by_low"),
            ("value-date=gt2026", "record_time_by_low"), ("component-code-value-quantity=a$5", "record_part"),
            ("device=Device/d", "record_term_by_term"),
            ("date=ge2026-01-01", "record_by_date"), ("date=2026-03-01", "record_by_date"),
            ("date=lt2026-01-01", "record_by_date"),
        ])
    func eachParameterUsesItsIndex(query: String, index: String) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        for value in [#""valueString":"a""#, #""valueDateTime":"2026-11-01""#] {
            try await fixture.put(
                """
                {"resourceType":"Observation","id":"b","device":{"reference":"Device/d"},\(value),
                "component":[{"code":{"coding":[{"code":"a"}]},"valueQuantity":{"value":5}}]}
                """)
        }
        let pair = query.split(separator: "=", maxSplits: 1).map(String.init)
        let search = try SearchQuery(type: "Observation", parameters: [(pair[0], pair[1])], strict: true, now: Date())
        let statement = try await fixture.database.read {
            try SearchStatement(search, showing: .everything, in: $0)
        }
        for part in [try #require(statement.records(limit: 10)), statement.totals()[0]] {
            let plan = try await fixture.database.read { try QueryPlan(part.sql, part.parameters, in: $0) }
            #expect(!plan.readsAll, "\(plan)")
            // For empty tables PostgreSQL uses any index.
            if TestEngine.chosen == .sqlite { #expect(plan.uses(index: index), "\(query): \(plan)") }
        }
        try await fixture.close()
    }

    private static let systemSQL =
        "SELECT c.number FROM search_term c WHERE c.type = ? AND c.parameter = ? AND c.system = ? LIMIT 21"
    private static let codeSQL =
        "SELECT c.number FROM search_term c WHERE c.type = ? AND c.parameter = ? AND c.code = ? LIMIT 21"
    private static let codesSQL =
        "SELECT c.number FROM search_term c WHERE c.type = ? AND c.parameter = ? AND c.code >= ? AND c.code < ? LIMIT 21"

    @Test(
        arguments: [
            ("a term's number", SearchTermNumbers.numberSQL, 5),
            (
                "terms that nothing has",
                "SELECT number FROM search_term WHERE \(SQLNumbers.condition) AND \(SearchTermNumbers.unusedCondition)",
                SQLNumbers.count
            ),
            ("entries of a record", SearchTermNumbers.numbersSQL, 6), ("units", StoredTerms.unitsSQL, 4),
            ("the next records", SearchReindexing.rowsSQL, 3),
        ])
    func maintenanceOfTheIndexUsesIndexes(name: String, sql: String, parameters: Int) async throws {
        let fixture = try await RecordsFixture()
        let plan = try await fixture.database.read {
            try QueryPlan(sql, Array(repeating: SQLValue(1), count: parameters), in: $0)
        }
        #expect(!plan.readsAll, "\(name): \(plan)")
        try await fixture.close()
    }

    /// The cost of a deletion depends on the participant's data only.
    @Test func aParticipantsCodesAreFoundByIndexes() async throws {
        let fixture = try await RecordsFixture()
        let theirs = RecordStore.numbers(of: "p1", ["Observation", "Patient"])
        let taking = try await fixture.database.read {
            try QueryPlan(RecordStore.takingSQL(2), Array(repeating: SQLValue("p1"), count: 4), in: $0)
        }
        #expect(!taking.readsAll, "\(taking)")
        if TestEngine.chosen == .sqlite { #expect(taking.uses(index: "record_protection_by_value"), "\(taking)") }
        for (table, order) in RecordsSchema.searchEntryTables {
            let sql = "SELECT * FROM \(table) WHERE \(theirs.condition) ORDER BY \(order)"
            let plan = try await fixture.database.read { try QueryPlan(sql, theirs.parameters, in: $0) }
            #expect(!plan.readsAll, "\(plan)")
        }
        try await fixture.close()
    }

    @Test func moreCodesThanOneStatementTakesAreDeletedTogether() async throws {
        let fixture = try await RecordsFixture()
        let count = 2 * SQLNumbers.count + 1
        for number in 0..<count { try await fixture.put(observation("o\(number)", code: "c\(number)")) }
        try await fixture.put(observation("other", code: "c7", subject: "p2"))
        let store = fixture.store
        let removed = try await fixture.database.write { transaction in
            try store.delete(about: "p1", keeping: [], in: transaction).removed
        }
        #expect(removed["search_term"]?.count == count - 1)
        let codes = try await fixture.database.read { try $0.rowTexts(of: "search_term") }
        #expect(codes.count == 4, "the other's code, status and unit, and the system of their identifier")
        try await fixture.close()
    }

    @Test func rebuiltIndexIsEqualAndRestoresLostEntries() async throws {
        let fixture = try await RecordsFixture()
        let count = 300
        for number in 1...count { try await fixture.put(observation("o\(number)", code: "c\(number % 7)")) }
        let tables: [StaticString] = ["search_term", "record_term", "record_print", "record_number"]
        func rows() async throws -> [[String]] {
            try await fixture.database.read { transaction in
                try tables.map { try transaction.rowTexts(of: "\($0)").sorted() }
            }
        }
        let before = try await rows()
        #expect(before.allSatisfy { !$0.isEmpty })
        try await fixture.database.write { _ = try $0.execute("DELETE FROM record_print", []) }
        #expect(try await RecordIndex.remake(in: fixture.database) == count)
        #expect(try await rows() == before)
        try await fixture.close()
    }
}

/// The index of high-cardinality values.
private let keyIndex = TestEngine.chosen == .sqlite ? "record_print_by_term" : "record_print_by_print"
