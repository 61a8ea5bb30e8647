import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

@Suite struct WarehouseQueryTests {
    private let rate = "\\Tributary\\Health\\Other\\LOINC-8867-4-" + ConceptCode.hash("LOINC:8867-4", 6) + "\\"

    private func quantity(_ value: String, _ comparator: String? = nil) -> String {
        #""valueQuantity":{"value":\#(value)\#(comparator.map { #","comparator":"\#($0)""# } ?? "")}"#
    }

    /// One participant for each fact, so that patients count facts.
    private func filled() async throws -> WarehouseFixture {
        let fixture = try await WarehouseFixture()
        let facts = [
            quantity("50"), quantity("100"), quantity("150"), quantity("100", ">"), quantity("100", ">="),
            quantity("100", "<"), quantity("100", "<="), #""valueString":"noisy street""#, #""valueString":"Noise""#,
            #""valueString":"100 % [sure]""#,
        ]
        for (number, fact) in facts.enumerated() {
            try await fixture.load(observation(fact, id: "o\(number)"), subject: "p\(number)", submission: "s\(number)")
        }
        return fixture
    }

    /// The rule of the CRC cell: `100` with the operator `>` is certainly above 100; with `>=` it may be 100.
    @Test(arguments: [
        ("GT 100", 2), ("GT 99", 4), ("GE 100", 4), ("LT 100", 2), ("LE 100", 4), ("EQ 100", 1), ("NE 100", 2),
        ("BETWEEN 50 100", 2), ("BETWEEN 100 AND 150", 2), ("GE 1e2", 4), ("EQ 100.0", 1), ("GT 1000", 0),
    ])
    func numbersCompareWithTheirOperators(value: String, patients: Int) async throws {
        let fixture = try await filled()
        #expect(try await fixture.count(rate, value) == patients)
        try await fixture.close()
    }

    @Test(arguments: [
        ("IS noisy street", 1), ("IS noisy", 0), ("LIKE nois", 1), ("LIKE oi", 2), ("like OI", 0), ("LIKE Nois%", 1),
        ("LIKE[begin] noisy", 1), ("LIKE[begin] street", 0), ("LIKE[end] street", 1), ("LIKE[contains] sy s", 1),
        ("LIKE[exact] Noise", 1), ("LIKE [sure]", 1), ("LIKE *", 0), ("IS x' OR '1'='1", 0), ("LIKE E", 0),
    ])
    func textsCompareByCase(value: String, patients: Int) async throws {
        let fixture = try await filled()
        #expect(try await fixture.count(rate, value) == patients, "\(value)")
        try await fixture.close()
    }

    @Test(arguments: ["", "GE", "GE x", "GE nan", "BETWEEN 5", "BETWEEN 1 2 3", "ABOUT 5", "IS", "LIKE[x] a", "GE inf"])
    func invalidConstraintIsRefused(text: String) {
        #expect(throws: ValueConstraint.ParseError.self) { try ValueConstraint.parse(text) }
    }

    @Test func withoutAConstraintEveryFactCounts() async throws {
        let fixture = try await filled()
        #expect(try await fixture.count(rate) == 10)
        #expect(try await fixture.count("\\Tributary") == 10, "a path needs no backslash at its end")
        #expect(try await fixture.count("\\\\TRIBUTARY\\Tributary\\Health\\") == 10, "nor harms i2b2's key")
        #expect(try await fixture.count("\\Tributary\\Surveys\\") == 0)
        try await fixture.close()
    }

    @Test func wildcardsInAPathHaveNoMeaning() async throws {
        let fixture = try await filled()
        for path in ["\\%\\", "\\Tributary\\_ealth\\", "\\TRIBUTARY\\", "%", "\\x' OR '1'='1\\"] {
            await #expect(throws: UnknownPath.self, "\(path)") { try await fixture.count(path) }
        }
        try await fixture.close()
    }

