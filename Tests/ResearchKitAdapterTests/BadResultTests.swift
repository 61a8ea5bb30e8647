import FHIR
import Foundation
import ResearchKit
import ResearchKitForms
import TestSupport
import Testing

@testable import ResearchKitAdapter

/// JSON that is no result of ResearchKit.
@Suite struct BadResultTests {
    private func error(_ text: String) -> SurveyResultError? {
        do throws(SurveyResultError) {
            _ = try RestoredResult(Data(text.utf8))
            return nil
        } catch { return error }
    }

    private static let uuid = #""taskRunUUID": "FDFCC3EC-01B6-43E7-8200-9B93E2744BB8""#

    @Test(arguments: [
        ("", "result-not-json", "line 1, column 1"), ("[]", "result-class-missing", "$"),
        (#"{"_class": 7}"#, "result-class-missing", "$"),
        (#"{"_class": "ORKResult", "startDate": "today"}"#, "result-malformed", "$.startDate"),
        (#"{"_class": "ORKResult", "userInfo": []}"#, "result-malformed", "$.userInfo"),
        (#"{"_class": "ORKTaskResult"}"#, "result-malformed", "$.taskRunUUID"),
        (#"{"_class": "ORKTaskResult", "taskRunUUID": "7"}"#, "result-malformed", "$.taskRunUUID"),
        (#"{"_class": "ORKTaskResult", "taskRunUUID": 7}"#, "result-malformed", "$.taskRunUUID"),
        (#"{"_class": "ORKTaskResult", \#(uuid), "device": 7}"#, "result-malformed", "$.device"),
        (#"{"_class": "ORKTaskResult", \#(uuid), "device": {"product": 7}}"#, "result-malformed", "$.device.product"),
        (#"{"_class": "ORKStepResult", "results": {}}"#, "result-malformed", "$.results"),
        (#"{"_class": "ORKStepResult", "results": [null]}"#, "result-class-missing", "$.results[0]"),
        (#"{"_class": "ORKStepResult", "isPreviousResult": ""}"#, "result-malformed", "$.isPreviousResult"),
        (
            #"{"_class": "ORKStepResult", "results": [{"_class": "ORKSESQuestionResult", "rungPicked": "1"}]}"#,
            "result-malformed", "$.results[0].rungPicked"
        ),
        (#"{"_class": "ORKQuestionResult", "questionType": "text"}"#, "result-malformed", "$.questionType"),
        (#"{"_class": "ORKQuestionResult", "questionType": 1.5}"#, "result-malformed", "$.questionType"),
        (#"{"_class": "ORKQuestionResult", "noAnswerType": "no"}"#, "result-malformed", "$.noAnswerType"),
        (#"{"_class": "ORKNumericQuestionResult", "numericAnswer": 1e400}"#, "result-malformed", "$.numericAnswer"),
        (#"{"_class": "ORKNumericQuestionResult", "displayUnit": 1}"#, "result-malformed", "$.displayUnit"),
        (
            #"{"_class": "ORKMultipleComponentQuestionResult", "componentsAnswer": "a"}"#, "result-malformed",
            "$.componentsAnswer"
        ),
        (#"{"_class": "ORKDateQuestionResult", "timeZone": "UTC"}"#, "result-malformed", "$.timeZone"),
        (#"{"_class": "ORKDateQuestionResult", "calendar": 1}"#, "result-malformed", "$.calendar"),
        (
            #"{"_class": "ORKTimeOfDayQuestionResult", "dateComponentsAnswer": "24:00"}"#, "result-malformed",
            "$.dateComponentsAnswer"
        ),
        (
            #"{"_class": "ORKTimeOfDayQuestionResult", "dateComponents": {"calendar": "mayan"}}"#, "result-malformed",
            "$.dateComponents.calendar"
        ),
        (
            #"{"_class": "ORKTimeOfDayQuestionResult", "dateComponents": {"hour": 1e30}}"#, "result-malformed",
            "$.dateComponents.hour"
        ),
        (#"{"_class": "ORKLocationQuestionResult", "locationAnswer": 7}"#, "result-malformed", "$.locationAnswer"),
        (
            #"{"_class": "ORKLocationQuestionResult", "locationAnswer": {}}"#, "result-malformed",
            "$.locationAnswer.coordinate"
        ),
        (
            #"{"_class": "ORKLocationQuestionResult", "locationAnswer": {"coordinate": {"latitude": "1"}}}"#,
            "result-malformed", "$.locationAnswer.coordinate.latitude"
        ),
        (
            """
            {"_class": "ORKLocationQuestionResult", "locationAnswer": {"coordinate": {"latitude": 1, "longitude": 2}, \
            "region": {"radius": 1}}}
            """, "result-malformed", "$.locationAnswer.region.coordinate"
        ),
        (#"{"_class": "ORKConsentSignatureResult", "signature": "A"}"#, "result-malformed", "$.signature"),
        (
            #"{"_class": "ORKConsentSignatureResult", "signature": {"title": 1}}"#, "result-malformed",
            "$.signature.title"
        ),
        (#"{"_class": "ORKConsentSignatureResult", "consented": "yes"}"#, "result-malformed", "$.consented"),
        (#"{"_class": "ORKFileResult", "fileName": 1}"#, "result-malformed", "$.fileName"),
        (#"{"_class": "ORKSignatureResult", "signaturePath": [[7]]}"#, "result-malformed", "$.signaturePath[0][0]"),
        (
            #"{"_class": "ORKSignatureResult", "signaturePath": [[{"type": "jump"}]]}"#, "result-malformed",
            "$.signaturePath[0][0].type"
        ),
        (
            #"{"_class": "ORKSignatureResult", "signaturePath": [[{"type": "line", "points": []}]]}"#,
            "result-malformed", "$.signaturePath[0][0].points"
        ),
        (
            #"{"_class": "ORKSignatureResult", "signaturePath": [[{"type": "line", "points": [{"x": 1}]}]]}"#,
            "result-malformed", "$.signaturePath[0][0].points[0].y"
        ),
    ])
    func aFaultHasACodeAndALocation(text: String, code: String, location: String) {
        let error = error(text)
        #expect(error?.code == code && error?.location == location, "\(String(describing: error))")
    }

    @Test(arguments: [
        (#"{"_class":"ORKQuestionResult","questionType":99}"#, "questionType"),
        (#"{"_class":"ORKQuestionResult","noAnswerType":{"_class":"MyReason"}}"#, "noAnswerType"),
        (#"{"_class":"ORKChoiceQuestionResult","choiceAnswers":["a",{"code":"b"}]}"#, "choiceAnswers"),
        (#"{"_class":"ORKDateQuestionResult","calendar":"mayan"}"#, "calendar"),
        (#"{"_class":"ORKDateQuestionResult","timeZone":999999}"#, "timeZone"),
        (#"{"_class":"ORKResult","userInfo":{"a":1e999}}"#, "userInfo"),
    ])
    func aValueThatAnObjectCannotHaveIsReportedAndKept(text: String, member: String) throws {
        let restored = try RestoredResult(Data(text.utf8))
        #expect(restored.unconverted.map(\.member) == [member] && restored.unconverted.classNames == [])
        #expect(try restored.serialized().json.text() == text)
    }

    @Test func theMembersOfUnknownClassesAreTheirOwn() throws {
        let text = #"{"_class":"MyResult","userInfo":7,"results":"mine","signature":1,"taskRunUUID":2,"endDate":null}"#
        let restored = try RestoredResult(Data(text.utf8))
        #expect(restored.unconverted.classNames == ["MyResult"] && restored.object.userInfo == nil)
        #expect(try restored.serialized().json.text() == text)
    }

    @Test func deepResultsAndManyResultsAreRefused() {
        var deep = #"{"_class":"ORKStepResult"}"#
        for _ in 0..<40 { deep = #"{"_class":"ORKStepResult","results":[\#(deep)]}"# }
        #expect(error(deep)?.code == "result-too-deep")
        let many = Array(repeating: #"{"_class":"ORKResult"}"#, count: 100_001).joined(separator: ",")
        #expect(error(#"{"_class":"ORKStepResult","results":[\#(many)]}"#)?.code == "result-too-many")
        #expect(error(#"{"_class":"ORKResult","userInfo":"# + String(repeating: "[", count: 100_000)) != nil)
    }

    @Test func anyDamageGivesObjectsOrAnError() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let whole = try ResultSamples.task.serialized().json
        for _ in 0..<1_000 {
            let damaged = Self.damaged(whole, using: &generator)
            do throws(SurveyResultError) {
                let restored = try RestoredResult(json: damaged)
                #expect(try restored.serialized().json == damaged, "seed \(seed)")
            } catch {
                #expect(error.location.hasPrefix("$") && !error.message.isEmpty, "seed \(seed)")
            }
        }
    }

    /// Replaces one value at a random location.
    private static func damaged(_ json: JSON, using generator: inout Seeded) -> JSON {
        let others: [JSON] = [nil, true, 7, -1, "", "x", [], [1], [:], ["_class": "ORKResult"]]
        if Int.random(in: 0..<12, using: &generator) == 0 { return others.randomElement(using: &generator) ?? .null }
        switch json {
        case .array(var elements):
            guard let index = elements.indices.randomElement(using: &generator) else { return ["x"] }
            elements[index] = damaged(elements[index], using: &generator)
            return .array(elements)
        case .object(var object):
            guard let name = object.keys.randomElement(using: &generator) else { return ["x": 1] }
            object[name] = damaged(object[name] ?? .null, using: &generator)
            return .object(object)
        default: return others.randomElement(using: &generator) ?? .null
        }
    }
}
