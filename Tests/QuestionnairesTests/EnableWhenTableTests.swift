import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// The table of conditions: each type of `enableWhen.answer[x]` with each operator, for a source that is answered, not
/// answered, answered several times, disabled, or in another instance.
///
/// The expected value follows the definitions of the operators
/// (<https://hl7.org/fhir/R4/codesystem-questionnaire-enable-operator.html>, in R5's wording, which corrects R4's) from
/// the relation of each answer to the value, which the table states. A session and the validator must both have it.
@Suite struct EnableWhenTableTests {
    /// The relation of an answer to the condition's value.
    enum Relation {
        case less, equal, greater
        /// Equal, of a type whose values have no order.
        case same
        /// Neither equal nor in a known order.
        case unordered
    }

    /// A question with the value of a condition, and answers with their relations to it.
    struct Source: CustomTestStringConvertible, Sendable {
        let type: String
        let expected: String
        let answers: [(relation: Relation, value: String)]

        var testDescription: String { "\(type) with \(expected)" }
    }

    enum Comparison: String, CaseIterable {
        case exists, absent
        case equal = "="
        case notEqual = "!="
        case greater = ">"
        case less = "<"
        case greaterOrEqual = ">="
        case lessOrEqual = "<="

        /// Returns whether the answers of the source fulfil the condition, by the definition of the operator.
        func holds(_ answers: [Relation]) -> Bool {
            switch self {
            case .exists: !answers.isEmpty
            case .absent: answers.isEmpty
            case .equal: answers.contains { $0 == .equal || $0 == .same }
            case .notEqual: !answers.contains { $0 == .equal || $0 == .same }
            case .greater: answers.contains(.greater)
            case .less: answers.contains(.less)
            case .greaterOrEqual: answers.contains { $0 == .greater || $0 == .equal }
            case .lessOrEqual: answers.contains { $0 == .less || $0 == .equal }
            }
        }

        func condition(_ expected: String) -> String {
            switch self {
            case .exists: #"{"question": "source", "operator": "exists", "answerBoolean": true}"#
            case .absent: #"{"question": "source", "operator": "exists", "answerBoolean": false}"#
            default: #"{"question": "source", "operator": "\#(rawValue)", \#(expected)}"#
            }
        }
    }

    private static let kilogram = #""system": "http://unitsofmeasure.org", "code": "kg""#

