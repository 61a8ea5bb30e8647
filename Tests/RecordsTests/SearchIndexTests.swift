import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Records

@Suite struct SearchIndexTests {
    private func count(_ table: String, _ fixture: RecordsFixture) async throws -> Int64 {
        try await fixture.database.read { transaction in
            try transaction.first("SELECT count(*) AS total FROM \(table)")?.integer("total") ?? -1
        }
    }

    @Test func aCodeIsNumberedOnceAndHasAnEntryForEachResource() async throws {
        let fixture = try await RecordsFixture()
        for number in 0..<5 { try await fixture.put(observation("o\(number)")) }
        #expect(try await count("search_code", fixture) == 2, "the code, and the system of the identifiers")
        #expect(try await count("record_code", fixture) == 5)
        #expect(try await count("record_identifier", fixture) == 5)
        try await fixture.put(observation("o1", code: "2708-6"))
        #expect(try await count("record_code", fixture) == 5)
        #expect(try await count("search_code", fixture) == 3)
        #expect(try await fixture.ids("/fhir/Observation?code=8867-4") == ["o0", "o2", "o3", "o4"])
        #expect(try await fixture.ids("/fhir/Observation?code=2708-6") == ["o1"])
        try await fixture.close()
    }

    @Test func anIdentifierIsFoundWithItsSystemAndWithoutAndByItsSystemAlone() async throws {
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

    /// A key of PostgreSQL's is a third of a page, and what a device sends as a code has no such bound.
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
        #expect(removed["record_code"]?.count == 2 && removed["record_identifier"]?.count == 2)
        #expect(removed["search_code"]?.count == 1)
        let codes = try await fixture.database.read { try $0.rowTexts(of: "search_code") }
        #expect(codes.count == 2 && !codes.contains { $0.contains("of-p1-alone") })
        #expect(try await fixture.ids("/fhir/Observation?code=of-both") == ["c"])
        try await fixture.close()
    }

