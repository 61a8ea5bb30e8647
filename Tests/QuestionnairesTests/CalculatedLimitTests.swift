import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// Limits that a form gives as expressions, and checkboxes.
@Suite struct CalculatedLimitTests {
    private static func limit(_ name: String, type: String, expression: String) -> String {
        #"""
        {"url": "http://hl7.org/fhir/StructureDefinition/\#(name)", "_value\#(type)": {"extension": [{"url":
         "http://hl7.org/fhir/StructureDefinition/cqf-calculatedValue", "valueExpression": {"language": "text/fhirpath",
         "expression": "\#(expression)"}}]}}
        """#
    }

    private static func question(_ type: String, _ limits: String...) -> String {
        #"{"linkId": "q", "type": "\#(type)", "extension": [\#(limits.joined(separator: ","))]}"#
    }

    private func errors(_ question: String, _ answer: String, authored: String?, now: String) throws -> [String] {
        let more = authored.map { #", "authored": "\#($0)""# } ?? ""
        let response = try response(
            #"{"linkId": "q", "answer": [{\#(answer)}]}"#, "\"status\": \"completed\"" + more)
        let moment = try #require(DateTime(now))
        return ResponseValidator(try form(question), now: moment).problems(in: response).errors
    }

    @Test(arguments: [
        // Adults, with a birth date that is not in the future.
        ("1990-05-05", []), ("2008-06-15", []), ("2008-06-16", ["max-value"]), ("2030-01-01", ["max-value"]),
        ("1900-01-01", ["min-value"]),
    ])
    func calculatedLimitUsesTheDayOfTheAnswer(birth: String, expected: [String]) throws {
        let question = Self.question(
            "date", Self.limit("maxValue", type: "Date", expression: "today() - 18 years"),
            Self.limit("minValue", type: "Date", expression: "today() - 120 years"))
        let found = try errors(
            question, "\"valueDate\": \"\(birth)\"", authored: "2026-06-15T09:00:00+02:00", now: "2026-07-01T00:00:00Z")
        #expect(found == expected)
    }

    @Test func todayIsInTheTimeZoneOfTheResponse() throws {
        let question = Self.question("date", Self.limit("maxValue", type: "Date", expression: "today()"))
        let answer = #""valueDate": "2026-06-16""#
        // It is the 16th in Auckland, and the 15th in London.
        #expect(try errors(question, answer, authored: "2026-06-16T08:00:00+12:00", now: "2026-07-01T00:00:00Z") == [])
        #expect(
            try errors(question, answer, authored: "2026-06-15T21:00:00+01:00", now: "2026-07-01T00:00:00Z")
                == ["max-value"])
    }

    @Test func responseFromTheFutureIsCheckedAgainstThePresent() throws {
        let question = Self.question("dateTime", Self.limit("maxValue", type: "DateTime", expression: "now()"))
        let answer = #""valueDateTime": "2031-01-01T00:00:00Z""#
        #expect(
            try errors(question, answer, authored: "2035-01-01T00:00:00Z", now: "2026-07-01T00:00:00Z") == ["max-value"]
        )
        #expect(try errors(question, answer, authored: nil, now: "2032-07-01T00:00:00Z") == [])
    }

    @Test func numbersAndDurationsAreWorkedOutToo() throws {
        let question = Self.question("integer", Self.limit("maxValue", type: "Integer", expression: "40 + 2"))
        #expect(try errors(question, #""valueInteger": 42"#, authored: nil, now: "2026-01-01T00:00:00Z") == [])
        #expect(
            try errors(question, #""valueInteger": 43"#, authored: nil, now: "2026-01-01T00:00:00Z") == ["max-value"])
    }

    @Test(arguments: ["today(", "nobody()", "{}", "(1 | 2)"])
    func anExpressionWithoutAValueIsAFaultOfTheForm(expression: String) throws {
        let question = Self.question("date", Self.limit("maxValue", type: "Date", expression: expression))
        #expect(try form(question).problems.map(\.code) == ["limit-unreadable"])
        #expect(try errors(question, #""valueDate": "2999-01-01""#, authored: nil, now: "2026-01-01T00:00:00Z") == [])
    }

    private static func text(_ name: String, type: String, text: String) -> String {
        let url = name.hasPrefix("http") ? name : "http://hl7.org/fhir/StructureDefinition/\(name)"
        return #"{"url": "\#(url)", "value\#(type)": "\#(text)"}"#
    }

    /// As in forms of C3-PRO, LHC-Forms and ResearchKit: the text of the limit is FHIRPath.
    @Test(arguments: [
        ("today() - 18 years", "2008-06-15", "2008-06-16"), ("today() - 18 'years'", "2008-06-15", "2008-06-16"),
        ("today() - 18 'year'", "2008-06-15", "2008-06-16"), ("today() - 18 'a'", "2008-06-15", "2008-06-16"),
        ("today()-6 'mo'", "2025-12-15", "2025-12-16"), ("today() + 2 'weeks'", "2026-06-29", "2026-06-30"),
        ("today() - 1 'd'", "2026-06-14", "2026-06-15"), ("today()", "2026-06-15", "2026-06-16"),
        ("2020-05-05", "2020-05-05", "2020-05-06"), ("@2020-05-05", "2020-05-05", "2020-05-06"),
    ])
    func theTextOfALimitIsWorkedOut(text: String, inside: String, beyond: String) throws {
        for (name, type) in [
            ("maxValue", "String"), ("maxValue", "Date"),
            ("http://ehelse.no/fhir/StructureDefinition/sdf-maxvalue", "String"),
        ] {
            let question = Self.question("date", Self.text(name, type: type, text: text))
            #expect(try form(question).problems.isEmpty)
            for (answer, expected) in [(inside, [String]()), (beyond, ["max-value"])] {
                let found = try errors(
                    question, "\"valueDate\": \"\(answer)\"", authored: "2026-06-15T09:00:00+02:00",
                    now: "2026-07-01T00:00:00Z")
                #expect(found == expected, "\(name) \(type) \(text) \(answer)")
            }
        }
    }

    @Test func aNumberOrATimeMayBeATextToo() throws {
        for (type, limit, inside, beyond) in [
            ("integer", "10", "10", "11"), ("decimal", "2 * 5", "10.0", "10.1"),
        ] {
            let question = Self.question(type, Self.text("maxValue", type: "String", text: limit))
            let name = type == "integer" ? "valueInteger" : "valueDecimal"
            #expect(try errors(question, "\"\(name)\": \(inside)", authored: nil, now: "2026-01-01T00:00:00Z") == [])
            #expect(
                try errors(question, "\"\(name)\": \(beyond)", authored: nil, now: "2026-01-01T00:00:00Z")
                    == ["max-value"])
        }
        let evening = Self.question("time", Self.text("minValue", type: "String", text: "18:00:00"))
        #expect(
            try errors(evening, #""valueTime": "17:59:59""#, authored: nil, now: "2026-01-01T00:00:00Z") == [
                "min-value"
            ])
    }

    /// The texts at the ends of a slider are not limits; without other limits the form has a problem.
    @Test(arguments: ["Not at all", "Often", "today(", "'x'", "true"])
    func textIsNotALimit(words: String) throws {
        let alone = Self.question("integer", Self.text("maxValue", type: "String", text: words))
        #expect(try form(alone).problems.map(\.code) == ["limit-unreadable"])
        #expect(try errors(alone, #""valueInteger": 99"#, authored: nil, now: "2026-01-01T00:00:00Z") == [])
        let number = #"{"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 10}"#
        for order in [
            [Self.text("maxValue", type: "String", text: words), number],
            [number, Self.text("maxValue", type: "String", text: words)],
        ] {
            let question = Self.question("integer", order[0], order[1])
            #expect(try form(question).problems.isEmpty)
            #expect(
                try errors(question, #""valueInteger": 11"#, authored: nil, now: "2026-01-01T00:00:00Z")
                    == ["max-value"])
        }
    }

    @Test(arguments: [
        ("/^[0-9]{5}$/", "12345", "1234"), ("/^[abo]+$/i", "AB", "X"), ("/a\\\\/b/", "a/b", "ab"),
        ("/^(yes|no)$/gu", "yes", "maybe"), ("/a.b/s", "a-b", "ab"),
    ])
    func aPatternOfJavaScriptIsReadWithoutItsSlashes(pattern: String, good: String, bad: String) throws {
        let question = Self.question(
            "text", #"{"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "\#(pattern)"}"#)
        #expect(try form(question).problems.map(\.code) == ["regex-javascript"])
        for (answer, expected) in [(good, [String]()), (bad, ["regex"])] {
            let found = try errors(
                question, "\"valueString\": \"\(answer)\"", authored: nil, now: "2026-01-01T00:00:00Z")
            #expect(found == expected, "\(pattern) \(answer)")
        }
    }

    @Test(arguments: ["/^[0-9]+$/q", "/(/"]) func unreadableJavaScriptPatternIsReported(pattern: String) throws {
        let question = Self.question(
            "text", #"{"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "\#(pattern)"}"#)
        #expect(try form(question).problems.map(\.code) == ["regex-invalid"])
    }

    @Test func limitsThatContradictEachOtherAreAFaultOfTheForm() throws {
        let question = Self.question(
            "date", Self.limit("maxValue", type: "Date", expression: "today() - 2 days"),
            Self.limit("minValue", type: "Date", expression: "today()"))
        #expect(try form(question).problems.map(\.code) == ["limits-contradict"])
        for (least, greatest) in [("2020-01-01", "today()"), ("today()", "2020-01-01"), ("1900-01-01", "today()")] {
            let question = Self.question(
                "date", Self.text("minValue", type: "Date", text: least),
                Self.text("maxValue", type: "String", text: greatest))
            #expect(try form(question).problems.isEmpty, "\(least) \(greatest)")
        }
    }

    @Test func sessionUsesItsClock() throws {
        let question = Self.question("date", Self.limit("maxValue", type: "Date", expression: "today()"))
        var session = FormSession(try form(question))
        session["q"] = .date(try #require(DateTime.init("2026-03-02")))
        let before = try #require(DateTime.init("2026-03-01T12:00:00Z"))
        let after = try #require(DateTime.init("2026-03-02T12:00:00Z"))
        session.clock = { before }
        #expect(session.problems().errors == ["max-value"])
        session.clock = { after }
        #expect(session.problems().errors == [])
    }

    @Test(arguments: [
        (#"{"code": "check-box"}"#, "", true),
        (#"{"system": "http://hl7.org/fhir/questionnaire-item-control", "code": "check-box"}"#, "", true),
        (#"{"system": "http://hl7.org/fhir/questionnaire-item-control", "code": "radio-button"}"#, "", false),
        (#"{"system": "https://other.example/s", "code": "check-box"}"#, "", false),
        (#"{"code": "check-box"}"#, #""repeats": false,"#, false),
    ])
    func checkBoxesAllowSeveralAnswers(coding: String, repeats: String, several: Bool) throws {
        let question = #"""
            {"linkId": "q", "type": "choice", \#(repeats) "answerOption": [{"valueCoding": {"code": "a"}},
             {"valueCoding": {"code": "b"}}], "extension": [{"url":
             "http://hl7.org/fhir/StructureDefinition/questionnaire-itemControl", "valueCodeableConcept": {"coding":
             [\#(coding)]}}]}
            """#
        let answers = #""valueCoding": {"code": "a"}}, {"valueCoding": {"code": "b"}"#
        let found = try errors(question, answers, authored: nil, now: "2026-01-01T00:00:00Z")
        #expect(found == (several ? [] : ["repeats"]))
    }

    @Test func publishedValueSetIsFoundByItsURLOrReference() throws {
        let sets = PublishedValueSets(
            try ["1", "1.10", "1.9"].map { version in
                let text = #"""
                    {"resourceType": "ValueSet", "id": "v\#(version)", "url": "https://x.example/vs", "version": "\#(version)",
                     "compose": {"include": [{"system": "https://x.example/s", "concept": [{"code": "c\#(version)"}]}]}}
                    """#
                return ValueSet(try #require(try JSON(parsing: text).object))
            })
        let names = [
            ("https://x.example/vs", "c1.10"), ("https://x.example/vs|1.9", "c1.9"), ("ValueSet/v1", "c1"),
            ("https://server.example/fhir/ValueSet/v1", "c1"), ("https://x.example/vs|2", nil), ("v1", nil),
            ("Questionnaire/v1", nil),
        ]
        for (name, code) in names {
            let form = try form(
                #"{"linkId": "q", "type": "choice", "answerValueSet": "\#(name)"}"#, valueSet: sets.valueSet)
            #expect(form.item("q")?.options?.first?.value.json["code"]?.string == code, "\(name)")
        }
    }
}
