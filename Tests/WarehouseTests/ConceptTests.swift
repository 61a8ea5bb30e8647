import FHIR
import Foundation
import Testing

@testable import Warehouse

@Suite struct ConceptCodeTests {
    @Test(arguments: [
        ("http://loinc.org", "8867-4", "LOINC:8867-4"), ("http://snomed.info/sct", "73211009", "SNOMED:73211009"),
        ("http://www.nlm.nih.gov/research/umls/rxnorm", "1484911", "RXNORM:1484911"),
        ("http://hl7.org/fhir/sid/icd-10-cm", "F32.0", "ICD10CM:F32.0"),
        ("http://developer.apple.com/documentation/healthkit", "HKWorkout", "HK:HKWorkout"),
    ])
    func wellKnownSystemsHaveTheirPrefix(system: String, code: String, expected: String) {
        #expect(ConceptCode.code(system: system, code: code) == expected)
    }

    @Test func otherSystemsHaveDistinctAndStableCodes() {
        let first = ConceptCode.code(system: "http://a.example.org/mood-scale", code: "x")
        let second = ConceptCode.code(system: "http://b.example.org/mood-scale", code: "x")
        #expect(first == "SCALE-2841b6:x")
        #expect(first != second)
        #expect(ConceptCode.code(system: nil, code: "x") == "LOCAL:x")
    }

    @Test func codesHaveUpTo50CodePoints() {
        let long = String(repeating: "9", count: 80)
        let first = ConceptCode.code(system: "http://loinc.org", code: long)
        #expect(first.unicodeScalars.count <= 50)
        #expect(first.hasPrefix("LOINC:H-"))
        #expect(first != ConceptCode.code(system: "http://loinc.org", code: long + "9"))
        #expect(ConceptCode.code(system: nil, code: String(repeating: "👨‍👩‍👧‍👦", count: 10)).unicodeScalars.count <= 50)
        let question = "LOINC:" + String(repeating: "1", count: 44)
        let option = SurveyConcepts.combinedCode(question: question, system: "http://loinc.org", code: "LA1-1")
        #expect(option.count <= 50)
        #expect(option != SurveyConcepts.combinedCode(question: question, system: "http://loinc.org", code: "LA2-1"))
        #expect(
            SurveyConcepts.ownCode(formName: "f", linkID: String(repeating: "a", count: 60)).count <= 50)
    }

    @Test func oneCodeOfTwoSystemsIsTwoOptions() {
        let systems = [
            "http://hl7.org/fhir/sid/icd-10", "http://hl7.org/fhir/sid/icd-10-cm", "http://example.org/a",
            "http://example.org/b", "http://loinc.org",
        ]
        let codes = systems.map { SurveyConcepts.combinedCode(question: "LOINC:1-8", system: $0, code: "F32") }
        #expect(Set(codes).count == systems.count)
    }

    @Test func codeOfAQuestionDependsOnlyOnFormAndLinkID() {
        #expect(SurveyConcepts.ownCode(formName: "a", linkID: "1") == "SURVEY:ca978112:1")
        #expect(
            SurveyConcepts.ownCode(formName: "a", linkID: "1") != SurveyConcepts.ownCode(formName: "b", linkID: "1"))
        #expect(
            SurveyConcepts.ownCode(formName: "a", linkID: "a/b") != SurveyConcepts.ownCode(formName: "a", linkID: "a_b")
        )
    }
}

@Suite struct ConceptPathTests {
    @Test func segmentsHaveNoForbiddenCharactersOrWildcards() {
        let hostile = [
            "a_b", "a/b", "a\\b", "50%", "<x>", "who?", "a:b", "\"q\"", "é", "", " ", ".", "..", "a\nb", "👍",
        ]
        let segments = hostile.map { ConceptPath.segment($0) }
        for segment in segments {
            #expect(!segment.contains { "_/\\%<>?:\"\n".contains($0) }, "\(segment)")
            #expect(!segment.isEmpty)
            #expect(!segment.contains { !$0.isASCII })
        }
        #expect(Set(segments).count == hostile.count, "two texts never become one segment")
        #expect(ConceptPath.segment("phq-9 (short)") == "phq-9 (short)")
        #expect(ConceptPath.segment(String(repeating: "a", count: 200)).count <= 60)
    }

