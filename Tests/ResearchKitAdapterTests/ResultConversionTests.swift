import FHIR
import Foundation
import ResearchKit
import ResearchKitForms
import ResearchKit_Private
import ResearchResults
import Testing

@testable import ResearchKitAdapter

/// Each class of ResearchKit's results as JSON and back.
@Suite struct ResultConversionTests {
    /// Returns the object that is read from the JSON of a result.
    private func again<Result: ORKResult>(_ result: Result) throws -> Result {
        try #require(try RestoredResult(try result.serialized().json.data()).object as? Result)
    }

    @Test func eachClassHasTheSameJSONAfterReading() throws {
        let task = ResultSamples.task
        let written = try task.serialized()
        #expect(written.unconverted == [] && written.files == [])
        let restored = try RestoredResult(json: written.json)
        #expect(restored.unconverted == [])
        #expect(restored.object !== task && restored.task?.outputDirectory == nil)
        // From the objects alone, without the JSON that they were read from.
        #expect(try restored.object.serialized().json == written.json)
        #expect(try restored.serialized().json == written.json)
        let classes = Set(restored.object.all.map { String(describing: type(of: $0)) })
        #expect(classes == Set(ResultClass.allCases.map(\.name)), "the samples have each class")
    }

    @Test func theNamesAreThoseOfResearchKitsSerializer() throws {
        let names = try ResultSamples.task.all.map { result in
            try result.serialized().json.object?.keys.filter { $0 != "results" } ?? []
        }
        let common: Set = ["_class", "identifier", "startDate", "endDate", "userInfo"]
        let own = names.map {
            Set($0).subtracting(common).subtracting(["questionType"]).sorted().joined(separator: " ")
        }
        #expect(names.allSatisfy { common.isSubset(of: $0) })
        #expect(
            own == [
                "device taskRunUUID", "isPreviousResult", "", "booleanAnswer", "choiceAnswers",
                "componentsAnswer separator", "displayUnit numericAnswer unit", "scaleAnswer", "textAnswer",
                "dateComponentsAnswer", "intervalAnswer", "calendar dateAnswer timeZone", "locationAnswer",
                "rungPicked", "isPreviousResult", "", "", "contentType fileName", "consented signature",
                "signaturePath",
            ])
    }

    @Test func theCommonMembersAreRestored() throws {
        let plain = try again(ResultSamples.common(ORKResult(identifier: "plain")))
        #expect(plain.identifier == "plain" && plain.startDate == ResultSamples.start)
        #expect(plain.endDate == ResultSamples.start.addingTimeInterval(60))
        let info = try #require(plain.userInfo)
        #expect(info["attempt"] as? Int == 2 && info["device"] as? [String] == ["left", "right"])
        #expect(info["isPractice"] as? Bool == true && (info["more"] as? [String: Any])?["level"] as? Double == 0.5)
        #expect(info.count == 4)
    }

    @Test func collectionsAreRestored() throws {
        let task = try again(ResultSamples.task)
        #expect(task.device.osBuild == "22B" && task.device.product == "Phone")
        #expect(task.results?.map(\.identifier) == ["questions", "others"])
        #expect(task.stepResult(forStepIdentifier: "questions")?.isPreviousResult == true)
        #expect(task.stepResult(forStepIdentifier: "others")?.isPreviousResult == false)
        let collection = task.stepResult(forStepIdentifier: "others")?.results?.first as? ORKCollectionResult
        #expect(collection?.results?.count == 4)
    }

    @Test func choicesAndComponentsAreRestored() throws {
        let choice = ORKChoiceQuestionResult(identifier: "c")
        choice.choiceAnswers = [NSString(string: "a"), NSNumber(value: 2), NSNumber(value: false), NSNull()]
        let json = try choice.serialized().json
        #expect(json["choiceAnswers"]?.text() == #"["a",2,false,null]"#)
        let values = try #require(try again(choice).choiceAnswers)
        #expect(values.map { ($0 as? NSString).map(String.init(describing:)) } == ["a", nil, nil, nil])
        #expect(values[1] as? NSNumber == 2 && values[2] as? NSNumber == false && values[3] is NSNull)
        choice.choiceAnswers = [NSDate(timeIntervalSince1970: 0)]
        let time = try choice.serialized().json["choiceAnswers"]?[0]?.string
        #expect(time.flatMap(ResultTime.dateTime)?.start() == Date(timeIntervalSince1970: 0))
        let components = try again(ResultSamples.questions[3])
        #expect((components as? ORKMultipleComponentQuestionResult)?.separator == ", ")
        #expect((components as? ORKMultipleComponentQuestionResult)?.componentsAnswer?.count == 2)
    }

    @Test(arguments: [
        (NSNumber(value: 0.1 + 0.2), "0.30000000000000004"), (NSNumber(value: Float(1.16)), "1.16"),
        (NSNumber(value: 5.0), "5"), (NSNumber(value: -0.0), "0"), (NSNumber(value: 1e20), "1e+20"),
        (NSNumber(value: Int.min), "-9223372036854775808"), (NSDecimalNumber(string: "1.10"), "1.1"),
        (NSNumber(value: true), "true"),
    ])
    func numbersAreWrittenWithAllOfTheirDigits(number: NSNumber, expected: String) throws {
        #expect(ResultValues.truthOrNumber(number)?.text() == expected)
        let boolean = ORKBooleanQuestionResult(identifier: "b")
        boolean.booleanAnswer = number
        #expect(try again(boolean).booleanAnswer?.doubleValue == Double(expected) ?? 1)
    }

    @Test func aNumberThatIsNotFiniteIsReported() throws {
        let scale = ORKScaleQuestionResult(identifier: "s")
        scale.scaleAnswer = NSNumber(value: Double.nan)
        let written = try scale.serialized()
        #expect(written.json["scaleAnswer"]?.text() == nil)
        #expect(written.unconverted.map(\.description) == ["$.scaleAnswer: ORKScaleQuestionResult"])
        #expect(written.unconverted.classNames == [])
    }

    @Test func userInfoThatIsNoJSONIsReported() throws {
        for value in [Data([1]), ["a": URL(fileURLWithPath: "/")], [7: "seven"], [Double.infinity]] as [Any] {
            let result = ORKResult(identifier: "r")
            result.userInfo = ["value": value]
            let written = try result.serialized()
            #expect(written.unconverted.map(\.location) == ["$.userInfo"] && written.json["userInfo"] == nil)
        }
        var deep: [String: Any] = [:]
        for _ in 0..<100 { deep = ["a": deep] }
        let result = ORKResult(identifier: "r")
        result.userInfo = deep
        #expect(try result.serialized().unconverted.map(\.member) == ["userInfo"])
    }

    @Test func aReasonForNoAnswerIsRestored() throws {
        for sample in ResultSamples.questions {
            let json = try sample.serialized().json
            var object = try #require(json.object)
            for name in object.keys where name.hasSuffix("Answer") || name.hasSuffix("Answers") { object[name] = nil }
            object["rungPicked"] = nil
            object["noAnswerType"] = ["_class": "ORKDontKnowAnswer"]
            let restored = try RestoredResult(json: .object(object))
            #expect((restored.object as? ORKQuestionResult)?.noAnswerType is ORKDontKnowAnswer)
            #expect(restored.unconverted == [])
            #expect(try restored.object.serialized().json["noAnswerType"]?.text() == #"{"_class":"ORKDontKnowAnswer"}"#)
        }
    }

    @Test func imagesAndFilesAreListedSeparately() throws {
        let image = try #require(UIImage(data: Data([0xFF, 0xD8, 0xFF])))
        let consent = ORKConsentSignatureResult(identifier: "consent")
        consent.consented = true
        consent.signature = ResultSamples.consentSignature
        consent.signature?.signatureImage = image
        let drawn = ORKSignatureResult(identifier: "drawn")
        drawn.signatureImage = image
        let file = ORKFileResult(identifier: "file")
        file.fileURL = URL(fileURLWithPath: "/tmp/walk.json")
        let step = ORKStepResult(stepIdentifier: "step", results: nil)
        step.results = [consent, drawn, file]
        let task = ORKTaskResult(taskIdentifier: "t", taskRun: UUID(), outputDirectory: nil)
        task.results = [step]
        let written = try task.serialized()
        #expect(written.images.map(\.identifier) == ["consent", "drawn"])
        #expect(written.images.map(\.location) == ["$.results[0].results[0]", "$.results[0].results[1]"])
        #expect(written.images.allSatisfy { $0.image === image })
        #expect(written.files.map(\.url.path) == ["/tmp/walk.json"] && written.files[0].identifier == "file")
        #expect(!written.json.text().contains("mage\":{") && !written.json.text().contains("/tmp/"))
        #expect(try ConsentSignature(in: written.json).familyName == "Wayne")
    }

    @Test func anAppsOwnClassIsReported() throws {
        final class MyResult: ORKResult { var level = 3 }
        final class MyScale: ORKScaleQuestionResult {}
        let own = ResultSamples.common(MyResult(identifier: "own"))
        let scale = MyScale(identifier: "scale")
        scale.scaleAnswer = 5
        let step = ORKStepResult(stepIdentifier: "step", results: nil)
        step.results = [own, scale]
        let written = try step.serialized()
        #expect(written.unconverted.map(\.location) == ["$.results[0]", "$.results[1]"])
        #expect(written.unconverted.classNames == ["MyResult", "MyScale"])
        #expect(written.json["results"]?[0]?["_class"] == "MyResult")
        #expect(
            written.json["results"]?[0]?.object?.keys == ["_class", "identifier", "startDate", "endDate", "userInfo"])
        #expect(written.json["results"]?[1]?["_class"] == "ORKScaleQuestionResult")
        #expect(written.json["results"]?[1]?["scaleAnswer"] == 5)
        let restored = try RestoredResult(json: written.json)
        #expect(restored.unconverted.classNames == ["MyResult"])
    }

    @Test func aResultThatContainsItselfIsAnError() {
        let step = ORKStepResult(stepIdentifier: "step", results: nil)
        step.results = [step, step]
        defer { step.results = nil }
        #expect(code { _ = try step.serialized() } == "result-too-deep")
        let many = ORKStepResult(stepIdentifier: "step", results: nil)
        many.results = Array(repeating: ORKResult(identifier: "r"), count: SurveyResult.maximumResults)
        #expect(code { _ = try many.serialized() } == "result-too-many")
        // The answers of a form are cut instead.
        #expect(SurveyResult(step).results.count == 1)
    }

    /// Returns the code of the error that the body throws.
    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? any CodedError)?.code }
    }
}
