import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

/// Selection of the condition that finds the records of a search.
@Suite struct SearchPlanTests {
    /// Number of records that makes a code of all records too frequent to be selected.
    private static let count = SearchLimits.standard.maximumLookups + 100

    private func fill(
        _ fixture: RecordsFixture,
        as kind: @escaping @Sendable (Int) -> (code: String, subject: String) = { number in
            (number % 500 == 0 ? "rare" : "common", number % 50 == 0 ? "few" : "many")
        }
    ) async throws {
        let at = Date(timeIntervalSince1970: 1_780_000_000)
        let provenance = RecordProvenance(submissionID: "s", clientID: "c", keyID: nil, receivedAt: at)
        try await fixture.database.write { transaction in
            try RecordStore().write(provenance, at: at, in: transaction) { writer in
                for number in 0..<Self.count {
                    let json = observation(
                        "o\(number)", code: kind(number).code, subject: kind(number).subject,
                        date: "2026-03-0\(1 + number % 9)T10:00:00Z")
                    _ = try writer.put(
                        NewRecord(Resource(Data(json.utf8)), id: "o\(number)", content: Data(json.utf8)))
                }
            }
        }
    }

    private func statement(_ search: String, _ fixture: RecordsFixture) async throws -> (String, [Int], QueryPlan) {
        let parameters = search.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (name: parts[0], value: parts[1])
        }
        let query = try SearchQuery(
            type: "Observation", parameters: parameters, strict: true, now: Date(timeIntervalSince1970: 1_790_000_000))
        return try await fixture.database.read { transaction in
            let statement = try SearchStatement(query, showing: .everything, in: transaction)
            let page = try statement.records(limit: 5000) ?? statement.page(limit: 5000)
            let ids = try transaction.query(
                "SELECT r.id AS id FROM (\(page.sql)) f JOIN record r ON r.number = f.number ORDER BY r.number",
                page.parameters
            ).map { Int(try $0.text("id").dropFirst()) ?? -1 }
            return (page.sql, ids, try QueryPlan(page.sql, page.parameters, in: transaction))
        }
    }

    @Test func rarestConditionFindsAndOthersAreChecked() async throws {
        let fixture = try await RecordsFixture()
        try await fill(fixture)
        let all = Array(0..<Self.count)
        // 1. A rare code is selected; the other conditions are checked for each of its records.
        let rare = try await statement("code=rare&status=final&date=ge2026", fixture)
        #expect(rare.1 == all.filter { $0 % 500 == 0 })
        #expect(rare.0.contains("r.number IN (SELECT e.number FROM record_term e"))
        #expect(rare.0.contains("EXISTS (SELECT 1 FROM record_term e") && rare.0.contains("r.date_low"))
        if TestEngine.chosen == .sqlite {
            #expect(rare.2.uses(index: "record_term_by_term"), "\(rare.2)")
            #expect("\(rare.2)".contains("(type=? AND rowid=?)"), "\(rare.2)")
        }
        // 2. A person with few records is selected, for any code.
        let few = try await statement("patient=few&code=common", fixture)
        #expect(few.1 == all.filter { $0 % 50 == 0 && $0 % 500 != 0 })
        #expect(!few.0.contains(" IN (SELECT"))
        if TestEngine.chosen == .sqlite { #expect(few.2.uses(index: "record_by_subject"), "\(few.2)") }
        // 3. A code of nearly all records is not selected: the records are read in their order.
        let common = try await statement("code=common&status=final", fixture)
        #expect(common.1 == all.filter { $0 % 500 != 0 })
        #expect(!common.0.contains(" IN (SELECT"))
        if TestEngine.chosen == .sqlite {
            #expect(common.0.contains("FROM record_term e CROSS JOIN record r"))
            #expect(
                common.2.uses(index: "record_term_by_term") && !"\(common.2)".contains("TEMP B-TREE"), "\(common.2)")
        }
        // 4. A value without records is recognised immediately.
        let none = try await statement("code=common&device=Device/none", fixture)
        #expect(none.1 == [] && none.0.contains("1 = 0"))
        #expect(try await statement("code:not=common&patient=few", fixture).1 == all.filter { $0 % 500 == 0 })
        #expect(try await statement("code=rare,common&date=2026-03-09", fixture).1 == all.filter { $0 % 9 == 8 })
        try await fixture.close()
    }

    /// Each condition matches more records than are counted first.
    @Test func narrowestOfBroadConditionsFinds() async throws {
        let fixture = try await RecordsFixture()
        try await fill(fixture) { number in
            (number % 3 == 0 ? "third" : "other", number % 7 < 3 ? "more" : "rest")
        }
        let all = Array(0..<Self.count)
        for search in ["code=third&patient=more", "patient=more&code=third"] {
            let found = try await statement(search, fixture)
            #expect(found.1 == all.filter { $0 % 3 == 0 && $0 % 7 < 3 })
            #expect(found.0.contains("r.number IN (SELECT e.number FROM record_term e"), "\(found.0)")
        }
        // A quarter of 1,800 records: conditions on the subject use columns of the row.
        let rest = try await statement("code=third&patient=rest&status=final", fixture)
        #expect(rest.1 == all.filter { $0 % 3 == 0 && $0 % 7 >= 3 })
        try await fixture.close()
    }

    /// If an index finds few records, one query returns the total and the page.
    @Test func pagesOfAnIndexedSearchAreComplete() async throws {
        let fixture = try await RecordsFixture()
        try await fill(fixture)
        let all = (0..<Self.count).filter { $0 % 50 == 0 && $0 % 500 != 0 }.map { "o\($0)" }
        for count in [1, 7, all.count - 1, all.count, all.count + 1] {
            var found: [String] = []
            var path: String? = "/fhir/Observation?patient=few&code=common&_count=\(count)"
            while let asked = path {
                let (status, page) = try await fixture.get(asked)
                try #require(status == 200)
                #expect(page["total"]?.number.flatMap { Int($0.text) } == all.count)
                let ids = (page["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
                #expect(ids.count == min(count, all.count - found.count))
                found += ids
                path = (page["link"]?.array ?? []).first { $0["relation"] == "next" }?["url"]?.string
                    .flatMap { url in url.range(of: "/fhir/").map { String(url[$0.lowerBound...]) } }
            }
            #expect(found == all)
        }
        try await fixture.close()
    }

    /// An index in the order of the page is read only from the first possible match.
    @Test func searchBeginsAtTheFirstPossibleMatch() async throws {
        guard TestEngine.chosen == .sqlite else { return }
        let fixture = try await RecordsFixture()
        try await fill(fixture)
        let found = try await fixture.database.read { transaction in
            let query = try SearchQuery(
                type: "Observation", parameters: [("patient", "few"), ("code", "rare")], strict: true, now: Date())
            let limits = SearchLimits(maximumLookups: 0)
            let begun = try SearchStatement(query, showing: .everything, limits: limits, in: transaction)
            let page = try begun.page(limit: 3)
            let numbers = try transaction.query(page.sql, page.parameters).map { try $0.integer("number") }
            return (page, numbers, try QueryPlan(page.sql, page.parameters, in: transaction))
        }
        #expect(found.1 == [1, 501, 1001])
        #expect(!"\(found.2)".contains("TEMP B-TREE"), "\(found.2)")
        try await fixture.close()
    }

    @Test func resultsInTheOrderOfAnIndexAreNotSorted() async throws {
        let fixture = try await RecordsFixture()
        try await fill(fixture)
        for (sort, index) in [("-date", "record_by_date_low"), ("_lastUpdated", "record_by_update")] {
            let query = try SearchQuery(
                type: "Observation", parameters: [("code", "common"), ("_sort", sort)], strict: true, now: Date())
            let plan = try await fixture.database.read { transaction in
                let statement = try SearchStatement(
                    query, showing: .everything, limits: SearchLimits(maximumSortedLookups: 100), in: transaction)
                let page = try #require(statement.page(limit: 5, window: 50))
                return try QueryPlan(page.sql, page.parameters, in: transaction)
            }
            if TestEngine.chosen == .sqlite {
                #expect(plan.uses(index: index) && !"\(plan)".contains("SCAN r"), "\(sort): \(plan)")
            }
        }
        try await fixture.close()
    }

    @Test func totalOfManyMatchesIsCountedOnRequest() async throws {
        let fixture = try await RecordsFixture()
        try await fill(fixture)
        func total(_ search: String) async throws -> JSON? {
            try await fixture.get("/fhir/Observation?_count=1&\(search)").1["total"]
        }
        #expect(try await total("status=final") == nil)
        #expect(try await total("status=final&_total=accurate") == .number(JSONNumber(Self.count)))
        #expect(try await total("status=final&_summary=count") == .number(JSONNumber(Self.count)))
        #expect(try await total("code=rare") == 5)
        #expect(try await total("code=rare&_total=none") == nil)
        try await fixture.close()
    }
}
