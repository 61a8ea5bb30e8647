import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// The display text of an answer's coding is compared with all texts of its code
/// (<https://hl7.org/fhir/R4/datatypes.html#Coding>).
@Suite struct DisplayTests {
    private static func translation(_ text: String) -> String {
        #""_display": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [{"url": "lang", "valueCode": "fr"}, {"url": "content", "valueString": "\#(text)"}]}]}"#
    }

    private static func view<View: ResourceView>(_ type: View.Type, _ text: String) throws -> View {
        View(try #require(try JSON(parsing: text).object))
    }

    private static let set = """
        {"resourceType": "ValueSet", "url": "https://example.org/colours", "status": "active", "compose": {"include": [
         {"system": "urn:colours", "concept": [{"code": "r", "display": "Red", \(translation("Rouge")),
          "designation": [{"language": "de", "value": "Rot"}, {"value": "Crimson"}]}, {"code": "g"}, {"code": "b"}]}]}}
        """
    private static let system = """
        {"resourceType": "CodeSystem", "url": "urn:colours", "status": "active", "content": "complete", "concept": [
         {"code": "colour", "display": "Colour", "concept": [
          {"code": "r", "display": "red colour", \(translation("couleur rouge")),
           "designation": [{"language": "de", "value": "rote Farbe"}]},
          {"code": "g", "display": "green colour"}]}]}
        """
    /// Designations without display texts.
    private static let supplement = """
        {"resourceType": "CodeSystem", "url": "urn:more", "supplements": "urn:colours", "status": "active",
         "content": "supplement", "concept": [{"code": "r", "designation": [{"language": "es", "value": "rojo"}]}]}
        """

    private static let ofSet = #"{"linkId": "q", "type": "choice", "answerValueSet": "https://example.org/colours"}"#
    private static let ofOptions = """
        {"linkId": "q", "type": "choice", "answerOption": [
         {"valueCoding": {"system": "urn:colours", "code": "r", "display": "My red", \(translation("Mon rouge"))}},
         {"valueCoding": {"system": "urn:colours", "code": "g"}}]}
        """

    /// Returns the problems of a coding with a display text.
    private func problems(
        _ display: String?, code: String = "r", item: String = ofSet, set: String? = set, system: String? = system,
        language: String? = nil
    ) throws -> [ResponseProblem] {
        let set = try set.map { try Self.view(ValueSet.self, $0) }
        let system = try system.map { try Self.view(CodeSystem.self, $0) }
        let form = QuestionnaireForm(
            try form(item).questionnaire, language: language, valueSet: { _ in set },
            codeSystem: { $0 == "urn:colours" ? system : nil })
        var coding = Coding(system: "urn:colours", code: code)
        coding.display = display
        let answers = try response(#"{"linkId": "q", "answer": [{"valueCoding": \#(coding.json.text())}]}"#)
        return ResponseValidator(form).problems(in: answers)
    }

    @Test(arguments: [
        "Red", "red", "  RED\t", "Rouge", "Rot", "Crimson", "red colour", "red  colour", "couleur rouge", "Rote Farbe",
        nil,
    ])
    func eachTextOfACodeIsRightInEveryLanguage(_ display: String?) throws {
        for language in [nil, "en", "de", "it"] {
            #expect(try problems(display, language: language).isEmpty, "\(language ?? "none")")
        }
    }

    @Test(arguments: ["Green", "Redcolour", "", "r", "rojo", "green colour"])
    func anotherTextIsAnErrorOfTheAnswer(_ display: String) throws {
        for language in [nil, "de"] {
            let problems = try problems(display, language: language)
            #expect(problems.map(\.code) == ["coding-display"] && problems.errors.count == 1)
            #expect(problems.first?.expression == "QuestionnaireResponse.item[0].answer[0]")
            #expect(!(problems.first?.message.contains("Green") ?? true))
        }
    }

    @Test func theValueSetOrTheCodeSystemIsSufficient() throws {
        for (display, set, system) in [("Rot", 0, 1), ("rote Farbe", 1, 0), ("Grün", 1, 1)] {
            #expect(try problems(display, system: nil).count == set)
            #expect(try problems(display, item: Self.ofOptions).count == system)
        }
        #expect(try problems("green colour", code: "g").isEmpty)
        #expect(try problems("Red", code: "g").count == 1)
    }

    /// The texts of a code are unknown without a display text.
    @Test func unknownTextsAreNotCompared() throws {
        #expect(try problems("Blau", code: "b").isEmpty)
        #expect(try problems("Grün", code: "g", system: nil).isEmpty)
        #expect(try problems("Grün", set: nil).isEmpty)
        #expect(try problems("Grün", item: Self.ofOptions, system: nil).isEmpty)
        #expect(try problems("Grün", item: Self.ofOptions, system: Self.supplement).isEmpty)
        // The lists of R4's value sets in this package have no designations.
        let gender =
            #"{"linkId": "q", "type": "choice", "answerValueSet": "http://hl7.org/fhir/ValueSet/administrative-gender"}"#
        let answers = try response(
            #"{"linkId": "q", "answer": [{"valueCoding": {"system": "http://hl7.org/fhir/administrative-gender", "code": "female", "display": "Weiblich"}}]}"#
        )
        #expect(ResponseValidator(try form(gender)).problems(in: answers).isEmpty)
    }

    @Test func theTextsOfAnOptionAreRight() throws {
        for (display, count) in [("My red", 0), ("mon rouge", 0), ("red colour", 0), ("Rouge", 1)] {
            #expect(try problems(display, item: Self.ofOptions).count == count, "\(display)")
        }
    }

    @Test func designationsOfASupplementAreRight() throws {
        let contained = #""contained": [\#(Self.supplement)]"#
        let set = try Self.view(ValueSet.self, Self.set)
        let form = QuestionnaireForm(try form(Self.ofSet, contained).questionnaire, valueSet: { _ in set })
        for (display, count) in [("Rojo", 0), ("Red", 0), ("verde", 1)] {
            let answers = try response(
                #"{"linkId": "q", "answer": [{"valueCoding": {"system": "urn:colours", "code": "r", "display": "\#(display)"}}]}"#
            )
            #expect(ResponseValidator(form).problems(in: answers).count == count, "\(display)")
        }
    }
}
