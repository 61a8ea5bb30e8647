import FHIR
import FormAuthoring
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct StoredResponsesTests {
    @Test func eachLineIsChecked() throws {
        let form = try form(#"{"linkId": "q", "type": "integer", "required": true}"#)
        var stored = StoredResponses(form)
        func line(_ item: String) -> Data {
            Data(
                #"{"resourceType": "QuestionnaireResponse", "questionnaire": "https://example.org/form", "status": "completed", "item": [\#(item)]}"#
                    .utf8)
        }
        stored.check(line(#"{"linkId": "q", "answer": [{"valueInteger": 1}]}"#))
        stored.check(Data())
        stored.check(line(#"{"linkId": "q", "answer": [{"valueString": "1"}]}"#))
        stored.check(Data("{".utf8))
        stored.check(Data(#"{"resourceType": "Patient"}"#.utf8))
        stored.check(line(""))
        stored.check(Data("[".utf8 + Array(repeating: UInt8(ascii: "["), count: 100_000)))
        #expect(stored.checked == 6 && stored.valid == 1)
        #expect(stored.broken.map(\.line) == [3, 4, 5, 6, 7])
        #expect(stored.broken.allSatisfy { !$0.problems.isEmpty })
        #expect(stored.broken[0].problems.map(\.code) == ["answer-type"])
        #expect(stored.broken[2].problems.map(\.code) == ["not-a-response"])
        #expect(stored.broken[3].problems.map(\.code) == ["required"])
    }

    @Test func theProblemsOfOneResponseAreLimited() throws {
        let form = try form(#"{"linkId": "q", "type": "integer", "repeats": true}"#)
        var stored = StoredResponses(form)
        let answers = Array(repeating: #"{"valueString": "1"}"#, count: 1_000).joined(separator: ",")
        stored.check(
            Data(
                #"{"resourceType": "QuestionnaireResponse", "status": "completed", "item": [{"linkId": "q", "answer": [\#(answers)]}]}"#
                    .utf8))
        #expect(stored.broken.map(\.problems.count) == [StoredResponses.maximumProblems])
    }
}
