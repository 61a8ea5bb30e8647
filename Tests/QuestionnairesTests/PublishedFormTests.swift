import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Forms and responses of other projects (`conformance/questionnaires`).
@Suite(.enabled(if: Published.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedFormTests {
    /// The problem codes of the published pairs, and the corresponding ones here.
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
        "invalidCoding": ["coding-display"],
    ]

    /// Pairs whose results differ here, with the reason.
    private static let deviations = [
        "choice-async-qr": "the codes of ISO 3166 are not among HL7's definitions",
        "questionnaire-not-resolved-qr": "the pair has no form; a form must be given to check against",
    ]

    @Test func responsesAreJudgedAsPublishedWithTheDefinitionsOfHL7() throws {
        let definitions = try PublishedDefinitionsFolder()
        let table = try String(
            contentsOf: try #require(Published.folder).appendingPathComponent("response-validation/cases.tsv"),
            encoding: .utf8)
        var checked = 0
        for line in table.split(whereSeparator: \.isNewline).dropFirst() {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let name = columns[0]
            if name == "questionnaire-not-resolved-qr" { continue }
            let form = try Published.form("response-validation/\(name.dropLast(2))q.json", with: definitions)
            let resource = try Published.resource("response-validation/\(name).json")
            let response = try #require(resource.as(QuestionnaireResponse.self))
            let problems = ResponseValidator(form).problems(in: response)
            let isAsPublished = problems.errors.isEmpty == (columns[4] == "True")
            #expect(isAsPublished == (Self.deviations[name] == nil), "\(name): \(problems)")
            checked += 1
            guard isAsPublished else { continue }
            for outcome in columns[6].components(separatedBy: " ;; ") where outcome.contains(":") {
                let parts = outcome.split(separator: ":").map(String.init)
                let wanted = try #require(Self.codes[parts[1]], "\(name): \(outcome)")
                let found = parts[0] == "warning" ? problems.warnings : problems.errors
                #expect(!wanted.isDisjoint(with: found), "\(name): \(outcome), found \(found)")
            }
        }
        #expect(checked == 37)
        #expect(Self.deviations.keys.sorted() == ["choice-async-qr", "questionnaire-not-resolved-qr"])
    }

    /// Without them, the display texts of a value set are unknown, and nothing is reported.
    @Test func unknownDisplayTextsAreNotChecked() throws {
        let resource = try Published.resource("response-validation/open-choice-gender-coding-async-qr.json")
        let response = try #require(resource.as(QuestionnaireResponse.self))
        let form = try Published.form("response-validation/open-choice-gender-coding-async-q.json")
        #expect(ResponseValidator(form).problems(in: response).isEmpty)
    }

    @Test func initialAnswersOfPublishedFormsHaveTheTextsOfTheirCodes() throws {
        let definitions = try PublishedDefinitionsFolder()
        var answered = 0
        for name in try Published.forms() {
            let session = FormSession(try Published.form(name, with: definitions))
            answered += session.response().item.isEmpty ? 0 : 1
            #expect(!session.problems().map(\.code).contains("coding-display"), "\(name)")
        }
        #expect(answered > 10)
    }

    /// Errors in the published forms, each verified in the form.
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
        "lforms/ussg-fhp.json": ["que-0", "options-missing"],
        "lforms/variable-scope-test.json": ["que-0", "expression-variable-unknown"],
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
            // None of the errors stops a session or a response.
            let session = FormSession(form)
            _ = session.problems()
        }
    }

    @Test func thePHQ9IsAnsweredFromEndToEnd() throws {
        let form = try Published.form("researchkit-on-fhir/PHQ-9.json")
        let questions = form.items[0].children
        #expect(questions.count == 9)
        // Each answer in another notation: code, system|code, display, coding.
        let option = { (index: Int) in try #require(questions[index].options)[index % 4].value.json }
        var answers = JSONObject()
        for (index, question) in questions.enumerated() {
            let coding = try option(index)
            let (system, code) = (coding["system"]?.string ?? "", coding["code"]?.string ?? "")
            answers[question.linkID] =
                switch index % 4 {
                case 0: .string(code)
                case 1: .string("\(system)|\(code)")
                case 2: coding["display"] ?? .null
                default: ["valueCoding": coding]
                }
        }
        let authored = try #require(DateTime.init("2021-12-01T08:00:00+01:00"))
        let (response, problems) = form.answer(.object(answers), subject: "Patient/1", authored: authored)
        #expect(problems.errors.isEmpty, "\(problems)")
        #expect(response.questionnaire == form.canonical)
        #expect(response.item.map(\.linkId) == ["H1/T1"])
        let items = response.item[0].item
        #expect(items.map(\.linkId) == questions.map(\.linkID))
        for (index, item) in items.enumerated() {
            let expected = try option(index)
            #expect(item.text == questions[index].text)
            #expect(item.answer.map { $0["valueCoding"] } == [expected])
        }
        #expect(try Resource(response.json.bytes()).as(QuestionnaireResponse.self) == response)
    }

    @Test func skipLogicIsFollowed() throws {
        let form = try Published.form("researchkit-on-fhir/SkipLogicExample.json")
        let (likes, flavor) = (form.items[0].linkID, form.items[1].linkID)
        for (answer, isAsked) in [(true, true), (false, false)] {
            var answers = JSONObject()
            answers[likes] = .bool(answer)
            answers[flavor] = "vanilla"
            let (response, problems) = form.answer(.object(answers), subject: nil, authored: nil)
            #expect(response.item.contains { $0.linkId == flavor } == isAsked)
            #expect(problems.warnings.contains("not-enabled") != isAsked)
        }
    }

    /// The response belongs to another edition of the form: one of its items is unknown.
    @Test func aResponseToAnotherEditionIsRefused() throws {
        let form = try Published.form("lforms/ussg-fhp.json")
        let response = try #require(
            try Published.resource("lforms/fhir-sdc-response-ussgfht.json").as(QuestionnaireResponse.self))
        let problems = ResponseValidator(form).problems(in: response)
        #expect(problems.filter { $0.code == "link-id-unknown" }.map(\.linkID) == ["/54126-8/39156-5"])
        // The matching part can be continued, and makes a response without unknown or misordered items.
        let session = FormSession(form, response: response)
        let codes = session.problems().errors
        #expect(!codes.contains("link-id-unknown") && !codes.contains("item-order") && !codes.isEmpty)
    }
}
