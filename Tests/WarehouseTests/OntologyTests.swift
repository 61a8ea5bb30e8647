import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Warehouse

@Suite struct OntologyTests {
    @Test func aFormIsATreeOfStableCodesWithNamesForPeople() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.ontology(try form(sleepForm))
            let folder = SurveyConcepts.folderPath("http://example.org/sleep")
            #expect(folder.hasPrefix("\\Tributary\\Surveys\\sleep-"))
            let rows = try await fixture.rows("SELECT * FROM custom_meta ORDER BY c_fullname")
            func row(_ path: String) throws -> SQLRow {
                try #require(rows.first { $0["c_fullname"] == SQLValue(path) })
            }
            #expect(try row(folder).text("c_name") == "Sleep")
            let hours = try row(folder + "g\\hours\\")
            #expect(try hours.text("c_basecode") == "LOINC:93832-4")
            #expect(try hours.text("c_name") == "Hours slept")
            #expect(try hours.text("c_visualattributes") == "LA ")
            #expect(try hours.text("c_metadataxml").contains("<DataType>Float</DataType>"))
            #expect(try hours.integer("c_hlevel") == 4)
            let drugs = try row(folder + "drugs\\")
            #expect(try drugs.text("c_visualattributes") == "FA ", "it has options below it")
            #expect(try drugs.text("c_metadataxml").contains(#"<Val description="Melatonin">1484911</Val>"#))
            #expect(try row(folder + "drugs\\RXNORM-1484911\\").text("c_name") == "Melatonin")
            #expect(try row(folder + "g\\").textIfPresent("c_basecode") == nil)
            let boolean = try row(folder + "dreamt\\").text("c_metadataxml")
            #expect(boolean.contains(#"<Val description="Yes">true</Val>"#))
            for row in rows where try row.text("c_comment") != "dimension" {
                #expect(try row.text("m_applied_path") == "@")
                #expect(try row.text("c_dimcode") == row.text("c_fullname"))
                #expect(try row.text("c_tablename") == "concept_dimension")
                #expect(try row.text("c_operator") == "LIKE")
                #expect(row.textIfPresent("c_metadataxml").map { !$0.contains("&") } ?? true)
            }
            let access = try await fixture.rows("SELECT * FROM table_access")
            #expect(access.count == 1)
            #expect(try access[0].text("c_fullname") == "\\Tributary\\")
            #expect(try access[0].text("c_table_name") == "custom_meta")
            let schemes = try await fixture.rows("SELECT c_key FROM schemes").map { try $0.text("c_key") }
            #expect(Set(schemes).isSuperset(of: ["LOINC:", "RXNORM:", "SURVEY:", "HK:"]))
        }
    }

    @Test func hostileNamesStayTextInTheMetadata() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.ontology(
                try form(
                    """
                    {"resourceType":"Questionnaire","id":"f","item":[
                     {"linkId":"1","type":"decimal","text":"a<b>&\\"c\\" \\u0001 '); DROP TABLE custom_meta; --"}]}
                    """))
            let row = try #require(
                try await fixture.rows("SELECT * FROM custom_meta WHERE c_metadataxml IS NOT NULL").first)
            #expect(try row.text("c_metadataxml").contains("a&lt;b&gt;&amp;&quot;c&quot;   '); DROP"))
        }
    }

    /// The statements of i2b2's `insert_concept_dimension_fromtableaccess`: empty the dimension, fill it from the
    /// ontology.
    @Test func theConceptDimensionCanBeMadeAgainFromTheOntology() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.ontology(try form(sleepForm))
            try await fixture.load(observation(#""valueInteger":1"#))
            try await fixture.load(response(#"{"linkId":"new","answer":[{"valueInteger":1}]}"#))
            let dimension = ("concept_path, concept_cd, name_char", "FROM concept_dimension ORDER BY concept_path")
            let before = try await fixture.lines(dimension.0, dimension.1)
            try await fixture.database.write { transaction in
                try transaction.execute("DELETE FROM concept_dimension")
                try transaction.execute(
                    """
                    INSERT INTO concept_dimension (concept_path, concept_cd, name_char)
                    SELECT c_dimcode, c_basecode, c_name FROM custom_meta WHERE m_applied_path = '@'
                        AND c_basecode IS NOT NULL AND c_basecode <> '' AND c_tablename = 'concept_dimension'
                        AND c_columndatatype IN ('T', 'N') AND c_synonym_cd = 'N'
                    """)
            }
            #expect(try await fixture.lines(dimension.0, dimension.1) == before)
            #expect(before.count > 8)
        }
    }

    @Test func aNewVersionAddsAndRemovesNothing() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.ontology(try form(sleepForm))
            let before = try await fixture.paths()
            try await fixture.ontology(
                try form(
                    """
                    {"resourceType":"Questionnaire","url":"http://example.org/sleep","version":"2","item":[
                     {"linkId":"new","type":"integer"}]}
                    """))
            let after = try await fixture.paths()
            #expect(Set(after).subtracting(before) == [SurveyConcepts.folderPath("http://example.org/sleep") + "new\\"])
            #expect(Set(before).isSubset(of: after))
        }
    }

    /// A later version may give a question a code or offer an option a second time. Then the code of the concept
    /// changes.
    @Test func aPathFindsTheFactsOfAllVersions() async throws {
        try await WarehouseFixture.with { fixture in
            let first = try form(sleepForm)
            let second = try form(
                sleepForm.replacingOccurrences(of: #""version":"1""#, with: #""version":"2""#).replacingOccurrences(
                    of: #"{"linkId":"why","type":"text","text":"Why?"}"#,
                    with: """
                        {"linkId":"why","type":"text","text":"Why?","code":[{"system":"http://loinc.org","code":"9-9"}]},
                        {"linkId":"too","type":"choice","answerOption":[{"valueCoding":{
                        "system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911"}}]}
                        """))
            let answers = """
                {"linkId":"why","answer":[{"valueString":"x"}]},{"linkId":"drugs","answer":[{"valueCoding":
                {"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911"}}]}
                """
            try await fixture.load(response(answers, id: "r1"), questionnaire: first, subject: "p1")
            try await fixture.load(response(answers, id: "r2"), questionnaire: second, subject: "p2", submission: "s2")
            let other = """
                {"linkId":"too","answer":[{"valueCoding":
                {"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911"}}]}
                """
            try await fixture.load(response(other, id: "r3"), questionnaire: second, subject: "p3", submission: "s3")
            let folder = SurveyConcepts.folderPath("http://example.org/sleep")
            #expect(try await fixture.count(folder + "why\\") == 2)
            #expect(try await fixture.count(folder + "drugs\\RXNORM-1484911\\") == 2)
            #expect(try await fixture.count(folder + "too\\") == 1)
        }
    }

    @Test func groupThatBecomesAQuestionIsFound() async throws {
        try await WarehouseFixture.with { fixture in
            func survey(_ type: String) throws -> Questionnaire {
                try form(
                    """
                    {"resourceType":"Questionnaire","url":"http://example.org/sleep","item":[{"linkId":"a",
                     "type":"\(type)","item":[{"linkId":"b","type":"integer"}]}]}
                    """)
            }
            try await fixture.load(
                response(#"{"linkId":"a","item":[{"linkId":"b","answer":[{"valueInteger":1}]}]}"#, id: "r1"),
                questionnaire: try survey("group"))
            try await fixture.load(
                response(#"{"linkId":"a","answer":[{"valueString":"x"}]}"#, id: "r2"),
                questionnaire: try survey("string"), subject: "p2", submission: "s2")
            let folder = SurveyConcepts.folderPath("http://example.org/sleep")
            #expect(try await fixture.count(folder + "a\\", "IS x") == 1)
            #expect(try await fixture.count(folder + "a\\b\\") == 1)
        }
    }

    @Test func conceptsBelowAFolderAreFoundByAnIndex() async throws {
        try await WarehouseFixture.with { fixture in
            let plan = try await fixture.database.read { transaction in
                let statement = OntologyWriter.known(
                    below: "\\Tributary\\Surveys\\x\\", dialect: transaction.dialect)
                return try QueryPlan(statement.sql, statement.parameters, in: transaction)
            }
            #expect(plan.uses(index: "meta_fullname_idx") && !plan.readsAll, "\(plan)")
            if TestEngine.chosen == .sqlite { #expect(plan.uses(index: "(c_fullname>? AND c_fullname<?)"), "\(plan)") }
        }
    }

    @Test func aFormIsWrittenOnceAndAnotherVersionOfItToo() async throws {
        try await WarehouseFixture.with { fixture in
            let survey = try form(sleepForm)
            try await fixture.ontology(survey)
            try await fixture.database.write { _ = try $0.execute("DELETE FROM custom_meta WHERE c_name = 'Why?'") }
            // Stored concepts are not looked up again, neither at the start nor by a response.
            try await fixture.ontology(survey)
            try await fixture.load(
                response(#"{"linkId":"why","answer":[{"valueString":"x"}]}"#), questionnaire: survey)
            let lost = try await fixture.paths().count
            try await fixture.ontology(
                try form(sleepForm.replacingOccurrences(of: "Did you dream?", with: "Any dream?")))
            #expect(try await fixture.paths().count == lost + 1)
        }
    }

    @Test func healthTypesAreInTheirFoldersWithUniqueCodes() async throws {
        try await WarehouseFixture.with { fixture in
            let loader = fixture.loader
            for _ in 1...2 {
                try await fixture.database.write { transaction in
                    try loader.ensureHealthOntology(HealthConcept.all, at: instant("2026-01-01"), in: transaction)
                }
            }
            let rows = try await fixture.rows("SELECT concept_path, concept_cd FROM concept_dimension").filter {
                try $0.text("concept_path").hasPrefix(ConceptPath.health)
            }
            let codes = try rows.map { try $0.text("concept_cd") }
            #expect(Set(codes).count == codes.count)
            for code in ["LOINC:8867-4", "LOINC:8480-6", "LOINC:8462-4", "LOINC:29463-7", "LOINC:55423-8"] {
                #expect(codes.contains(code), "\(code)")
            }
            try await fixture.load(observation(#""valueQuantity":{"value":60,"code":"/min"}"#))
            #expect(try await fixture.count("\\Tributary\\Health\\Vital Signs\\HeartRate\\", "GE 60") == 1)
            try await fixture.load(
                """
                {"resourceType":"Observation","id":"s1","status":"final","effectiveDateTime":"2026-03-01","code":{"coding":[
                {"system":"http://developer.apple.com/documentation/healthkit","code":"HKCategoryTypeIdentifierSleepAnalysis"}]},
                "valueCodeableConcept":{"coding":[{"system":"http://developer.apple.com/documentation/healthkit",
                "code":"HKCategoryValueSleepAnalysisAsleepREM","display":"REM"}]}}
                """)
            let stage = try await fixture.rows(
                "SELECT c_fullname FROM custom_meta WHERE c_name = 'Asleep, REM'")[0].text("c_fullname")
            #expect(stage.hasPrefix("\\Tributary\\Health\\Sleep\\SleepAnalysis\\"))
            #expect(try await fixture.count(stage) == 1)
            #expect(!(try await fixture.paths()).contains { $0.hasPrefix(ConceptPath.health + "Other\\") })
        }
    }

    /// Every ancestor of a path exists, at its level. Every length and spelling is valid for i2b2.
    static func check(_ fixture: WarehouseFixture) async throws {
        let rows = try await fixture.rows(
            "SELECT c_fullname, c_hlevel, c_visualattributes, c_basecode FROM custom_meta ORDER BY c_fullname")
        let paths = Set(try rows.map { try $0.text("c_fullname") })
        #expect(paths.count == rows.count)
        var parents: Set<String> = []
        for row in rows {
            let path = try row.text("c_fullname")
            #expect(path.count <= 700 && path.hasPrefix("\\Tributary\\") && path.hasSuffix("\\"), "\(path)")
            #expect(!path.contains { "_/\"<?%>:".contains($0) }, "\(path)")
            #expect(path.split(separator: "\\").count == Int(try row.integer("c_hlevel")) + 1)
            #expect((row.textIfPresent("c_basecode") ?? "").unicodeScalars.count <= 50)
            guard let parent = ConceptPath.parent(of: path) else { continue }
            #expect(paths.contains(parent), "\(path)")
            parents.insert(parent)
        }
        for row in rows where parents.contains(try row.text("c_fullname")) {
            #expect(try row.text("c_visualattributes") == "FA ", "what has children is opened")
        }
    }
}

@Suite(.enabled(if: PublishedData.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedFormTests {
    @Test func everyPublishedFormHasAValidOntology() async throws {
        try await WarehouseFixture.with { fixture in
            let forms = PublishedData.questionnaires()
            #expect(forms.count > 80)
            for form in forms { try await fixture.ontology(form) }
            try await OntologyTests.check(fixture)
            let count = try await fixture.paths().count
            for form in forms.reversed() { try await fixture.ontology(form) }
            #expect(try await fixture.paths().count == count)
        }
    }

    /// The answers of the PHQ-9 are the same four codes under each question.
    @Test func eachAnswerOfThePHQ9IsAFactOfItsQuestionOnly() async throws {
        let phq9 = try PublishedData.phq9()
        let survey = SurveyConcepts(phq9)
        let asked = survey.order.compactMap { survey.questions[$0] }.filter { $0.options.count > 1 }
        #expect(asked.count >= 9)
        try await WarehouseFixture.with { fixture in
            // Participant n chooses the first option of question n, and the second of all others.
            for person in 0..<asked.count {
                let items = asked.enumerated().map { number, question -> String in
                    let option = question.options[number == person ? 0 : 1]
                    let linkID = survey.order.first { survey.questions[$0]?.concept == question.concept } ?? ""
                    return """
                        {"linkId":"\(linkID)","answer":[{"valueCoding":{"system":"\(option.system ?? "")",\
                        "code":"\(option.code)"}}]}
                        """
                }
                let report = try await fixture.load(
                    response(items.joined(separator: ","), id: "r\(person)", form: "x"), questionnaire: phq9,
                    subject: "p\(person)", submission: "s\(person)")
                #expect(report.facts == asked.count, "a choice is one fact")
            }
            for question in asked {
                #expect(try await fixture.count(question.options[0].concept.path) == 1)
                #expect(try await fixture.count(question.options[1].concept.path) == asked.count - 1)
                #expect(try await fixture.count(question.concept.path) == asked.count)
                #expect(
                    try await fixture.count(question.concept.path, "IS \(question.options[0].code)") == 1)
            }
            #expect(try await fixture.count(survey.folder.path) == asked.count)
            try await OntologyTests.check(fixture)
        }
    }
}