    @Test func aCodeThatNoPresentVersionHasIsNotLeft() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a", code: "said-first"))
        try await fixture.put(observation("b", code: "of-b"))
        try await fixture.put(observation("a", code: "of-b"))
        let codes = try await fixture.database.read { try $0.rowTexts(of: "search_code") }
        #expect(codes.count == 2 && !codes.contains { $0.contains("said-first") })
        #expect(try await fixture.ids("/fhir/Observation?code=of-b") == ["a", "b"])
        // In one submission the first version's code is taken away, and comes back with the third.
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
        let after = try await fixture.database.read { try $0.rowTexts(of: "search_code") }
        #expect(after.count == 3 && !after.contains { $0.contains("said-second") })
        #expect(try await fixture.ids("/fhir/Observation?code=said-first") == ["a"])
        try await fixture.close()
    }

    /// Texts that Unicode holds for the same are two codes, as they are to whoever asks for one.
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
            ("code=http://loinc.org|8867-4", "record_code_by_code"), ("code=8867-4", "record_code_by_code"),
            ("code=http://loinc.org|", "search_code_by_system"), ("identifier=urn:x|v", "record_identifier_by_value"),
            ("identifier=v", "record_identifier_by_value"), ("identifier=urn:x|", "search_code_by_system"),
            ("date=ge2026-01-01", "record_by_date"), ("date=2026-03-01", "record_by_date"),
            ("date=lt2026-01-01", "record_by_date"),
        ])
    func eachParameterGoesByItsIndex(query: String, index: String) async throws {
        let fixture = try await RecordsFixture()
        let pair = query.split(separator: "=", maxSplits: 1).map(String.init)
        let search = try SearchQuery(type: "Observation", parameters: [(pair[0], pair[1])], strict: true, now: Date())
        let statement = SearchStatement(search, showing: .everything)
        for (sql, more) in [(statement.page, [SQLValue(0), SQLValue(10)]), (statement.total, [])] {
            let plan = try await fixture.database.read { try QueryPlan(sql, statement.parameters + more, in: $0) }
            #expect(!plan.readsAll, "\(plan)")
            // Of tables that are empty PostgreSQL takes any index.
            if TestEngine.chosen == .sqlite { #expect(plan.goes(by: index), "\(query): \(plan)") }
        }
        try await fixture.close()
    }

    @Test(
        arguments: [
            ("a code's number", SearchVocabulary.numberSQL, 4),
            (
                "codes that nothing has",
                "SELECT number FROM search_code WHERE \(SQLNumbers.condition) AND \(SearchVocabulary.unusedCondition)",
                SQLNumbers.count
            ),
            ("entries of a resource", SearchVocabulary.numbersSQL, 2),
        ])
    func theIndexIsKeptByIndexes(name: String, sql: String, parameters: Int) async throws {
        let fixture = try await RecordsFixture()
        let plan = try await fixture.database.read {
            try QueryPlan(sql, Array(repeating: SQLValue(1), count: parameters), in: $0)
        }
        #expect(!plan.readsAll, "\(name): \(plan)")
        try await fixture.close()
    }

    /// What a deletion costs is what the participant has, however much the store has of others.
    @Test func aParticipantsCodesAreFoundByIndexes() async throws {
        let fixture = try await RecordsFixture()
        let theirs = RecordStore.numbers(of: "p1", ["Observation", "Patient"])
        let taking = try await fixture.database.read {
            try QueryPlan(RecordStore.takingSQL(2), Array(repeating: SQLValue("p1"), count: 4), in: $0)
        }
        #expect(!taking.readsAll, "\(taking)")
        if TestEngine.chosen == .sqlite { #expect(taking.goes(by: "record_protection_by_value"), "\(taking)") }
        for (table, order) in [("record_code", "number, code"), ("record_identifier", "number, system, value")] {
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
        #expect(removed["search_code"]?.count == count - 1)
        let codes = try await fixture.database.read { try $0.rowTexts(of: "search_code") }
        #expect(codes.count == 2, "the other's code, and the system of their identifier")
        try await fixture.close()
    }

    /// A store of step 404, whose index has the texts in each entry.
    private func older(_ path: String, resources: Int64) async throws {
        let database = try await TestEngine.chosen.open(
            path: path, migrations: SchemaBefore.migrations)
        try await database.write { transaction in
            for number in 1...resources {
                try transaction.execute(
                    """
                    INSERT INTO record (number, type, id, version, subject, updated_ms)
                    VALUES (?, 'Observation', ?, 1, 'p', 0)
                    """, [SQLValue(number), SQLValue("o\(number)")])
                for (parameter, system, code) in [
                    ("code", "urn:c", "c\(number % 7)"), ("identifier", "urn:i", "i\(number)"),
                ] {
                    try transaction.execute(
                        """
                        INSERT INTO record_token (number, type, parameter, system, code)
                        VALUES (?, 'Observation', ?, ?, ?)
                        """, [SQLValue(number), SQLValue(parameter), SQLValue(system), SQLValue(code)])
                }
                guard number % 3 != 0 else { continue }
                try transaction.execute(
                    "INSERT INTO record_date (number, type, low_ms, high_ms) VALUES (?, 'Observation', ?, ?)",
                    [SQLValue(number), SQLValue(number * 1000), SQLValue(number * 1000 + 1000)])
            }
        }
        try await database.close()
    }

    @Test func theIndexOfAnOlderStoreIsMovedAlsoAfterAStop() async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let path = temporary.url.appendingPathComponent("older.sqlite").path
        let resources: Int64 = 4500
        try await older(path, resources: resources)
        // Stopped after the first slice.
        let migrations = RecordsSchema.migrations
        let stopped = try await TestEngine.chosen.open(path: path, migrations: migrations.filter { $0.number < 406 })
        try await stopped.write { transaction in
            let step = try #require(migrations.first { $0.number == 406 }?.slice)
            #expect(try step(transaction))
        }
        try await stopped.close()
        let database = try await TestEngine.chosen.open(path: path, migrations: migrations)
        func numbers(_ name: String, _ value: String) async throws -> [Int64] {
            let query = try SearchQuery(type: "Observation", parameters: [(name, value)], strict: true, now: Date())
            let statement = SearchStatement(query, showing: .everything)
            return try await database.read { transaction in
                try transaction.query(
                    "SELECT r.number FROM record r WHERE " + statement.condition + " ORDER BY r.number",
                    statement.parameters
                ).map { try $0.integer("number") }
            }
        }
        #expect(try await numbers("code", "urn:c|c3") == (1...resources).filter { $0 % 7 == 3 })
        #expect(try await numbers("identifier", "urn:i|i4321") == [4321])
        #expect(try await numbers("identifier", "i1") == [1])
        #expect(try await numbers("date", "lt1970-01-01T00:00:05Z") == [1, 2, 4])
        let rows = try await database.read { transaction in
            try ["search_code", "record_code", "record_identifier"].map { table in
                try transaction.first("SELECT count(*) AS total FROM \(table)")?.integer("total")
            }
        }
        #expect(rows == [8, resources, resources])
        try await database.close()
    }
}

/// The records' schema as it was before codes were numbered.
private enum SchemaBefore {
    static let migrations = RecordsSchema.migrations.filter { $0.number <= 404 }
}
