import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct ArrangingTests {
    private static let form = """
        {"resourceType":"Questionnaire","status":"active","item":[{"linkId":"a","type":"group","text":"A","item":[{"linkId":\
        "b","type":"group","item":[{"linkId":"x","type":"integer"},{"linkId":"y","type":"string","item":[{"linkId":"below",\
        "type":"string"}]}]},{"linkId":"z","type":"boolean"}]},{"linkId":"more","type":"group","repeats":true,"item":[{\
        "linkId":"r","type":"string"}]},{"linkId":"top","type":"string"}]}
        """

    private func arranged(_ items: String) throws -> (before: QuestionnaireResponse, after: QuestionnaireResponse) {
        let form = QuestionnaireForm(Questionnaire(try Resource(Data(Self.form.utf8)).object))
        let text = #"{"resourceType":"QuestionnaireResponse","status":"completed","item":["# + items + "]}"
        let response = QuestionnaireResponse(try Resource(Data(text.utf8)).object)
        return (response, form.arranging(response))
    }

    private static let x = #"{"linkId":"x","answer":[{"valueInteger":1}]}"#
    private static let z = #"{"linkId":"z","answer":[{"valueBoolean":true}]}"#
    private static let r = #"{"linkId":"r","answer":[{"valueString":"t"}]}"#
    private static let below = #"{"linkId":"below","answer":[{"valueString":"t"}]}"#
    private static let right = #"{"linkId":"a","text":"A","item":[{"linkId":"b","item":[\#(x)]},\#(z)]}"#

    @Test(arguments: [
        "\(x),\(z)", "\(z),\(x)", #"{"item":[\#(x)]},{"item":[\#(z)]}"#,
        #"{"linkId":"b","item":[{"linkId":"a","item":[\#(x)]}]},{"linkId":"a","item":[\#(z)]}"#,
        #"{"linkId":"step","item":[\#(z),\#(x)]}"#,
    ])
    func questionsWithoutTheirGroupsAreLaidInThem(items: String) throws {
        let (_, after) = try arranged(items)
        let (right, _) = try arranged(Self.right)
        #expect(after == right)
    }

    @Test(arguments: [
        right, "", #"{"linkId":"top","answer":[{"valueString":"t"}]}"#,
        // Ambiguous: unknown, duplicate, below a question without an answer or with two.
        #"\#(x),{"linkId":"q","answer":[{"valueString":"t"}]}"#, "\(x),\(x)",
        #"\#(x),\#(r),\#(r)"#, #"\#(x),\#(below)"#,
        #"\#(x),{"linkId":"y","answer":[{"valueString":"1"},{"valueString":"2"}]},\#(below)"#,
        #"{"linkId":"y","answer":[{"valueString":"1","item":[\#(below)]}]},\#(below)"#,
    ])
    func correctlyNestedOrAmbiguousItemsStayUnchanged(items: String) throws {
        let (before, after) = try arranged(items)
        #expect(after == before)
    }

    /// An app without groups has one instance of a repeating group, and no items below answers.
    @Test func questionsArePutIntoOneInstanceAndBelowOneAnswer() throws {
        let y = #"{"linkId":"y","answer":[{"valueString":"1"}]}"#
        let (_, after) = try arranged("\(Self.x),\(y),\(Self.below),\(Self.r)")
        let (right, _) = try arranged(
            #"""
            {"linkId":"a","text":"A","item":[{"linkId":"b","item":[\#(Self.x),{"linkId":"y","answer":[{"valueString":"1",
             "item":[\#(Self.below)]}]}]}]},{"linkId":"more","item":[\#(Self.r)]}
            """#)
        #expect(after == right)
    }

    /// A response of ResearchKitOnFHIR: valid after it is nested in the form's groups, otherwise with the same problem
    /// codes.
    @Test func aResponseWithoutGroupsIsValidOnceItIsLaidInThem() throws {
        let form = QuestionnaireForm(Questionnaire(try Resource(Data(Self.form.utf8)).object))
        let (flat, _) = try arranged("\(Self.x),\(Self.z)")
        #expect(ResponseValidator(form).problems(in: flat).errors == ["item-misplaced", "item-misplaced"])
        #expect(ResponseValidator(form).problems(in: form.arranging(flat)).errors == [])
    }
}
