import FHIR
import Foundation
import Questionnaires
import Testing

@testable import Warehouse

/// The options below a question in the ontology are those of the form.
@Suite struct OfferedOptionsTests {
    private static let system = "http://example.org/codes"

    private static func form(_ sets: String) throws -> Questionnaire {
        try #require(
            Resource(
                Data(
                    """
                    {"resourceType":"Questionnaire","url":"http://example.org/f","status":"active","contained":[\(sets)],
                     "item":[{"linkId":"q","type":"choice","answerValueSet":"#v"}]}
                    """.utf8)
            ).as(Questionnaire.self))
    }

    private static func concepts(_ codes: String...) -> String {
        "\"system\":\"\(system)\",\"concept\":[\(codes.map { "{\"code\":\"\($0)\"}" }.joined(separator: ","))]"
    }

    @Test(arguments: [
        (
            "exclude",
            #"{"resourceType":"ValueSet","id":"v","compose":{"include":[{\#(concepts("a", "b", "c"))}],"exclude":[{\#(concepts("b"))}]}}"#,
            ["a", "c"]
        ),
        (
            "abstract",
            #"{"resourceType":"ValueSet","id":"v","expansion":{"contains":[{"system":"\#(system)","code":"g","abstract":true,"contains":[{"system":"\#(system)","code":"a"}]}]}}"#,
            ["a"]
        ),
        (
            "nested",
            #"{"resourceType":"ValueSet","id":"w","url":"http://example.org/w","compose":{"include":[{\#(concepts("a", "b"))}]}},{"resourceType":"ValueSet","id":"v","compose":{"include":[{"valueSet":["http://example.org/w"]}]}}"#,
            ["a", "b"]
        ),
        (
            "common to two sets",
            #"{"resourceType":"ValueSet","id":"w","url":"http://example.org/w","compose":{"include":[{\#(concepts("a", "b"))}]}},{"resourceType":"ValueSet","id":"v","compose":{"include":[{\#(concepts("b", "c")),"valueSet":["http://example.org/w"]}]}}"#,
            ["b"]
        ),
        (
            "in a circle",
            #"{"resourceType":"ValueSet","id":"v","url":"http://example.org/v","compose":{"include":[{"valueSet":["http://example.org/v"]},{\#(concepts("a"))}]}}"#,
            ["a"]
        ),
    ])
    func ontologyOffersTheOptionsOfTheForm(name: String, sets: String, expected: [String]) throws {
        let questionnaire = try Self.form(sets)
        let question = try #require(SurveyConcepts(questionnaire).questions["q"])
        #expect(question.options.map(\.code) == expected)
        #expect(!question.offersUnlisted)
        let offered = QuestionnaireForm(questionnaire).item("q")?.options?.compactMap { $0.value.json["code"]?.string }
        #expect(offered == expected)
    }

    @Test(arguments: [
        #"{"resourceType":"ValueSet","id":"v","compose":{"include":[{"system":"http://snomed.info/sct"}]}}"#,
        #"{"resourceType":"ValueSet","id":"v","compose":{"include":[{"system":"http://snomed.info/sct","filter":[{"property":"concept","op":"is-a","value":"1"}]}]}}"#,
        #"{"resourceType":"ValueSet","id":"other"}"#,
    ])
    func unlistedSetOffersTheCodesOfItsTerminology(set: String) throws {
        let question = try #require(SurveyConcepts(try Self.form(set)).questions["q"])
        #expect(question.options.isEmpty && question.offersUnlisted)
    }

    /// Thirty sets, each of which includes the next one twice: along every path, the last one would be read 2^30 times.
    @Test func aSetThatManyIncludeIsReadOnce() throws {
        let depth = 30
        let sets = (0..<depth).map { level in
            let next = "{\"valueSet\":[\"http://example.org/\(level + 1)\"]}"
            let members = level == depth - 1 ? "{\(Self.concepts("a", "b"))}" : "\(next),\(next)"
            let id = level == 0 ? "v" : "s\(level)"
            return """
                {"resourceType":"ValueSet","id":"\(id)","url":"http://example.org/\(level)",\
                "compose":{"include":[\(members)]}}
                """
        }
        let question = try #require(SurveyConcepts(try Self.form(sets.joined(separator: ","))).questions["q"])
        #expect(question.options.map(\.code) == ["a", "b"])
    }
}
