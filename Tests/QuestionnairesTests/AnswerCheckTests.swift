import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

/// The problems of a single answer.
@Suite struct AnswerCheckTests {
    private func problems(
        _ items: String, _ answers: String, status: String = "completed", more: String = ""
    ) throws -> [ResponseProblem] {
        let response = try response(answers, "\"status\": \"\(status)\"\(more)")
        return ResponseValidator(try form(items)).problems(in: response)
    }

    /// Returns the errors of one question of the type with extensions, and its answers.
    private func errors(_ type: String, limits: String, answers: String...) throws -> [String] {
        let list = answers.map { "{\($0)}" }.joined(separator: ",")
        return try problems(
            #"{"linkId": "q", "type": "\#(type)", "repeats": true, \#(limits)}"#,
            #"{"linkId": "q", "answer": [\#(list)]}"#
        ).errors
    }

    private static func limit(_ name: String, _ value: String) -> String {
        let url = name.hasPrefix("http") ? name : "http://hl7.org/fhir/StructureDefinition/\(name)"
        return #""extension": [{"url": "\#(url)", \#(value)}]"#
    }

    @Test func eachTypeAcceptsOnlyItsValues() throws {
        let values = [
            "Boolean": "true", "Decimal": "1.5", "Integer": "1", "Date": #""2024-02-03""#,
            "DateTime": #""2024-02-03T04:05:06Z""#, "Time": #""04:05:06""#, "String": #""x""#,
            "Uri": #""https://example.org""#, "Attachment": #"{"url": "https://example.org"}"#,
            "Coding": #"{"code": "x"}"#, "Quantity": #"{"value": 1}"#, "Reference": #"{"reference": "Patient/1"}"#,
            "Code": #""x""#,
        ]
        for type in ItemTypes.all where ![.group, .display, .question].contains(type) {
            for (name, value) in values {
                let found = try errors(
                    type.rawValue, limits: #""readOnly": false"#, answers: "\"value\(name)\": \(value)")
                #expect(found == (type.answerTypes.contains(name) ? [] : ["answer-type"]), "\(type) \(name): \(found)")
            }
        }
    }

    @Test(arguments: [
        ("Boolean", "boolean", #""true""#), ("Integer", "integer", "1.0"), ("Integer", "integer", "3000000000"),
        ("Decimal", "decimal", #""1""#), ("Date", "date", #""2024-13""#), ("Date", "date", #""2024-02-03T00:00:00Z""#),
        ("DateTime", "dateTime", #""2024-02-03T00:00""#), ("Time", "time", #""8:00""#), ("String", "string", #""""#),
        ("Coding", "choice", "{}"), ("Coding", "choice", #""x""#), ("Quantity", "quantity", #"{"value": "1"}"#),
        ("Reference", "reference", "{}"),
    ])
    func malformedValuesAreReported(name: String, type: String, value: String) throws {
        #expect(
            try errors(type, limits: #""readOnly": false"#, answers: "\"value\(name)\": \(value)") == [
                "answer-malformed"
            ])
    }

    @Test func textsKeepTheirLength() throws {
        #expect(try errors("string", limits: #""maxLength": 3"#, answers: #""valueString": "äöü""#) == [])
        #expect(try errors("string", limits: #""maxLength": 3"#, answers: #""valueString": "abcd""#) == ["max-length"])
        #expect(try errors("url", limits: #""maxLength": 5"#, answers: #""valueUri": "urn:xyz""#) == ["max-length"])
        let least = Self.limit("minLength", #""valueInteger": 3"#)
        #expect(
            try errors("text", limits: least, answers: #""valueString": "ab""#, #""valueString": "abc""#) == [
                "min-length"
            ])
    }

    @Test func onlyATextHasSeveralLines() throws {
        for line in [#"a\nb"#, #"a\r\nb"#] {
            #expect(
                try errors("string", limits: #""readOnly": false"#, answers: #""valueString": "\#(line)""#) == [
                    "newline"
                ])
            #expect(try errors("text", limits: #""readOnly": false"#, answers: #""valueString": "\#(line)""#) == [])
        }
    }

    @Test func aPatternMatchesTheWholeAnswer() throws {
        let digits = Self.limit("regex", #""valueString": "[0-9]{3}|x""#)
        #expect(try errors("string", limits: digits, answers: #""valueString": "123""#, #""valueString": "x""#) == [])
        for wrong in ["1234", "a123", "12", "123\\n", "xx"] {
            #expect(
                try errors("text", limits: digits, answers: #""valueString": "\#(wrong)""#) == ["regex"], "\(wrong)")
        }
        let anchored = Self.limit("regex", #""valueString": "^[0-9]+$""#)
        #expect(try errors("string", limits: anchored, answers: #""valueString": "123""#) == [])
    }

    @Test func messageOfAPatternIsUsed() throws {
        let items = """
            {"linkId": "q", "type": "string", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "[0-9]+"},
              {"url": "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext", "valueString": "Digits, please."}]}
            """
        let found = try problems(items, #"{"linkId": "q", "answer": [{"valueString": "x"}]}"#)
        #expect(found.map(\.message) == ["Digits, please."])
    }

    @Test(.timeLimit(.minutes(1)))
    func endlessBacktrackingIsLimited() throws {
        let items = """
            {"linkId": "q", "type": "string",
             "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "(a+)+b"}]}
            """
        let text = String(repeating: "a", count: 60)
        let found = try problems(items, #"{"linkId": "q", "answer": [{"valueString": "\#(text)"}]}"#)
        #expect(found.map(\.code) == ["regex-undecided"] && found.errors.isEmpty)
    }

    @Test func valuesStayInsideTheirLimits() throws {
        for (type, name, low, inside, high) in [
            ("integer", "Integer", "1", "2", "4"), ("decimal", "Decimal", "1.99", "2.0", "3.01"),
            ("date", "Date", #""2023-12-31""#, #""2024""#, #""2026""#),
            (
                "dateTime", "DateTime", #""2023-12-31T23:00:00Z""#, #""2024-05-01T00:00:00Z""#,
                #""2026-01-01T00:00:00Z""#
            ),
            ("time", "Time", #""07:59:59""#, #""08:00:00""#, #""09:00:01""#),
            (
                "quantity", "Quantity", #"{"value": 1, "code": "kg"}"#, #"{"value": 2, "code": "kg"}"#,
                #"{"value": 10, "code": "kg"}"#
            ),
        ] {
            let limits: (String, String) =
                switch type {
                case "integer", "decimal": ("2", "3")
                case "date", "dateTime": (#""2024""#, #""2025""#)
                case "time": (#""08:00:00""#, #""09:00:00""#)
                default: (inside, inside)
                }
            let least = Self.limit("minValue", "\"value\(name)\": \(limits.0)")
            let greatest = Self.limit("maxValue", "\"value\(name)\": \(limits.1)")
            let (low, inside, high) = (
                "\"value\(name)\": \(low)", "\"value\(name)\": \(inside)", "\"value\(name)\": \(high)"
            )
            #expect(try errors(type, limits: least, answers: low, inside, high) == ["min-value"], "\(type)")
            #expect(try errors(type, limits: greatest, answers: low, inside, high) == ["max-value"], "\(type)")
        }
    }

    @Test func decimalPlacesAreCountedAsWritten() throws {
        let two = Self.limit("maxDecimalPlaces", #""valueInteger": 2"#)
        for number in ["1", "1.5", "1.50", "100e-2", "1.5e3"] {
            #expect(try errors("decimal", limits: two, answers: "\"valueDecimal\": \(number)") == [], "\(number)")
        }
        for number in ["1.500", "1.5e-2", "0.001"] {
            #expect(
                try errors("decimal", limits: two, answers: "\"valueDecimal\": \(number)") == ["decimal-places"],
                "\(number)")
        }
        #expect(
            try errors("quantity", limits: two, answers: #""valueQuantity": {"value": 1.234}"#) == ["decimal-places"])
    }

    @Test func answersAreAmongTheOptions() throws {
        let options =
            #""answerOption": [{"valueCoding": {"system": "s", "code": "a"}}, {"valueCoding": {"code": "b"}}]"#
        for (coding, isOne) in [
            (#"{"system": "s", "code": "a", "display": "whatever"}"#, true), (#"{"code": "b"}"#, true),
            (#"{"system": "t", "code": "b"}"#, true), (#"{"code": "a"}"#, false),
            (#"{"system": "t", "code": "a"}"#, false),
            (#"{"system": "s", "code": "c"}"#, false),
        ] {
            for type in ["choice", "open-choice"] {
                #expect(
                    try errors(type, limits: options, answers: "\"valueCoding\": \(coding)")
                        == (isOne ? [] : ["option"]), "\(coding)")
            }
        }
        #expect(try errors("open-choice", limits: options, answers: #""valueString": "own words""#) == [])
        #expect(try errors("choice", limits: options, answers: #""valueString": "own words""#) == ["answer-type"])
        let numbers = #""answerOption": [{"valueInteger": 1}]"#
        #expect(
            try errors("integer", limits: numbers, answers: #""valueInteger": 1"#, #""valueInteger": 2"#) == ["option"])
        #expect(
            try errors("choice", limits: numbers, answers: #""valueInteger": 1"#, #""valueInteger": 2"#) == ["option"])
    }

    @Test func exclusiveOptionExcludesOtherAnswers() throws {
        let options = """
            "answerOption": [{"valueString": "a"}, {"valueString": "none", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive", "valueBoolean": true}]}]
            """
        #expect(try errors("string", limits: options, answers: #""valueString": "none""#) == [])
        #expect(
            try errors("string", limits: options, answers: #""valueString": "none""#, #""valueString": "a""#) == [
                "option-exclusive"
            ])
    }

    @Test func unitsMustBeOffered() throws {
        let base = "http://hl7.org/fhir/StructureDefinition/questionnaire-"
        let kilogram =
            #"{"url": "\#(base)unitOption", "valueCoding": {"system": "u", "code": "kg", "display": "kilo"}}"#
        let gram = #"{"url": "\#(base)unitOption", "valueCoding": {"system": "u", "code": "g"}}"#
        let options = #""extension": [\#(kilogram), \#(gram)]"#
        #expect(
            try errors(
                "quantity", limits: options, answers: #""valueQuantity": {"value": 1, "system": "u", "code": "g"}"#)
                == [])
        for wrong in [#""system": "u", "code": "t""#, #""system": "v", "code": "kg""#, #""unit": "stone""#] {
            #expect(
                try errors("quantity", limits: options, answers: #""valueQuantity": {"value": 1, \#(wrong)}"#) == [
                    "unit"
                ])
        }
        let open = """
            "extension": [\(kilogram), {"valueCode": "optionsOrString",
              "url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-unitOpen"}]
            """
        #expect(try errors("quantity", limits: open, answers: #""valueQuantity": {"value": 1, "unit": "stone"}"#) == [])
        let unit = Self.limit("questionnaire-unit", #""valueCoding": {"system": "u", "code": "kg"}"#)
        let other = try problems(
            #"{"linkId": "q", "type": "quantity", \#(unit)}"#,
            #"{"linkId": "q", "answer": [{"valueQuantity": {"value": 1, "system": "u", "code": "g"}}]}"#)
        #expect(other.errors.isEmpty && other.warnings == ["unit"])
    }

    @Test func unitsMayComeFromAContainedValueSet() throws {
        let sets = """
            "contained": [{"resourceType": "ValueSet", "id": "u", "compose": {"include": [
              {"system": "http://unitsofmeasure.org", "concept": [{"code": "kg"}]}]}}]
            """
        let form = try form(
            ##"{"linkId": "q", "type": "quantity", \##(Self.limit("questionnaire-unitValueSet", ##""valueCanonical": "#u""##))}"##,
            sets)
        for (code, expected) in [("kg", []), ("g", ["unit-value-set"])] {
            let answer = #"{"valueQuantity": {"value": 1, "system": "http://unitsofmeasure.org", "code": "\#(code)"}}"#
            let response = try response(#"{"linkId": "q", "answer": [\#(answer)]}"#)
            #expect(ResponseValidator(form).problems(in: response).errors == expected)
        }
    }

    @Test func attachmentsAreOfTheRightKindAndSize() throws {
        let images = Self.limit("mimeType", #""valueCode": "image/*""#)
        #expect(
            try errors(
                "attachment", limits: images,
                answers: #""valueAttachment": {"contentType": "image/png", "url": "http://x"}"#)
                == [])
        for other in [#""contentType": "application/pdf""#, #""url": "http://example.org""#] {
            #expect(
                try errors("attachment", limits: images, answers: #""valueAttachment": {\#(other)}"#) == ["mime-type"])
        }
        let small = Self.limit("maxSize", #""valueDecimal": 3"#)
        #expect(try errors("attachment", limits: small, answers: #""valueAttachment": {"data": "YWJj"}"#) == [])
        #expect(
            try errors("attachment", limits: small, answers: #""valueAttachment": {"data": "YWJjZA=="}"#) == [
                "max-size"
            ])
        #expect(
            try errors("attachment", limits: small, answers: #""valueAttachment": {"url": "http://x", "size": 4}"#) == [
                "max-size"
            ])
        let any = #""readOnly": false"#
        #expect(
            try errors("attachment", limits: any, answers: #""valueAttachment": {"data": "YWJj", "size": 4}"#) == [
                "attachment-size"
            ])
        for data in ["YWJ", "YW=j", "Y!Jj"] {
            #expect(
                try errors("attachment", limits: any, answers: #""valueAttachment": {"data": "\#(data)"}"#) == [
                    "attachment-data"
                ])
        }
    }

    @Test(arguments: [
        ("Patient/1", []), ("Patient/1/_history/2", []), ("#x", []), ("https://example.org/fhir/Patient/1", []),
        ("urn:uuid:c757873d-ec9a-4326-a141-556f43239520", []), ("urn:uuid:nonsense", ["reference"]),
        ("Patient", ["reference"]), ("patient/1", ["reference"]), ("Patient/1 2", ["reference"]), ("#", ["reference"]),
        ("Unicorn/1", ["reference-type-unknown"]), ("https://example.org/Unicorn/1", ["reference-type-unknown"]),
        ("https://example.org/somewhere", []), ("Observation/1", ["reference-type"]),
        ("https://example.org/fhir/Observation/1", ["reference-type"]),
    ])
    func referencesMustBeValidAndOfAnAllowedType(text: String, expected: [String]) throws {
        let patients = Self.limit("questionnaire-referenceResource", #""valueCode": "Patient""#)
        let found = try errors("reference", limits: patients, answers: #""valueReference": {"reference": "\#(text)"}"#)
        #expect(found == expected)
    }

    @Test(arguments: [
        ("https://example.org/a?b=c#d", true), ("mailto:a@example.org", true), ("urn:oid:1.2.3", true),
        ("Patient/1", true), ("a/b:c", true), ("urn:oid:1.02.3", false), ("urn:oid:9", false),
        ("urn:uuid:C757873D-EC9A-4326-A141-556F43239520", false), ("https://", false), ("http:example.org", false),
        ("with space", false), (#"c:\\temp"#, false), ("1a:b", false), ("<x>", false),
    ])
    func aURLIsWrittenAsOne(text: String, isRight: Bool) throws {
        let found = try errors("url", limits: #""readOnly": false"#, answers: #""valueUri": "\#(text)""#)
        #expect(found == (isRight ? [] : ["url"]))
    }
}