    static let sources: [Source] = [
        Source(
            type: "boolean", expected: #""answerBoolean": true"#,
            answers: [(.same, #""valueBoolean": true"#), (.unordered, #""valueBoolean": false"#)]),
        Source(
            type: "boolean", expected: #""answerBoolean": false"#,
            answers: [(.same, #""valueBoolean": false"#), (.unordered, #""valueBoolean": true"#)]),
        Source(
            type: "decimal", expected: #""answerDecimal": 1.5"#,
            answers: [
                (.less, #""valueDecimal": -1.5"#), (.less, #""valueDecimal": 1.4999999999999999999999"#),
                (.equal, #""valueDecimal": 1.500"#), (.equal, #""valueDecimal": 15e-1"#),
                (.greater, #""valueDecimal": 1.5000000000000000000001"#), (.greater, #""valueDecimal": 1e30"#),
            ]),
        Source(
            type: "decimal", expected: #""answerInteger": 3"#,
            answers: [
                (.less, #""valueDecimal": 2.99"#), (.equal, #""valueDecimal": 3.0"#),
                (.greater, #""valueDecimal": 3.01"#),
            ]),
        Source(
            type: "integer", expected: #""answerInteger": 10"#,
            answers: [
                (.less, #""valueInteger": 9"#), (.equal, #""valueInteger": 10"#),
                (.greater, #""valueInteger": 100"#),
            ]),
        Source(
            type: "integer", expected: #""answerDecimal": 0.5"#,
            answers: [
                (.less, #""valueInteger": -1"#), (.less, #""valueInteger": 0"#), (.greater, #""valueInteger": 1"#),
            ]),
        Source(
            type: "date", expected: #""answerDate": "2026-02-10""#,
            answers: [
                (.less, #""valueDate": "2026-02-09""#), (.less, #""valueDate": "2025""#),
                (.equal, #""valueDate": "2026-02-10""#), (.greater, #""valueDate": "2026-03""#),
                (.unordered, #""valueDate": "2026-02""#),
            ]),
        Source(
            type: "dateTime", expected: #""answerDateTime": "2026-02-10T10:00:00Z""#,
            answers: [
                (.less, #""valueDateTime": "2026-02-10T10:30:00+01:00""#),
                (.equal, #""valueDateTime": "2026-02-10T11:00:00+01:00""#),
                (.greater, #""valueDateTime": "2026-02-10T10:00:01Z""#),
                (.unordered, #""valueDateTime": "2026-02-10""#),
            ]),
        Source(
            type: "dateTime", expected: #""answerDate": "2026-02-10""#,
            answers: [
                (.less, #""valueDateTime": "2026-02-09T23:59:59Z""#),
                (.unordered, #""valueDateTime": "2026-02-10T10:00:00Z""#),
                (.equal, #""valueDateTime": "2026-02-10""#),
                (.greater, #""valueDateTime": "2026-02-11T00:00:00Z""#),
            ]),
        Source(
            type: "time", expected: #""answerTime": "09:30:00""#,
            answers: [
                (.less, #""valueTime": "09:29:59""#), (.equal, #""valueTime": "09:30:00.000""#),
                (.greater, #""valueTime": "10:00:00""#),
            ]),
        Source(
            type: "string", expected: #""answerString": "m""#,
            answers: [
                (.less, #""valueString": "M""#), (.less, #""valueString": "a""#), (.equal, #""valueString": "m""#),
                (.greater, #""valueString": "ma""#),
            ]),
        Source(
            type: "text", expected: #""answerString": "10""#,
            answers: [
                (.less, #""valueString": "1""#), (.equal, #""valueString": "10""#), (.greater, #""valueString": "9""#),
            ]),
        Source(
            type: "url", expected: #""answerString": "https://example.org/m""#,
            answers: [
                (.less, #""valueUri": "https://example.org/a""#), (.equal, #""valueUri": "https://example.org/m""#),
                (.greater, #""valueUri": "https://example.org/z""#),
            ]),
        Source(
            type: "choice", expected: #""answerCoding": {"system": "urn:a", "code": "m"}"#,
            answers: [
                (.same, #""valueCoding": {"system": "urn:a", "code": "m", "display": "M"}"#),
                (.unordered, #""valueCoding": {"system": "urn:a", "code": "z"}"#),
                (.unordered, #""valueCoding": {"system": "urn:b", "code": "m"}"#),
            ]),
        Source(
            type: "open-choice", expected: #""answerCoding": {"code": "m"}"#,
            answers: [
                (.same, #""valueCoding": {"system": "urn:a", "code": "m"}"#),
                (.unordered, #""valueCoding": {"code": "M"}"#), (.unordered, #""valueString": "m""#),
            ]),
        Source(
            type: "open-choice", expected: #""answerString": "m""#,
            answers: [
                (.less, #""valueString": "a""#), (.equal, #""valueString": "m""#), (.greater, #""valueString": "z""#),
                (.unordered, #""valueCoding": {"code": "m"}"#),
            ]),
        Source(
            type: "quantity", expected: #""answerQuantity": {"value": 1, \#(kilogram)}"#,
            answers: [
                (.less, #""valueQuantity": {"value": 999, "system": "http://unitsofmeasure.org", "code": "g"}"#),
                (.equal, #""valueQuantity": {"value": 1.0, \#(kilogram), "unit": "kilo"}"#),
                (.equal, #""valueQuantity": {"value": 1000, "system": "http://unitsofmeasure.org", "code": "g"}"#),
                (.greater, #""valueQuantity": {"value": 1.1, \#(kilogram)}"#),
                (.unordered, #""valueQuantity": {"value": 1, "system": "http://unitsofmeasure.org", "code": "m"}"#),
            ]),
        Source(
            type: "reference", expected: #""answerReference": {"reference": "Patient/m"}"#,
            answers: [
                (.same, #""valueReference": {"reference": "Patient/m", "display": "M"}"#),
                (.same, #""valueReference": {"reference": "Patient/m/_history/2"}"#),
                (.unordered, #""valueReference": {"reference": "Patient/z"}"#),
                (.unordered, #""valueReference": {"reference": "Group/m"}"#),
            ]),
    ]

    @Test(arguments: sources, Comparison.allCases)
    func oneAnswerDecides(_ source: Source, _ comparison: Comparison) throws {
        let form = try Self.form(source, comparison)
        for answer in source.answers {
            let holds = comparison.holds([answer.relation])
            try check(form, [[answer.value]], enabled: [holds], outside: holds)
        }
    }

    @Test(arguments: sources, Comparison.allCases)
    func aSourceWithoutAnAnswerHasNoValue(_ source: Source, _ comparison: Comparison) throws {
        let form = try Self.form(source, comparison)
        try check(form, [[]], enabled: [comparison.holds([])], outside: comparison.holds([]))
        // Some implementations require an answer for `!=`.
        let isFulfilled = comparison == .absent
        try check(
            form, [[]], enabled: [isFulfilled], outside: isFulfilled,
            rules: EnablementRules(notEqualNeedsAnswer: true))
    }

    @Test(arguments: sources, Comparison.allCases)
    func oneOfSeveralAnswersIsSufficientExceptForNotEqual(_ source: Source, _ comparison: Comparison) throws {
        let form = try Self.form(source, comparison)
        for first in source.answers {
            for second in source.answers where first.value != second.value {
                let holds = comparison.holds([first.relation, second.relation])
                try check(form, [[first.value, second.value]], enabled: [holds], outside: holds)
            }
        }
    }

    @Test(arguments: sources, Comparison.allCases)
    func answersOfADisabledSourceAreAbsent(_ source: Source, _ comparison: Comparison) throws {
        let form = try Self.form(source, comparison)
        for answer in source.answers {
            let holds = comparison.holds([])
            try check(
                form, [[answer.value]], enabled: [holds], outside: holds, isSourceEnabled: false)
        }
    }

    @Test(arguments: sources, Comparison.allCases)
    func anAnswerInAnotherInstanceIsOfThatInstanceOnly(_ source: Source, _ comparison: Comparison) throws {
        let form = try Self.form(source, comparison)
        for answer in source.answers {
            let (here, elsewhere) = (comparison.holds([answer.relation]), comparison.holds([]))
            // An item outside of the group has the answers of all instances.
            try check(form, [[], [answer.value]], enabled: [elsewhere, here], outside: here)
            try check(form, [[answer.value], []], enabled: [here, elsewhere], outside: here)
        }
        for (first, second) in zip(source.answers, source.answers.dropFirst()) {
            try check(
                form, [[first.value], [second.value]],
                enabled: [comparison.holds([first.relation]), comparison.holds([second.relation])],
                outside: comparison.holds([first.relation, second.relation]))
        }
    }

    // MARK: Checks

    /// Returns a form with the source and a target in a repeating group, and a target outside of it.
    private static func form(_ source: Source, _ comparison: Comparison) throws -> QuestionnaireForm {
        let target = #""type": "string", "required": true, "enableWhen": [\#(comparison.condition(source.expected))]"#
        let form = try QuestionnairesTestSupport.form(
            """
            {"linkId": "on", "type": "boolean"},
            {"linkId": "g", "type": "group", "repeats": true, "item": [
              {"linkId": "note", "type": "string"},
              {"linkId": "source", "type": "\(source.type)", "repeats": true,
               "enableWhen": [{"question": "on", "operator": "=", "answerBoolean": true}]},
              {"linkId": "target", \(target)}]},
            {"linkId": "outside", \(target)}
            """)
        #expect(form.problems.filter { $0.severity == .error }.isEmpty)
        return form
    }

    /// Checks a source in a repeating group, with one list of answers for each instance, against the targets in the same
    /// instances and the target outside of the group.
    private func check(
        _ form: QuestionnaireForm, _ instances: [[String]], enabled: [Bool], outside: Bool,
        isSourceEnabled: Bool = true, rules: EnablementRules = EnablementRules()
    ) throws {
        let comment = Comment(rawValue: "\(instances)")
        var session = FormSession(form, rules: rules)
        session.setAnswers([.yes(isSourceEnabled)], at: path("on"))
        for (index, values) in instances.enumerated() {
            session.ensureGroup(at: path(("g", index)))
            session.setAnswers([.text("n")], at: path(("g", index), ("note", 0)))
            session.setAnswers(try values.map(Self.answer), at: path(("g", index), ("source", 0)))
        }
        #expect(instances.indices.map { session.isEnabled(path(("g", $0), ("target", 0))) } == enabled, comment)
        #expect(session.isEnabled(path("outside")) == outside, comment)

        // Each enabled target needs an answer, by the session and by the validator, and each disabled one has none.
        let missing = enabled.filter { $0 }.map { _ in "required target" } + (outside ? ["required outside"] : [])
        #expect(Self.errors(session.problems()) == missing.sorted(), comment)
        let validator = ResponseValidator(form, rules: rules)
        #expect(Self.errors(validator.problems(in: session.response())) == missing.sorted(), comment)
        let empty = try written(instances, isSourceEnabled: isSourceEnabled, hasTargets: false)
        let full = try written(instances, isSourceEnabled: isSourceEnabled, hasTargets: true)
        let ofSource =
            isSourceEnabled ? [] : instances.filter { !$0.isEmpty }.map { _ in "not-enabled source" }
        #expect(Self.errors(validator.problems(in: empty)) == (missing + ofSource).sorted(), comment)
        let surplus =
            enabled.filter { !$0 }.map { _ in "not-enabled target" } + (outside ? [] : ["not-enabled outside"])
        #expect(Self.errors(validator.problems(in: full)) == (surplus + ofSource).sorted(), comment)

        // The session leaves out the answers of disabled items.
        for index in instances.indices { session.setAnswers([.text("x")], at: path(("g", index), ("target", 0))) }
        session.setAnswers([.text("x")], at: path("outside"))
        #expect(session.problems().errors.isEmpty, comment)
        #expect(validator.problems(in: session.response()).errors.isEmpty, comment)
    }

    /// Returns a response with all answers, enabled or not.
    private func written(
        _ instances: [[String]], isSourceEnabled: Bool, hasTargets: Bool
    ) throws -> QuestionnaireResponse {
        func item(_ linkID: String, _ answers: [String]) -> String {
            let values = answers.map { "{\($0)}" }.joined(separator: ", ")
            return answers.isEmpty ? "" : #", {"linkId": "\#(linkID)", "answer": [\#(values)]}"#
        }
        let target = hasTargets ? [#""valueString": "x""#] : []
        let groups = instances.map { values in
            #", {"linkId": "g", "item": [{"linkId": "note", "answer": [{"valueString": "n"}]}"#
                + item("source", values) + item("target", target) + "]}"
        }
        let on = #"{"linkId": "on", "answer": [{"valueBoolean": \#(isSourceEnabled)}]}"#
        return try response(on + groups.joined() + item("outside", target))
    }

    private static func answer(_ text: String) throws -> AnswerValue {
        try #require(QuestionnaireResponse.Item.Answer(json: try JSON(parsing: "{\(text)}"))?.value)
    }

    private static func errors(_ problems: [ResponseProblem]) -> [String] {
        problems.filter { $0.severity == .error }.map { "\($0.code) \($0.linkID ?? "")" }.sorted()
    }
}
