import FHIR
import Foundation
import TestSupport
import Testing

@testable import Warehouse

/// Facts of one repetition have one instance number.
@Suite struct RepetitionTests {
    private func lines(_ items: String, form: Questionnaire? = nil) throws -> [String] {
        try mapped(response(items), questionnaire: form).facts.map { fact in
            let text = if case .text(let text) = fact.value { text } else { "?" }
            return "\(text)#\(fact.instance)"
        }
    }

    private func answer(_ linkID: String, _ values: String...) -> String {
        let answers = values.map { #"{"valueString":"\#($0)"}"# }.joined(separator: ",")
        return #"{"linkId":"\#(linkID)","answer":[\#(answers)]}"#
    }

    @Test func answersOfOneRepetitionShareANumberAndThoseOfAnotherHaveAnother() throws {
        let found = try lines(
            """
            \(answer("before", "x")),
            {"linkId":"drug","item":[\(answer("name", "a")),\(answer("dose", "1"))]},
            {"linkId":"drug","item":[\(answer("name", "b")),\(answer("dose", "2"))]},
            {"linkId":"drug","item":[\(answer("dose", "3"))]}
            """)
        #expect(found == ["x#1", "a#1", "1#1", "b#2", "2#2", "3#3"])
    }

    @Test func answersWithinARepetitionHaveUniqueInstances() throws {
        let found = try lines(
            """
            {"linkId":"drug","item":[\(answer("why", "a", "b", "c")),\(answer("dose", "1"))]},
            {"linkId":"drug","item":[\(answer("why", "d", "e")),\(answer("dose", "2"))]}
            """)
        #expect(found == ["a#1", "b#3", "c#5", "1#1", "d#2", "e#4", "2#2"])
    }

    @Test func aRepetitionWithinARepetitionHasItsOwnNumber() throws {
        let found = try lines(
            """
            {"linkId":"child","item":[\(answer("name", "Ann")),
              {"linkId":"shot","item":[\(answer("year", "1"))]},{"linkId":"shot","item":[\(answer("year", "2"))]}]},
            {"linkId":"child","item":[\(answer("name", "Ben")),
              {"linkId":"shot","item":[\(answer("year", "3"))]},{"linkId":"shot","item":[\(answer("year", "4"))]}]}
            """)
        #expect(found == ["Ann#1", "1#1", "2#2", "Ben#3", "3#3", "4#4"])
    }

    @Test func itemsBelowAnAnswerShareItsInstance() throws {
        let found = try lines(
            """
            {"linkId":"pain","answer":[{"valueString":"head","item":[\(answer("since", "may"))]},
             {"valueString":"back","item":[\(answer("since", "june"))]}]}
            """)
        #expect(found == ["head#1", "may#1", "back#2", "june#2"])
    }

    /// The facts of any response have distinct keys of i2b2.
    @Test func noTwoFactsOfAResponseHaveOneKey() throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        func items(_ depth: Int) -> String {
            (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                let linkID = "l\(Int.random(in: 0...2, using: &generator))"
                let answers = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    let below =
                        depth > 0 && Bool.random(using: &generator) ? #","item":[\#(items(depth - 1))]"# : ""
                    return #"{"valueString":"x"\#(below)}"#
                }
                let below = depth > 0 && Bool.random(using: &generator) ? #","item":[\#(items(depth - 1))]"# : ""
                return #"{"linkId":"\#(linkID)","answer":[\#(answers.joined(separator: ","))]\#(below)}"#
            }.joined(separator: ",")
        }
        for _ in 0..<200 {
            let facts = try mapped(response(items(3))).facts
            let keys = Set(facts.map { "\($0.concept)#\($0.instance)" })
            #expect(keys.count == facts.count, "seed \(seed)")
        }
    }
}