    @Test func pathsDifferByCase() async throws {
        try await WarehouseFixture.with { fixture in
            let survey = try form(
                """
                {"resourceType":"Questionnaire","url":"http://example.org/sleep","item":[
                 {"linkId":"a","type":"integer"},{"linkId":"A","type":"integer"}]}
                """)
            for (person, linkID) in [("p1", "a"), ("p2", "A")] {
                try await fixture.load(
                    response(#"{"linkId":"\#(linkID)","answer":[{"valueInteger":1}]}"#, id: "r-\(person)"),
                    questionnaire: survey, subject: person)
            }
            let folder = SurveyConcepts.folderPath("http://example.org/sleep")
            #expect(try await fixture.count(folder + "a\\") == 1)
            #expect(try await fixture.count(folder + "A\\") == 1)
            #expect(try await fixture.count(folder) == 2)
        }
    }

    @Test func textOfAModifierIsNotAValue() async throws {
        let fixture = try await filled()
        try await fixture.load(
            observation(#""valueInteger":1"#, id: "late", time: #""issued":"2026-03-01T00:00:00Z""#), submission: "late"
        )
        #expect(try await fixture.count(rate, "LIKE 2026") == 0, "the time's modifier holds 2026-03-01T00:00:00Z")
        try await fixture.close()
    }

    @Test(arguments: [
        ("2026-03-01", "2026-03-02", 1), ("2026-03-01T08:00:00Z", "", 1), ("2026-03-01T08:00:01Z", "", 0),
        ("", "2026-03-01T08:00:00Z", 0), ("", "2026-03-01T08:00:01Z", 1),
    ])
    func fromIsInclusiveAndToExclusive(from: String, to: String, patients: Int) async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(
                observation(quantity("1"), time: #""effectiveDateTime":"2026-03-01T10:00:00.5+02:00""#))
            #expect(
                try await fixture.count(
                    "\\Tributary\\", from: from.isEmpty ? nil : from, to: to.isEmpty ? nil : to) == patients)
        }
    }

    @Test(arguments: ["", "GE 100", "LIKE x"])
    func queryUsesIndexes(value: String) async throws {
        try await WarehouseFixture.with { fixture in
            let constraint = value.isEmpty ? nil : try ValueConstraint.parse(value)
            let plan = try await fixture.database.read { transaction in
                let statement = WarehouseQuery.statement(
                    .concepts("\\Tributary\\Health\\"), value: constraint, from: instant("2026-01-01"),
                    to: instant("2027-01-01"), dialect: transaction.dialect)
                return try QueryPlan(statement.sql, statement.parameters, in: transaction)
            }
            #expect(!plan.readsAll, "\(plan)")
            if TestEngine.chosen == .sqlite {
                #expect(plan.uses(index: "of_idx_concept"), "\(plan)")
                #expect(plan.uses(index: "concept_path>? AND concept_path<?"), "\(plan)")
            }
        }
    }
}

@Suite struct UndoTests {
    @Test func undoRemovesOneUploadAndReloadingRestoresIt() async throws {
        try await WarehouseFixture.with { fixture in
            let patient = #"{"resourceType":"Patient","id":"p1","gender":"female","birthDate":"1990"}"#
            func loadFirst() async throws {
                try await fixture.load(observation(#""valueInteger":1"#), submission: "a")
                try await fixture.load(observation(#""valueInteger":2"#, id: "o2"), submission: "a")
                try await fixture.load(patient, submission: "a")
            }
            try await loadFirst()
            try await fixture.load(observation(#""valueInteger":3"#, id: "o3"), submission: "b")
            let undone = try await undo("a", fixture)
            #expect(undone?.facts == 2)
            #expect(try await fixture.facts() == ["LOINC:8867-4|N|E|3.0|@"])
            #expect(try await fixture.rows("SELECT 1 FROM visit_dimension").count == 1)
            #expect(try await fixture.rows("SELECT 1 FROM encounter_mapping").count == 2)
            let person = try #require(try await fixture.rows("SELECT * FROM patient_dimension").first)
            #expect(person.textIfPresent("birth_date") == nil)
            #expect(try person.text("sex_cd") == "U")
            let status = try await fixture.rows("SELECT * FROM upload_status WHERE upload_label = 'a'")[0]
            #expect(try status.text("load_status") == "UNDONE")
            #expect(try status.integer("loaded_record") == 0)
            #expect(try status.integer("deleted_record") == 2)
            #expect(try await undo("a", fixture)?.facts == 0, "twice does nothing more")
            try await loadFirst()
            #expect(try await fixture.facts().count == 3)
            #expect(try await fixture.rows("SELECT 1 FROM upload_status").count == 2)
            #expect(
                try await fixture.rows("SELECT loaded_record AS n FROM upload_status WHERE upload_label = 'a'")[0]
                    .integer("n") == 2)
        }
    }

    @Test func undoAcceptsTheNumberOfAnUpload() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(observation(#""valueInteger":1"#), submission: "a")
            #expect(try await undo("1", fixture)?.facts == 1)
            #expect(try await undo("999", fixture) == nil)
            #expect(try await undo("' OR 1=1 --", fixture) == nil)
        }
    }

    private func undo(_ upload: String, _ fixture: WarehouseFixture) async throws -> UndoReport? {
        let loader = fixture.loader
        return try await fixture.database.write { transaction in
            try loader.undo(upload: upload, at: instant("2026-06-01"), in: transaction)
        }
    }
}

/// A path that no concept has is an error, never an empty result.
@Suite struct UnknownPathTests {
    private static let rate = "\\Tributary\\Health\\Vital Signs\\HeartRate\\"

    private func fixture(_ body: (WarehouseFixture) async throws -> Void) async throws {
        try await WarehouseFixture.with { fixture in
            let loader = fixture.loader
            try await fixture.database.write { transaction in
                try loader.ensureHealthOntology(
                    HealthConcept.all, at: instant("2026-01-01T00:00:00Z"), in: transaction)
            }
            try await fixture.load(
                observation(#""valueQuantity":{"value":72,"unit":"bpm"}"#, id: "o", code: "8867-4"))
            try await body(fixture)
        }
    }

    @Test(arguments: [
        "\\Tributary\\Health\\Vital Signs\\HartRate\\", "\\Tributary\\Health\\HeartRate\\",
        "\\tributary\\health\\vital signs\\heartrate\\", "/Tributary/Health/Vital Signs/HeartRate", "HeartRate",
        "LOINC:8867-4", "Heart Rate", "\\Tributary\\Health\\Vital Sings\\HeartRate\\",
    ])
    func errorContainsTheNearestPaths(path: String) async throws {
        try await fixture { fixture in
            let error = await #expect(throws: UnknownPath.self) { _ = try await fixture.count(path) }
            #expect(error?.code == "path-unknown")
            #expect(error?.nearest.contains(Self.rate) == true, "\(error?.nearest ?? [])")
            #expect(error?.message.contains(Self.rate) == true)
        }
    }

    @Test func dissimilarPathHasNoNearestPaths() async throws {
        try await fixture { fixture in
            let error = await #expect(throws: UnknownPath.self) {
                _ = try await fixture.count("\\zzzzzzzzzzzzzzzzzzzzzz\\")
            }
            #expect(error?.nearest == [])
            await #expect(throws: UnknownPath.self) { _ = try await fixture.count("") }
        }
    }

    @Test func pathMayBeQuotedAndWithoutItsFinalBackslash() async throws {
        try await fixture { fixture in
            for path in [
                Self.rate, String(Self.rate.dropLast()), ShellWord.quoted(Self.rate), "\\\\TRIBUTARY" + Self.rate,
            ] {
                let found = try await fixture.count(path)
                #expect(found == 1, "\(path)")
            }
            #expect(ShellWord.quoted("it's") == "'it'\\''s'" && ShellWord.unquoted("'it'\\''s'") == "it's")
        }
    }

    @Test func usedOntologyHasOnlyConceptsWithFactsAndTheirFolders() async throws {
        try await fixture { fixture in
            let (used, all) = try await fixture.database.read {
                (try WarehouseQuery().usedOntology(in: $0), try WarehouseQuery().ontology(in: $0))
            }
            #expect(used.map(\.path).contains(Self.rate) && used.count < 12 && all.count > 200)
            for concept in used { #expect(try await fixture.count(concept.path) == 1, "\(concept.path)") }
            let plan = try await fixture.database.read { transaction in
                let (sql, parameters) = WarehouseQuery.usedStatement(dialect: transaction.dialect)
                return try QueryPlan(sql, parameters, in: transaction)
            }
            #expect(plan.uses(index: "of_idx_concept_patient") || plan.uses(index: "observation_fact"), "\(plan)")
        }
    }
}