    @Test func pathsHaveUpTo700CharactersAndAreUnique() {
        var path = ConceptPath.root
        var seen: Set<String> = [path]
        for number in 0..<60 {
            path = ConceptPath.child(of: path, ConceptPath.segment("a rather long group name number \(number)"))
            #expect(path.count <= 700)
            #expect(path.hasPrefix(ConceptPath.root) && path.hasSuffix("\\"))
            #expect(seen.insert(path).inserted)
        }
    }

    @Test func levelsAndParents() {
        #expect(ConceptPath.level("\\Tributary\\") == 0)
        #expect(ConceptPath.level("\\Tributary\\Surveys\\x\\") == 2)
        #expect(ConceptPath.parent(of: "\\Tributary\\") == nil)
        #expect(ConceptPath.parent(of: "\\Tributary\\Surveys\\") == "\\Tributary\\")
    }
}

@Suite struct SurveyConceptsTests {
    @Test func anOptionHasItsPlainCodeOnlyWhereItMeansOneThing() throws {
        let survey = SurveyConcepts(try form(sleepForm))
        let drugs = try #require(survey.questions["drugs"])
        #expect(drugs.options.map(\.concept.code).prefix(2) == ["RXNORM:1484911", "RXNORM:861007"])
        #expect(drugs.options[2].concept.code?.hasPrefix("SURVEY:O-") == true, "a system of one's own is not known")
        let calm = try #require(survey.questions["calm"])
        let tired = try #require(survey.questions["tired"])
        #expect(Set(calm.options.map(\.concept.code)).isDisjoint(with: tired.options.map(\.concept.code)))
        #expect(calm.options.allSatisfy { $0.concept.code?.hasPrefix("LOINC:LA") == false })
    }

    @Test func anOptionUnderTwoQuestionsIsCombinedWithEach() throws {
        let option =
            #""answerOption":[{"valueCoding":{"system":"http://snomed.info/sct","code":"373066001","display":"Yes"}}]"#
        let survey = SurveyConcepts(
            try form(
                """
                {"resourceType":"Questionnaire","url":"http://example.org/f","item":[
                 {"linkId":"1","type":"choice",\(option)},{"linkId":"2","type":"choice",\(option)}]}
                """))
        let codes = ["1", "2"].compactMap { survey.questions[$0]?.options.first?.concept.code }
        #expect(Set(codes).count == 2)
        #expect(!codes.contains("SNOMED:373066001"))
    }

    @Test func codeSharedByTwoQuestionsIsNotUsedForTheirConcepts() throws {
        let survey = SurveyConcepts(
            try form(
                """
                {"resourceType":"Questionnaire","url":"http://example.org/f","item":[
                 {"linkId":"1","type":"integer","code":[{"system":"http://loinc.org","code":"1-8"}]},
                 {"linkId":"2","type":"integer","code":[{"system":"http://loinc.org","code":"1-8"}]},
                 {"linkId":"3","type":"integer","code":[{"system":"http://loinc.org","code":"2-6"}]}]}
                """))
        #expect(survey.questions["1"]?.concept.code?.hasPrefix("SURVEY:") == true)
        #expect(survey.questions["1"]?.concept.code != survey.questions["2"]?.concept.code)
        #expect(survey.questions["3"]?.concept.code == "LOINC:2-6")
    }

    @Test func optionsOfContainedValueSetsCount() throws {
        let survey = SurveyConcepts(
            try form(
                """
                {"resourceType":"Questionnaire","id":"f","contained":[{"resourceType":"ValueSet","id":"v","compose":
                 {"include":[{"system":"http://snomed.info/sct","concept":[{"code":"1","display":"One"}]}]}}],
                 "item":[{"linkId":"1","type":"choice","answerValueSet":"#v"}]}
                """))
        #expect(survey.questions["1"]?.options.map(\.concept.code) == ["SNOMED:1"])
        #expect(survey.questions["1"]?.concept.kind == .choice([.init(code: "1", name: "One")]))
    }

    @Test func conceptsDoNotDependOnTheVersionOfAForm() throws {
        let first = SurveyConcepts(try form(sleepForm))
        let second = SurveyConcepts(
            try form(sleepForm.replacingOccurrences(of: #""version":"1""#, with: #""version":"2""#)))
        #expect(first.concepts == second.concepts)
    }
}
