import FHIR
import FormOperations
import Foundation
import Questionnaires
import Testing

/// The population by observation.
struct ObservationPopulationTests {
    private func period(_ value: Int, _ unit: String) -> String {
        #"{"url": "\#(Samples.sdc)observationLinkPeriod", "valueDuration": {"value": \#(value), "system": "http://unitsofmeasure.org", "code": "\#(unit)"}}"#
    }
    private func unit(_ code: String) -> String {
        #"{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit", "valueCoding": {"system": "http://unitsofmeasure.org", "code": "\#(code)", "display": "\#(code)"}}"#
    }
    private func question(_ type: String, code: String = "w", _ extensions: String..., more: String = "") -> String {
        #"{"linkId": "q-\#(code)", "type": "\#(type)", "code": [{"system": "http://loinc.org", "code": "\#(code)"}], "extension": [\#(extensions.joined(separator: ", "))]\#(more)}"#
            .replacing(#", "extension": []"#, with: "")
    }
    private func form(_ items: String, root: String = "") throws -> QuestionnaireForm {
        QuestionnaireForm(
            try Samples.form("{\(root.isEmpty ? "" : #""extension": [\#(root)], "#)\"item\": [\(items)]}"))
    }
    private func observation(
        _ value: String, _ time: String = "2026-11-01T08:00:00Z", code: String = "w", status: String = "final",
        subject: String = "Patient/7", more: String = ""
    ) throws -> Observation {
        Observation(
            try #require(
                try Samples.json(
                    #"{"resourceType": "Observation", "status": "\#(status)", "subject": {"reference": "\#(subject)"}, "code": {"coding": [{"system": "http://loinc.org", "code": "\#(code)"}]}, "effectiveDateTime": "\#(time)", \#(value)\#(more)}"#
                ).object))
    }
    private func answers(
        _ form: QuestionnaireForm, _ observations: [Observation]
    ) -> (answers: [String: String], problems: [OperationProblem]) {
        let population = ObservationPopulation(observations, subject: "Patient/7", authored: Samples.now)
        let (answers, problems) = population.answers(of: form)
        let texts = answers.map { ($0.path.description, "\($0.value.type) \($0.value.json.text())") }
        return (Dictionary(uniqueKeysWithValues: texts), problems)
    }
    private let kilograms =
        #""valueQuantity": {"value": 70.5, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}"#

    @Test func theLatestValueOfThePersonIsTheAnswer() throws {
        let form = try form(question("decimal", code: "w", period(1, "a"), unit("kg")))
        let observations = [
            try observation(#""valueQuantity": {"value": 60, "code": "kg"}"#, "2026-10-01"), try observation(kilograms),
            try observation(
                #""valueQuantity": {"value": 1, "code": "kg"}"#, "2026-11-20T08:00:00Z", status: "preliminary"),
            try observation(
                #""valueQuantity": {"value": 2, "code": "kg"}"#, "2026-11-20T08:00:00Z", subject: "Patient/8"),
            try observation(#""valueQuantity": {"value": 3, "code": "kg"}"#, "2026-11-29T08:00:00Z"),
            try observation(#""valueQuantity": {"value": 4, "code": "kg"}"#, "2026-11-20T08:00:00Z", code: "other"),
            try observation(#""valueString": "heavy""#, "2026-11-20T08:00:00Z"),
        ]
        #expect(answers(form, observations).answers == ["q-w": "Decimal 70.5"])
    }

    @Test func anOlderValueIsNotUsed() throws {
        let form = try form(question("decimal", code: "w", period(1, "mo")))
        #expect(answers(form, [try observation(kilograms, "2026-10-27T08:00:00Z")]).answers == [:])
        #expect(answers(form, [try observation(kilograms, "2026-10-28T10:00:00Z")]).answers == ["q-w": "Decimal 70.5"])
    }

    @Test func theNearestPeriodIsUsedAndInherited() throws {
        let inner =
            #"{"linkId": "g", "type": "group", "extension": [\#(period(1, "d"))], "item": [\#(question("decimal", code: "v"))]}"#
        let form = try form(question("decimal") + ", " + inner, root: period(1, "a"))
        let observations = [try observation(kilograms), try observation(kilograms, code: "v")]
        #expect(answers(form, observations).answers == ["q-w": "Decimal 70.5"])
    }

    @Test func aQuestionWithoutAPeriodOrThatRepeatsIsNotAnswered() throws {
        #expect(answers(try form(question("decimal")), [try observation(kilograms)]).answers == [:])
        let repeating = try form(question("decimal", code: "w", period(1, "a"), more: #", "repeats": true"#))
        #expect(answers(repeating, [try observation(kilograms)]).answers == [:])
        let inGroup = try form(
            #"{"linkId": "g", "type": "group", "repeats": true, "item": [\#(question("decimal", code: "w", period(1, "a")))]}"#
        )
        #expect(answers(inGroup, [try observation(kilograms)]).answers == [:])
    }

    @Test func unitsAreConverted() throws {
        let form = try form(
            question("quantity", code: "w", period(1, "a"), unit("g")) + ", "
                + question("integer", code: "h", period(1, "a"), unit("cm")))
        let observations = [
            try observation(kilograms),
            try observation(
                #""valueQuantity": {"value": 1.63, "system": "http://unitsofmeasure.org", "code": "m"}"#, code: "h"),
        ]
        #expect(
            answers(form, observations).answers == [
                "q-w": #"Quantity {"value":70500,"unit":"g","system":"http://unitsofmeasure.org","code":"g"}"#,
                "q-h": "Integer 163",
            ])
    }

    @Test func aUnitOfAnotherKindIsReported() throws {
        let (found, problems) = answers(
            try form(question("decimal", code: "w", period(1, "a"), unit("cm"))), [try observation(kilograms)])
        #expect(found == [:])
        #expect(problems.map(\.code) == ["population-unit"])
    }

    @Test func aChoiceTakesTheOptionWithTheCode() throws {
        let options =
            #", "answerOption": [{"valueCoding": {"system": "s", "code": "a", "display": "Yes"}}, {"valueCoding": {"system": "s", "code": "b"}}]"#
        let form = try form(question("choice", code: "w", period(1, "a"), more: options))
        let offered = try observation(
            #""valueCodeableConcept": {"coding": [{"system": "x", "code": "y"}, {"system": "s", "code": "a"}]}"#)
        #expect(answers(form, [offered]).answers == ["q-w": #"Coding {"system":"s","code":"a","display":"Yes"}"#])
        let other = try observation(#""valueCodeableConcept": {"coding": [{"system": "s", "code": "c"}]}"#)
        #expect(answers(form, [other]).answers == [:])
    }

    /// Observations and expressions make answers by the same rules.
    @Test func aTextIsTheOptionWithItsDisplayOrAnOpenAnswer() throws {
        let options =
            #", "answerOption": [{"valueCoding": {"system": "s", "code": "a", "display": "Yes"}}]"#
        let form = try form(
            question("choice", code: "w", period(1, "a"), more: options) + ", "
                + question("open-choice", code: "o", period(1, "a"), more: options) + ", "
                + question("string", code: "s", period(1, "a")))
        let option = #"Coding {"system":"s","code":"a","display":"Yes"}"#
        let other = #""valueCodeableConcept": {"coding": [{"system": "s", "code": "c"}], "text": "Sometimes"}"#
        for (value, found) in [
            (#""valueString": "Yes""#, ["q-w": option, "q-o": option, "q-s": "String \"Yes\""]),
            (other, ["q-o": "String \"Sometimes\"", "q-s": "String \"Sometimes\""]),
            (kilograms, [:]),
        ] {
            let observations = try ["w", "o", "s"].map { try observation(value, code: $0) }
            #expect(answers(form, observations).answers == found, "\(value)")
        }
    }

    @Test func aComponentIsTheValueOfItsCode() throws {
        let component =
            #", "component": [{"code": {"coding": [{"system": "http://loinc.org", "code": "sys"}]}, "valueInteger": 120}]"#
        let form = try form(question("integer", code: "sys", period(1, "a")))
        #expect(
            answers(form, [try observation(#""valueBoolean": true"#, more: component)]).answers == [
                "q-sys": "Integer 120"
            ])
    }

    @Test(arguments: ["mm", "nothing", "d.m"]) func aPeriodThatIsNoTimeIsReported(_ unit: String) throws {
        let (found, problems) = answers(
            try form(question("decimal", code: "w", period(1, unit))), [try observation(kilograms)])
        #expect(found == [:])
        #expect(problems.map(\.code) == ["link-period"])
    }

    @Test func answersSurviveTheWayFromAnExtraction() throws {
        let on = #"{"url": "\#(Samples.sdc)observationExtract", "valueBoolean": true}"#
        let text =
            question("decimal", code: "w", period(1, "a"), unit("kg")) + ", "
            + question("boolean", code: "b", period(1, "a"))
        let form = try form(text, root: on)
        var session = FormSession(form)
        session.setAnswers([.decimal(70.5)], at: ItemPath([ItemPath.Step(linkID: "q-w")]))
        session.setAnswers([.boolean(true)], at: ItemPath([ItemPath.Step(linkID: "q-b")]))
        let response = session.response(subject: "Patient/7", authored: "2026-11-28T09:00:00+01:00")
        let (bundle, problems) = Samples.extract(form.questionnaire, response)
        #expect(problems == [])
        let found = answers(form, QueriedResources(bundle).observations).answers
        #expect(found == ["q-w": "Decimal 70.5", "q-b": "Boolean true"])
    }
}
