import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Every operator with every type (<https://hl7.org/fhir/R4/valueset-questionnaire-enable-operator.html>).
@Suite struct ConditionTests {
    /// Whether `b` is enabled when `a`, of the type, has the answers and `b` the condition.
    private func isEnabled(
        _ type: String, answers: [String], comparison: String, expected: String,
        rules: EnablementRules = EnablementRules()
    ) throws -> Bool {
        let form = try form(
            """
            {"linkId": "a", "type": "\(type)", "repeats": true},
            {"linkId": "b", "type": "string",
             "enableWhen": [{"question": "a", "operator": "\(comparison)", \(expected)}]}
            """)
        var session = FormSession(form, rules: rules)
        let values = try answers.map { text in
            let member = try #require(try JSON(parsing: "{\(text)}").object?.members.first)
            return AnswerValue(type: String(member.key.dropFirst(5)), json: member.value)
        }
        session.setAnswers(values, at: path("a"))
        return session.isEnabled(path("b"))
    }

    /// Ascending values of one type: the second is compared with each.
    private static let ordered: [(type: String, name: String, values: [String])] = [
        ("integer", "Integer", ["1", "2", "3"]),
        ("decimal", "Decimal", ["1.99", "2.0", "2.01"]),
        ("date", "Date", [#""2024-02-28""#, #""2024-02-29""#, #""2024-03-01""#]),
        ("date", "Date", [#""2023""#, #""2024""#, #""2025""#]),
        ("dateTime", "DateTime", [#""2024-02-29T10:00:00+01:00""#, #""2024-02-29T09:30:00Z""#, #""2024-03-01""#]),
        ("time", "Time", [#""08:59:59""#, #""09:00:00""#, #""09:00:00.5""#]),
        ("string", "String", [#""apple""#, #""banana""#, #""cherry""#]),
        ("text", "String", [#""apple""#, #""banana""#, #""cherry""#]),
        // By the Unicode values of the characters: the accent of the first is a character of its own.
        ("string", "String", [#""e\u0301""#, #""\u00e4""#, #""\u00f6""#]),
        (
            "quantity", "Quantity",
            [#"{"value": 1, "code": "kg"}"#, #"{"value": 2.0, "code": "kg"}"#, #"{"value": 10, "code": "kg"}"#]
        ),
    ]

    @Test func orderedTypesCompareInOrder() throws {
        for (type, name, values) in Self.ordered {
            for (index, value) in values.enumerated() {
                let truths: [String: Bool] = [
                    "=": index == 1, "!=": index != 1, "<": index < 1, "<=": index <= 1, ">": index > 1,
                    ">=": index >= 1,
                ]
                for (comparison, truth) in truths {
                    let found = try isEnabled(
                        type, answers: ["\"value\(name)\": \(value)"], comparison: comparison,
                        expected: "\"answer\(name)\": \(values[1])")
                    #expect(found == truth, "\(value) \(comparison) \(values[1])")
                }
            }
        }
    }

    @Test(arguments: [
        (#""valueInteger": 2"#, "integer", #""answerDecimal": 2.0"#, true),
        (#""valueDecimal": 2.00"#, "decimal", #""answerInteger": 2"#, true),
        (#""valueDate": "2024-02-29""#, "date", #""answerDateTime": "2024-02-29""#, true),
        (#""valueUri": "urn:x:y""#, "url", #""answerString": "urn:x:y""#, true),
        (#""valueBoolean": true"#, "boolean", #""answerBoolean": true"#, true),
        (#""valueBoolean": false"#, "boolean", #""answerBoolean": true"#, false),
        (#""valueString": "a""#, "string", #""answerString": "A""#, false),
        (#""valueString": "x""#, "open-choice", #""answerString": "x""#, true),
        (#""valueString": "x""#, "open-choice", #""answerCoding": {"code": "x"}"#, false),
        // Coding: code, and the system if one is expected; never the display.
        (
            #""valueCoding": {"system": "s", "code": "x", "display": "X"}"#, "choice",
            #""answerCoding": {"system": "s", "code": "x", "display": "other"}"#, true
        ),
        (#""valueCoding": {"system": "s", "code": "x"}"#, "choice", #""answerCoding": {"code": "x"}"#, true),
        (#""valueCoding": {"code": "x"}"#, "choice", #""answerCoding": {"system": "s", "code": "x"}"#, false),
        (
            #""valueCoding": {"system": "t", "code": "x"}"#, "choice",
            #""answerCoding": {"system": "s", "code": "x"}"#, false
        ),
        // Quantity: units must agree.
        (
            #""valueQuantity": {"value": 2, "unit": "kg"}"#, "quantity",
            #""answerQuantity": {"value": 2, "unit": "kg"}"#,
            true
        ),
        (
            #""valueQuantity": {"value": 2, "unit": "kg"}"#, "quantity",
            #""answerQuantity": {"value": 2, "unit": "g"}"#,
            false
        ),
        (
            #""valueQuantity": {"value": 2, "code": "kg"}"#, "quantity", #""answerQuantity": {"value": 2}"#, false
        ),
        (
            #""valueReference": {"reference": "Patient/1/_history/2"}"#, "reference",
            #""answerReference": {"reference": "Patient/1"}"#, true
        ),
        (
            #""valueReference": {"reference": "Patient/2"}"#, "reference",
            #""answerReference": {"reference": "Patient/1"}"#, false
        ),
        (
            #""valueReference": {"identifier": {"system": "s", "value": "1"}}"#, "reference",
            #""answerReference": {"identifier": {"system": "s", "value": "1"}}"#, true
        ),
    ])
    func equalityIsThatOfTheType(answer: String, type: String, expected: String, isEqual: Bool) throws {
        #expect(try isEnabled(type, answers: [answer], comparison: "=", expected: expected) == isEqual)
        #expect(try isEnabled(type, answers: [answer], comparison: "!=", expected: expected) == !isEqual)
    }

    @Test func undecidableConditionIsNotFulfilled() throws {
        // A year against one of its months; kilograms against metres.
        for comparison in ["=", "<", "<=", ">", ">="] {
            #expect(
                try !isEnabled(
                    "date", answers: [#""valueDate": "2024""#], comparison: comparison,
                    expected: #""answerDate": "2024-05""#))
            #expect(
                try !isEnabled(
                    "quantity", answers: [#""valueQuantity": {"value": 2, "code": "kg"}"#], comparison: comparison,
                    expected: #""answerQuantity": {"value": 2, "code": "m"}"#))
        }
    }

    @Test func existsChecksForAnAnswerOrForNone() throws {
        for (type, answer) in [
            ("string", #""valueString": "x""#), ("attachment", #""valueAttachment": {"url": "http://x"}"#),
            ("choice", #""valueCoding": {"code": "x"}"#),
        ] {
            #expect(try isEnabled(type, answers: [answer], comparison: "exists", expected: #""answerBoolean": true"#))
            #expect(try !isEnabled(type, answers: [answer], comparison: "exists", expected: #""answerBoolean": false"#))
            #expect(try !isEnabled(type, answers: [], comparison: "exists", expected: #""answerBoolean": true"#))
            #expect(try isEnabled(type, answers: [], comparison: "exists", expected: #""answerBoolean": false"#))
        }
    }

    @Test func onlyNotEqualIsTrueWithoutAnAnswer() throws {
        for comparison in ["=", "<", "<=", ">", ">="] {
            #expect(try !isEnabled("integer", answers: [], comparison: comparison, expected: #""answerInteger": 1"#))
        }
        #expect(try isEnabled("integer", answers: [], comparison: "!=", expected: #""answerInteger": 1"#))
        let strict = EnablementRules(notEqualNeedsAnswer: true)
        #expect(
            try !isEnabled("integer", answers: [], comparison: "!=", expected: #""answerInteger": 1"#, rules: strict))
        #expect(
            try isEnabled(
                "integer", answers: [#""valueInteger": 2"#], comparison: "!=", expected: #""answerInteger": 1"#,
                rules: strict))
    }

    @Test func oneMatchingAnswerIsEnoughExceptForNotEqual() throws {
        let answers = [#""valueInteger": 1"#, #""valueInteger": 5"#]
        #expect(try isEnabled("integer", answers: answers, comparison: "=", expected: #""answerInteger": 5"#))
        #expect(try isEnabled("integer", answers: answers, comparison: ">", expected: #""answerInteger": 4"#))
        #expect(try isEnabled("integer", answers: answers, comparison: "<", expected: #""answerInteger": 2"#))
        #expect(try !isEnabled("integer", answers: answers, comparison: "!=", expected: #""answerInteger": 5"#))
        #expect(try isEnabled("integer", answers: answers, comparison: "!=", expected: #""answerInteger": 6"#))
    }

    @Test func unreadableConditionIsFalse() throws {
        #expect(
            try !isEnabled(
                "integer", answers: [#""valueInteger": 1"#], comparison: "~", expected: #""answerInteger": 1"#))
        #expect(try !isEnabled("integer", answers: [#""valueInteger": 1"#], comparison: "=", expected: #""other": 1"#))
    }
}
