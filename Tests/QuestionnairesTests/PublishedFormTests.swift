import FHIR
import Foundation
import Questionnaires
import Testing

/// The forms and responses of others (`conformance/questionnaires`).
@Suite(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedFormTests {
    /// What the published pairs name a problem, and what we do.
    private static let codes: [String: Set<String>] = [
        "invalidType": ["item-type-abstract"], "invalidAttachmentType": ["mime-type"],
        "maxAttachmentSize": ["max-size"],
        "exclusiveAnswerOption": ["option-exclusive"], "invalidAnswerOption": ["option"], "required": ["required"],
        "invalidAnswerType": ["answer-type"], "minValue": ["min-value"], "maxValue": ["max-value"],
        "invalidLinkId": ["link-id-unknown"], "groupShouldNotHaveAnswers": ["group-answered"],
        "minValueIncompatUnits": ["min-value-unit"], "maxValueIncompatUnits": ["max-value-unit"],
        "invalidUnit": ["unit"], "invalidUnitValueSet": ["unit-value-set"], "minCount": ["min-occurs"],
        "regex": ["regex"], "invalidNewLine": ["newline"], "invalidUrlValue": ["url"], "repeats": ["repeats"],
        "questionnaireDraft": ["questionnaire-draft"], "questionnaireInactive": ["questionnaire-inactive"],
    ]

    /// Pairs that cannot come out as published here, with the reason.
    private static let deviations = [
        "choice-async-qr": "membership in an external value set needs a terminology server",
        "open-choice-gender-coding-async-qr": "the display texts of an external value set need a terminology server",
        "questionnaire-not-resolved-qr": "the pair has no form; a form must be given to check against",
    ]

    @Test func responsesAreJudgedAsPublished() throws {
        let table = try String(
            contentsOf: try #require(Published.folder).appendingPathComponent("response-validation/cases.tsv"),
            encoding: .utf8)
        var checked = 0
        for line in table.split(whereSeparator: \.isNewline).dropFirst() {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let name = columns[0]
            if Self.deviations[name] != nil { continue }
            let form = try Published.form("response-validation/\(name.dropLast(2))q.json")
            let resource = try Published.resource("response-validation/\(name).json")
            let response = try #require(resource.as(QuestionnaireResponse.self))
            let problems = ResponseValidator(form).problems(in: response)
            #expect(problems.errors.isEmpty == (columns[4] == "True"), "\(name): \(problems)")
            for outcome in columns[6].components(separatedBy: " ;; ") where outcome.contains(":") {
                let parts = outcome.split(separator: ":").map(String.init)
                let wanted = try #require(Self.codes[parts[1]], "\(name): \(outcome)")
                let found = parts[0] == "warning" ? problems.warnings : problems.errors
                #expect(!wanted.isDisjoint(with: found), "\(name): \(outcome), found \(found)")
            }
            checked += 1
        }
        #expect(checked == 35)
    }

    /// Faults that the published forms have, each looked up in the form.
    private static let faults: [String: Set<String>] = [
        "researchkit-on-fhir/FormExample.json": ["que-6"], "researchkit-on-fhir/MultipleEnableWhen.json": ["que-6"],
        "android-fhir/layout_default.json": ["que-1"],
        "android-fhir/layout_paginated.json": ["que-1", "link-id-repeated"],
        "lforms/Argonaut-questionnaire-questionnaire-example-asq3.json": ["options-missing"],
        "lforms/answerExpTest.R4.json": ["que-0"], "lforms/argonaut-phq9-ish.json": ["que-3", "que-6"],
        "lforms/editableCalcExp.json": ["que-0"], "lforms/extractObs-test.R4.json": ["que-11"],
        "lforms/fhir-context-q.json": ["que-0", "options-missing"], "lforms/launchContext.json": ["que-0"],
        "lforms/matrixLayoutMultipleSelectionWithData.R4.json": ["link-id-missing", "que-11"],
        "lforms/multipleCodes.json": ["que-0"],
        "lforms/questionnaire-answerOption.initialSelected.json": ["que-0", "que-11"],
        "lforms/questionnaire-data-control.json": ["que-0", "options-missing"],
        "lforms/ussg-fhp.json": ["que-0", "options-missing"], "lforms/variable-scope-test.json": ["que-0"],
        "lforms/weightHeightQuestionnaire.json": ["que-0"], "lforms/x-fhir-query-test.R4.json": ["que-0"],
        "response-validation/abstract-question-type-included-q.json": ["item-type-abstract"],
        "response-validation/choice-invalid-type-q.json": ["options-missing"],
        "response-validation/decimal-min-max-q.json": ["limits-contradict"],
        "response-validation/integer-min-max-q.json": ["limits-contradict"],
        "response-validation/quantity-min-max-incompat-units-q.json": ["limits-contradict"],
        "response-validation/quantity-min-max-q.json": ["limits-contradict"],
        "response-validation/questionnaire-draft-q.json": ["options-missing"],
        "response-validation/questionnaire-inactive-start-q.json": ["options-missing"],
    ]

    @Test func everyFormCompilesAndOnlyItsOwnFaultsAreReported() throws {
        let names = try Published.forms()
        #expect(names.count == 124)
        for name in names {
            let form = try Published.form(name)
            let codes = Set(form.problems.filter { $0.severity != .information }.map(\.code))
            #expect(codes == Self.faults[name] ?? [], "\(name): \(form.problems)")
            // Nothing of it breaks a session, a response or the dialogue.
            let session = FormSession(form)
            _ = session.problems()
            #expect(SurveyDialogue(form).prompt.isEmpty == SurveyDialogue(form).isFinished, "\(name)")
        }
    }
}
