import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Answers that a question with options allows in addition to them, and the options of R4's own value sets.
@Suite struct AnswerConstraintTests {
    private static let url =
        "http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.answerConstraint"

    private static func question(_ type: String, constraint: String, options: String) -> String {
        #"""
        {"linkId": "q", "type": "\#(type)", \#(options), "extension": [{"url": "\#(url)", "valueCode": "\#(constraint)"}]}
        """#
    }

    private func errors(_ question: String, _ answer: String) throws -> [String] {
        ResponseValidator(try form(question)).problems(
            in: try response(#"{"linkId": "q", "answer": [{\#(answer)}]}"#)
        ).errors
    }

    @Test(arguments: [
        ("integer", #""valueInteger": 1"#, #""valueInteger": 2"#),
        ("string", #""valueString": "a""#, #""valueString": "b""#),
        ("date", #""valueDate": "2026-01-01""#, #""valueDate": "2026-01-02""#),
        ("choice", #""valueCoding": {"code": "a"}"#, #""valueCoding": {"code": "b"}"#),
    ])
    func everyTypeWithOptionsHasIt(type: String, option: String, other: String) throws {
        let options = "\"answerOption\": [{\(option)}]"
        for constraint in ["optionsOnly", "optionsOrType", "optionsOrString"] {
            #expect(try errors(Self.question(type, constraint: constraint, options: options), option) == [])
        }
        #expect(try errors(Self.question(type, constraint: "optionsOnly", options: options), other) == ["option"])
        #expect(try errors(Self.question(type, constraint: "optionsOrType", options: options), other) == [])
        #expect(
            try errors(Self.question(type, constraint: "optionsOrString", options: options), other)
                == (type == "string" ? [] : ["option"]))
        let text = #""valueString": "something else""#
        #expect(try errors(Self.question(type, constraint: "optionsOrString", options: options), text) == [])
        #expect(!(try errors(Self.question(type, constraint: "optionsOnly", options: options), text).isEmpty))
    }

    @Test func answersAreReadByTheConstraint() throws {
        let options = #""answerOption": [{"valueCoding": {"system": "urn:x", "code": "a"}}]"#
        let orText = try answered(
            try form(Self.question("choice", constraint: "optionsOrString", options: options)), #"{"q": "hay fever"}"#)
        #expect(orText.problems.errors == [] && value(orText.items, "0.answer.0.valueString") == "hay fever")
        let orType = try form(Self.question("choice", constraint: "optionsOrType", options: options))
        let coded = try answered(orType, #"{"q": "http://snomed.info/sct|195967001"}"#)
        #expect(coded.problems.errors == [] && value(coded.items, "0.answer.0.valueCoding.code") == "195967001")
        #expect(!(try answered(orType, #"{"q": "hay fever"}"#).problems.errors.isEmpty))
    }

    @Test func anUnknownConstraintIsReportedAndTheTypeDecides() throws {
        let question = Self.question(
            "choice", constraint: "optionsOrAnything", options: #""answerOption": [{"valueCoding": {"code": "a"}}]"#)
        #expect(try form(question).problems.map(\.code) == ["answer-constraint-unknown"])
        #expect(try errors(question, #""valueCoding": {"code": "b"}"#) == ["option"])
    }

    @Test(arguments: [
        ("http://hl7.org/fhir/ValueSet/administrative-gender", ["male", "female", "other", "unknown"]),
        ("http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1", ["male", "female", "other", "unknown"]),
        ("http://hl7.org/fhir/ValueSet/yesnodontknow", ["N", "Y", "asked-unknown"]),
        ("http://terminology.hl7.org/ValueSet/v2-0136|2.9", ["N", "Y"]),
        ("http://hl7.org/fhir/ValueSet/questionnaire-enable-operator", ["exists", "=", "!=", ">", "<", ">=", "<="]),
        ("http://hl7.org/fhir/ValueSet/units-of-time", ["s", "min", "h", "d", "wk", "mo", "a"]),
    ])
    func aValueSetOfR4OffersItsCodes(name: String, codes: [String]) throws {
        let form = try form(#"{"linkId": "q", "type": "choice", "answerValueSet": "\#(name)"}"#)
        #expect(form.problems.isEmpty)
        #expect(form.item("q")?.options?.compactMap { $0.value.json["code"]?.string } == codes)
        #expect(form.item("q")?.options?.allSatisfy { $0.value.json["display"]?.string != nil } == true)
    }

    @Test(arguments: [
        "http://hl7.org/fhir/ValueSet/administrative-gender|3.0.2", "http://hl7.org/fhir/ValueSet/condition-code",
        "http://hl7.org/fhir/ValueSet/observation-codes", "http://loinc.org/vs/LL358-3",
        "http://hl7.org/fhir/ValueSet/body-site", "http://hl7.org/fhir/ValueSet/mimetypes",
    ])
    func unavailableValueSetsAreReported(name: String) throws {
        let form = try form(#"{"linkId": "q", "type": "choice", "answerValueSet": "\#(name)"}"#)
        #expect(form.problems.map(\.code) == ["value-set-not-at-hand"])
    }

    @Test func aSetOfTheFormMayBeMadeOfThoseOfR4() throws {
        let contained = #"""
            "contained": [{"resourceType": "ValueSet", "id": "v", "compose": {"include": [
             {"system": "http://hl7.org/fhir/administrative-gender"},
             {"valueSet": ["http://hl7.org/fhir/ValueSet/yesnodontknow"]}],
             "exclude": [{"system": "http://hl7.org/fhir/administrative-gender", "concept": [{"code": "unknown"}]}]}}]
            """#
        let form = try form(##"{"linkId": "q", "type": "choice", "answerValueSet": "#v"}"##, contained)
        #expect(
            form.item("q")?.options?.map(\.value.text)
                == ["Male", "Female", "Other", "No", "Yes", "Don't know"])
    }

    /// A set that the study publishes under a name of one of R4's has priority.
    @Test func theStudysOwnSetCountsFirst() throws {
        let set = #"""
            {"resourceType": "ValueSet", "url": "http://hl7.org/fhir/ValueSet/administrative-gender", "compose": {"include": [
             {"system": "urn:x", "concept": [{"code": "x"}]}]}}
            """#
        let own = ValueSet(try #require(try JSON(parsing: set).object))
        let form = try form(
            #"{"linkId": "q", "type": "choice", "answerValueSet": "\#(own.url ?? "")"}"#,
            valueSet: PublishedValueSets([own]).valueSet)
        #expect(form.item("q")?.options?.compactMap { $0.value.json["code"]?.string } == ["x"])
    }
}
