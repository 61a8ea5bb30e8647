import FHIR
import Foundation
import Questionnaires
import Testing

@Suite struct PlacingTests {
    private static let form = """
        {"resourceType":"Questionnaire","status":"active","item":[{"linkId":"a","type":"group","text":"A","item":[{"linkId":\
        "b","type":"group","item":[{"linkId":"x","type":"integer"},{"linkId":"y","type":"string","item":[{"linkId":"below",\
        "type":"string"}]}]},{"linkId":"z","type":"boolean"}]},{"linkId":"more","type":"group","repeats":true,"item":[{\
        "linkId":"r","type":"string"}]},{"linkId":"top","type":"string"}]}
        """

    private func placed(_ items: String) throws -> (before: QuestionnaireResponse, after: QuestionnaireResponse) {
        let form = QuestionnaireForm(Questionnaire(try Resource(Data(Self.form.utf8)).object))
        let text = #"{"resourceType":"QuestionnaireResponse","status":"completed","item":["# + items + "]}"
        let response = QuestionnaireResponse(try Resource(Data(text.utf8)).object)
        return (response, form.placing(response))
    }

    private static let x = #"{"linkId":"x","answer":[{"valueInteger":1}]}"#
    private static let z = #"{"linkId":"z","answer":[{"valueBoolean":true}]}"#
    private static let right = #"{"linkId":"a","text":"A","item":[{"linkId":"b","item":[\#(x)]},\#(z)]}"#

    @Test(arguments: [
        "\(x),\(z)", "\(z),\(x)", #"{"item":[\#(x)]},{"item":[\#(z)]}"#,
        #"{"linkId":"b","item":[{"linkId":"a","item":[\#(x)]}]},{"linkId":"a","item":[\#(z)]}"#,
        #"{"linkId":"step","item":[\#(z),\#(x)]}"#,
    ])
    func questionsWithoutTheirGroupsAreLaidInThem(items: String) throws {
        let (_, after) = try placed(items)
        let (right, _) = try placed(Self.right)
        #expect(after == right)
    }

    @Test(arguments: [
        right, "", #"{"linkId":"top","answer":[{"valueString":"t"}]}"#,
        // Not clear: unknown, twice, below a group that repeats, below a question.
        #"\#(x),{"linkId":"q","answer":[{"valueString":"t"}]}"#, "\(x),\(x)",
        #"\#(x),{"linkId":"r","answer":[{"valueString":"t"}]}"#,
        #"\#(x),{"linkId":"below","answer":[{"valueString":"t"}]}"#,
    ])
    func whatIsInItsPlaceOrHasNoneStaysAsItCame(items: String) throws {
        let (before, after) = try placed(items)
        #expect(after == before)
    }
}
