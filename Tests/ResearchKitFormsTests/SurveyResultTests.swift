import FHIR
import Foundation
import TestSupport
import Testing

@testable import ResearchKitForms

/// Results in the JSON of ResearchKit's serializer.
@Suite struct SurveyResultTests {
    private static let folder = PublishedData.url("researchkit-results")

    private func error(_ text: String) -> SurveyResultError? {
        do throws(SurveyResultError) {
            _ = try SurveyResult(Data(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(.enabled(if: folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func thePublishedResultsAreTheSameAfterReadingAndWriting() throws {
        let files = PublishedData.files(below: try #require(Self.folder))
        #expect(files.count == 56)
        for file in files {
            let bytes = try Data(contentsOf: file)
            let result = try SurveyResult(bytes)
            let again = try SurveyResult(result.json.data())
            #expect(result.json == (try JSON(bytes)) && again == result, "\(file.lastPathComponent)")
            #expect(result.className == file.deletingPathExtension().lastPathComponent.split(separator: "-")[0])
        }
    }

    @Test func anUnknownClassInATaskResultIsKept() throws {
        let text = """
            {"_class":"ORKTaskResult","identifier":"t","x":[1.50,1e2],"results":[{"_class":"ORKStepResult","identifier":"s",\
            "results":[{"_class":"MyResult","identifier":"q","level":3.10,"results":"mine","numericAnswer":"mine"}]}]}
            """
        let result = try SurveyResult(Data(text.utf8))
        #expect(result.json.text() == text)
        #expect(result.results.first?.results.first?.className == "MyResult")
    }

    @Test func numbersKeepTheirDigits() throws {
        let text = #"{"_class":"ORKNumericQuestionResult","identifier":"q","numericAnswer":1.2300}"#
        #expect(try SurveyResult(Data(text.utf8)).json.text() == text)
    }

    @Test func damagedJSONIsAnErrorWithItsLineAndColumn() {
        let error = error("{\"_class\": \"ORKTaskResult\",\n \"results\": [}")
        #expect(error?.code == "result-not-json" && error?.location == "line 2, column 14")
        #expect(self.error("")?.code == "result-not-json")
    }

    @Test(arguments: [
        (#"[]"#, "result-class-missing", "$"), (#"{"identifier": "x"}"#, "result-class-missing", "$"),
        (#"{"_class": "ORKTaskResult", "results": {}}"#, "result-malformed", "$.results"),
        (
            #"{"_class": "ORKTaskResult", "results": [{"_class": "ORKStepResult", "results": [7]}]}"#,
            "result-class-missing", "$.results[0].results[0]"
        ),
        (
            #"{"_class": "ORKTaskResult", "results": [{"_class": "ORKNumericQuestionResult", "numericAnswer": "1"}]}"#,
            "result-malformed", "$.results[0].numericAnswer"
        ),
        (#"{"_class": "ORKResult", "endDate": "yesterday"}"#, "result-malformed", "$.endDate"),
        (#"{"_class": "ORKResult", "identifier": 1}"#, "result-malformed", "$.identifier"),
        (#"{"_class": "ORKChoiceQuestionResult", "choiceAnswers": "a"}"#, "result-malformed", "$.choiceAnswers"),
        (
            #"{"_class": "ORKTimeOfDayQuestionResult", "dateComponentsAnswer": "25:00"}"#, "result-malformed",
            "$.dateComponentsAnswer"
        ),
    ])
    func aMemberOfTheWrongTypeIsAnErrorWithItsPath(text: String, code: String, location: String) {
        #expect(error(text)?.code == code && error(text)?.location == location)
    }

    @Test func deepResultsAndManyResultsAreRefused() throws {
        var deep = #"{"_class":"ORKStepResult"}"#
        for _ in 0..<40 { deep = #"{"_class":"ORKStepResult","results":[\#(deep)]}"# }
        #expect(error(deep)?.code == "result-too-deep")
        let one = #"{"_class":"ORKResult"}"#
        let many = Array(repeating: one, count: SurveyResult.maximumResults).joined(separator: ",")
        #expect(error(#"{"_class":"ORKTaskResult","results":[\#(many)]}"#)?.code == "result-too-many")
        #expect(error(String(repeating: "[", count: 100_000))?.code == "result-not-json")
    }

    @Test func nullMembersAreAbsent() throws {
        let result = try SurveyResult(Data(#"{"_class":"ORKTextQuestionResult","textAnswer":null}"#.utf8))
        #expect(result["textAnswer"]?.text() == nil && result.json["textAnswer"]?.isNull == true)
    }

    @Test func anyDamageGivesAResultOrAnError() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let whole = Array(
            #"{"_class":"ORKTaskResult","endDate":"2019-05-27T00:35:06-0700","identifier":"t","results":[{"_class":"ORKStepResult","results":[{"_class":"ORKNumericQuestionResult","numericAnswer":1.5}]}]}"#
                .utf8)
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
                default: bytes.insert(bytes[Int.random(in: bytes.indices, using: &generator)], at: index)
                }
            }
            do throws(SurveyResultError) {
                let result = try SurveyResult(bytes)
                #expect((try? SurveyResult(result.json.data())) == result)
            } catch {
                #expect(!error.location.isEmpty && !error.message.isEmpty, "seed \(seed)")
            }
        }
    }
}
