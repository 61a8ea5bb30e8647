import FHIR
import Foundation
import Storage
import Submissions
import Testing

@testable import Admission
@testable import Consumer
@testable import RecordStorage

@Suite struct AnswerValidationTests {
    private static let pain = "https://example.org/pain"

    private static func form(_ version: String = "1", maximum: Int = 100) -> String {
        """
        {"resourceType":"Questionnaire","url":"\(pain)","version":"\(version)","status":"active","item":[
         {"linkId":"pain","type":"integer","required":true,"extension":[
          {"url":"http://hl7.org/fhir/StructureDefinition/minValue","valueInteger":0},
          {"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":\(maximum)}]},
         {"linkId":"where","type":"choice","answerOption":[{"valueCoding":{"system":"http://x","code":"head"}}]}]}
        """
    }

    private static func response(
        _ items: String, form: String? = "\(pain)|1", status: String = "completed"
    ) -> String {
        let name = form.map { #""questionnaire":"\#($0)","# } ?? ""
        return """
            {"resourceType":"QuestionnaireResponse","status":"\(status)",\(name)\
            "subject":{"reference":"Patient/p1"},"authored":"2026-01-02T08:00:00+02:00","item":[\(items)]}
            """
    }

    private static let right = #"{"linkId":"pain","answer":[{"valueInteger":7}]}"#

    /// Sends a response after a contract and returns its outcome.
    private func outcome(
        of response: String, strictness: ValidationStrictness = .errors, acceptsC3PRO: Bool = true,
        forms: [String] = [form()]
    ) async throws -> SubmissionOutcome? {
        let published = try forms.map { Questionnaire(try #require(try JSON(parsing: $0).object)) }
        let fixture = try await ConsumerFixture(
            c3pro: C3PROAcceptance(isAccepted: acceptsC3PRO, acceptsContractsWithoutTerms: true),
            strictness: strictness, forms: published)
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        let (before, versions) = (try await fixture.facts, try await fixture.versions)
        let outcome = try await fixture.send(response, from: client)
        // The whole resource is stored, or nothing.
        let isStored = outcome?.status == .stored
        #expect((try await fixture.facts > before) == isStored)
        #expect(try await fixture.versions == versions + (isStored ? 1 : 0))
        try await fixture.close()
        return outcome
    }

    @Test func rightAnswersAreStored() async throws {
        #expect(try await outcome(of: Self.response(Self.right))?.status == .stored)
    }

    /// A form with a score, a question that is enabled by an expression, and an option that the same expression makes
    /// available.
    private static func scored(
        _ expression: String, score: String = "%resource.item.where(linkId = 'pain').answer.value * 10"
    ) -> String {
        let extensions = #""extension":[{"url":"http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"#
        return """
            {"resourceType":"Questionnaire","url":"\(pain)","version":"1","status":"active","item":[
             {"linkId":"pain","type":"integer"},
             {"linkId":"score","type":"integer","readOnly":true,\(extensions)calculatedExpression","valueExpression":
              {"language":"text/fhirpath","expression":"\(score)"}}]},
             {"linkId":"more","type":"string","required":true,\(extensions)enableWhenExpression","valueExpression":
              {"language":"text/fhirpath","expression":"\(expression)"}}]},
             {"linkId":"pill","type":"choice","answerOption":[
              {"valueCoding":{"system":"http://x","code":"weak"}},{"valueCoding":{"system":"http://x","code":"strong"}}],
              \(extensions)answerOptionsToggleExpression","extension":[
               {"url":"option","valueCoding":{"system":"http://x","code":"strong"}},
               {"url":"expression","valueExpression":{"language":"text/fhirpath","expression":"\(expression)"}}]}]}]}
            """
    }

    private static func pill(_ code: String) -> String {
        #"{"linkId":"pill","answer":[{"valueCoding":{"system":"http://x","code":"\#(code)"}}]}"#
    }

    /// An item after the answer 7, with the problem and its path in the response; nil if the item is right.
    private static let claims: [(item: String, problem: (code: String, linkID: String, path: String)?)] = [
        (#"{"linkId":"score","answer":[{"valueInteger":70}]}"#, nil),
        (
            #"{"linkId":"score","answer":[{"valueInteger":99999}]}"#,
            ("calculated-value", "score", "QuestionnaireResponse.item[1]")
        ),
        (
            #"{"linkId":"more","answer":[{"valueString":"Jane Doe"}]}"#,
            ("not-enabled", "more", "QuestionnaireResponse.item[1]")
        ),
        (pill("weak"), nil),
        (pill("strong"), ("option", "pill", "QuestionnaireResponse.item[1].answer[0]")),
        (pill("JaneDoe"), ("option", "pill", "QuestionnaireResponse.item[1].answer[0]")),
    ]

    @Test(arguments: claims.indices)
    func calculationsOfADeviceAreCheckedAgain(index: Int) async throws {
        let (item, problem) = Self.claims[index]
        let form = Self.scored("%resource.item.where(linkId = 'pain').answer.value > 8")
        let outcome = try #require(try await outcome(of: Self.response(Self.right + "," + item), forms: [form]))
        #expect(outcome.status == (problem == nil ? .stored : .quarantined))
        guard let problem else { return }
        #expect(outcome.reasonCode == "answers-invalid")
        let detail = try #require(outcome.detail)
        #expect(detail.contains("\(problem.code) at \(problem.linkID)"))
        for secret in ["99999", "Jane", "Doe"] { #expect(!detail.contains(secret)) }
    }

    @Test(arguments: claims.indices)
    func calculationsOfAProgramAreCheckedAgain(index: Int) async throws {
        let (item, problem) = Self.claims[index]
        let form = Self.scored("%resource.item.where(linkId = 'pain').answer.value > 8")
        let error = try await refusal(of: Self.response(Self.right + "," + item), form: form)
        guard let problem else {
            #expect(error == nil)
            return
        }
        #expect(error?.kind == .rule && error?.code == "answers-invalid")
        let issue = try #require(error?.issues.first)
        #expect(error?.issues.count == 1 && issue.coding?.code == problem.code && issue.expression == problem.path)
        for secret in ["99999", "Jane", "Doe"] {
            #expect(error?.message.contains(secret) == false && !issue.message.contains(secret))
        }
    }

    /// Writes a response as a program does, and returns the refusal.
    private func refusal(of response: String, form: String) async throws -> RecordAdmissionError? {
        let form = Questionnaire(try #require(try JSON(parsing: form).object))
        let fixture = try await ConsumerFixture(strictness: .errors, forms: [form])
        let session = await fixture.processor.admission.begin(at: Date())
        let resource = try Resource(Data(response.utf8))
        var refusal: RecordAdmissionError?
        do { _ = try session.admit(resource, id: "r") } catch { refusal = error }
        try await fixture.close()
        return refusal
    }

    /// The server has no `%patient`: answers of people cannot contradict what it does not evaluate.
    @Test(arguments: [
        #"{"linkId":"score","answer":[{"valueInteger":70}]}"#, #"{"linkId":"more","answer":[{"valueString":"x"}]}"#,
        pill("strong"), pill("weak"),
    ])
    func expressionsOfDataThatTheServerLacksRequireNothing(item: String) async throws {
        let response = Self.response(Self.right + "," + item)
        for score in ["%resource.item.where(linkId = 'pain').answer.value * 10", "%patient.name.count() + 69"] {
            let form = Self.scored("%patient.gender = 'female'", score: score)
            #expect(try await outcome(of: response, forms: [form])?.status == .stored)
            #expect(try await refusal(of: response, form: form) == nil)
        }
    }

    @Test func dataThatTheServerLacksDoNotExcuseOtherAnswers() async throws {
        let form = Self.scored("%patient.gender = 'female'")
        let response = Self.response(
            Self.right
                + #",{"linkId":"score","answer":[{"valueInteger":71}]},{"linkId":"more","answer":[{"valueString":"x"}]}"#
        )
        let outcome = try #require(try await outcome(of: response, forms: [form]))
        #expect(outcome.status == .quarantined && outcome.detail?.contains("calculated-value at score") ?? false)
        let error = try #require(try await refusal(of: response, form: form))
        #expect(error.issues.map(\.coding?.code) == ["calculated-value"])
    }

    @Test func anExpressionWithoutAnEndIsAFailure() async throws {
        let form = Self.scored(
            "(1 | 2 | 3 | 4 | 5 | 6 | 7 | 8).repeat($this.toString() + $this.toString()).count() > 1")
        let outcome = try #require(try await outcome(of: Self.response(Self.right), forms: [form]))
        #expect(outcome.status == .quarantined)
    }

    @Test(arguments: [
        (#"{"linkId":"pain","answer":[{"valueInteger":99999}]}"#, "max-value at pain"),
        (#"{"linkId":"pain","answer":[{"valueInteger":-1}]}"#, "min-value at pain"),
        (#"{"linkId":"pain","answer":[{"valueString":"Jane Doe"}]}"#, "answer-type at pain"),
        (
            #"\#(right),{"linkId":"where","answer":[{"valueCoding":{"system":"http://x","code":"JaneDoe"}}]}"#,
            "option at where"
        ),
        (#"\#(right),{"linkId":"JaneDoe","answer":[{"valueInteger":1}]}"#, "link-id-unknown"),
        (#"{"linkId":"where","answer":[{"valueCoding":{"system":"http://x","code":"head"}}]}"#, "required at pain"),
        (#"{"linkId":"pain","answer":[{"valueInteger":7},{"valueInteger":8}]}"#, "repeats at pain"),
    ])
    func wrongAnswersAreQuarantinedWithoutQuotingThem(items: String, problem: String) async throws {
        let outcome = try #require(try await outcome(of: Self.response(items)))
        #expect(outcome.status == .quarantined && outcome.reasonCode == "answers-invalid")
        let detail = try #require(outcome.detail)
        #expect(detail.contains(problem))
        for secret in ["99999", "Jane", "Doe"] { #expect(!detail.contains(secret)) }
    }

    @Test(arguments: [
        nil, "https://example.org/pain|2", "https://example.org/other|1", "Questionnaire/pain",
        "org.chip.c3-pro.activity2",
    ])
    func aFormThatWasNeverPublishedIsQuarantined(name: String?) async throws {
        for strictness in ValidationStrictness.allCases {
            let outcome = try await outcome(
                of: Self.response(Self.right, form: name), strictness: strictness)
            #expect(outcome?.status == .quarantined && outcome?.reasonCode == "form-unknown")
        }
    }

    @Test func withoutAVersionTheNewestFormCounts() async throws {
        let forms = [Self.form("10", maximum: 5), Self.form("9", maximum: 100)]
        let unversioned = Self.response(Self.right, form: Self.pain)
        #expect(try await outcome(of: unversioned, forms: forms)?.reasonCode == "answers-invalid")
        let versioned = Self.response(Self.right, form: "\(Self.pain)|9")
        #expect(try await outcome(of: versioned, forms: forms)?.status == .stored)
    }

    @Test func strictnessOfTheStudyDecides() async throws {
        let tooMuch = Self.response(#"{"linkId":"pain","answer":[{"valueInteger":99999}]}"#)
        let ofAnotherType = Self.response(#"{"linkId":"pain","answer":[{"valueBoolean":true}]}"#)
        for (strictness, taken) in [(ValidationStrictness.none, 2), (.structure, 1), (.errors, 0), (.warnings, 0)] {
            var stored = 0
            for response in [tooMuch, ofAnotherType] {
                let fixture = try await ConsumerFixture(
                    strictness: strictness,
                    forms: [Questionnaire(try #require(try JSON(parsing: Self.form()).object))])
                let client = try await fixture.client()
                _ = try await fixture.send(ConsumerFixture.contract("p1"), from: client)
                if try await fixture.send(response, from: client)?.status == .stored { stored += 1 }
                try await fixture.close()
            }
            #expect(stored == taken, "\(strictness)")
        }
    }

    /// The code is the answer: an app may translate its display text.
    @Test(arguments: [("Head", "head"), ("Kopf", "head"), ("Kopf", "JaneDoe")])
    func aTranslatedDisplayTextIsStored(display: String, code: String) async throws {
        let form = """
            {"resourceType":"Questionnaire","url":"\(Self.pain)","version":"1","status":"active","contained":[
             {"resourceType":"ValueSet","id":"places","status":"active","compose":{"include":[
              {"system":"http://x","concept":[{"code":"head","display":"Head"}]}]}}],
             "item":[{"linkId":"where","type":"choice","answerValueSet":"#places"}]}
            """
        let item =
            #"{"linkId":"where","answer":[{"valueCoding":{"system":"http://x","code":"\#(code)","display":"\#(display)"}}]}"#
        for strictness in [ValidationStrictness.errors, .warnings] {
            let outcome = try await outcome(of: Self.response(item), strictness: strictness, forms: [form])
            #expect(outcome?.status == (code == "head" ? .stored : .quarantined))
            #expect(code == "head" || outcome?.detail?.contains("option at where") == true)
        }
    }

    @Test func incompleteResponseMayLackAnswers() async throws {
        let unfinished = Self.response(
            #"{"linkId":"where","answer":[{"valueCoding":{"system":"http://x","code":"head"}}]}"#, status: "in-progress"
        )
        #expect(try await outcome(of: unfinished)?.status == .stored)
    }

    @Test func activityOfC3PROIsAcceptedWhereItsAppsAre() async throws {
        let activity = Self.response(
            #"{"linkId":"org.chip.c3-pro.activity","item":[{"linkId":"steps","answer":[{"valueInteger":7}]}]}"#,
            form: "Questionnaire/org.chip.c3-pro.activity")
        #expect(try await outcome(of: activity)?.status == .stored)
        let elsewhere = try await outcome(of: activity, acceptsC3PRO: false)
        #expect(elsewhere?.reasonCode == "form-unknown")
    }

    @Test func answersThatNeedTooManyStepsAreQuarantined() async throws {
        let options = (0..<4000).map { #"{"valueCoding":{"system":"http://x","code":"c\#($0)"}}"# }
        let form = """
            {"resourceType":"Questionnaire","url":"\(Self.pain)","version":"1","status":"active","item":[
             {"linkId":"where","type":"choice","repeats":true,"answerOption":[\(options.joined(separator: ","))]}]}
            """
        let answer = #"{"valueCoding":{"system":"http://x","code":"c3999"}}"#
        let answers = Array(repeating: answer, count: 4000).joined(separator: ",")
        let outcome = try await outcome(
            of: Self.response(#"{"linkId":"where","answer":[\#(answers)]}"#), strictness: .structure, forms: [form])
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "too-expensive")
    }
}
