import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct AnswerSetTests {
    private static let options = """
        "answerOption": [{"valueCoding": {"system": "s", "code": "a", "display": "Apple"}},
                         {"valueCoding": {"system": "s", "code": "b", "display": "a"}},
                         {"valueCoding": {"system": "t", "code": "c", "display": "Cherry"}}]
        """

    @Test(arguments: [
        ("boolean", "true", #"{"valueBoolean":true}"#), ("boolean", #""false""#, #"{"valueBoolean":false}"#),
        ("integer", "5", #"{"valueInteger":5}"#), ("integer", #""5""#, #"{"valueInteger":5}"#),
        ("decimal", "1.500", #"{"valueDecimal":1.500}"#), ("decimal", #""1.50""#, #"{"valueDecimal":1.50}"#),
        ("date", #""2024-02""#, #"{"valueDate":"2024-02"}"#),
        ("dateTime", #""2024-02-03""#, #"{"valueDateTime":"2024-02-03"}"#),
        ("dateTime", #""2024-02-03T04:05:06Z""#, #"{"valueDateTime":"2024-02-03T04:05:06Z"}"#),
        ("time", #""08:30""#, #"{"valueTime":"08:30:00"}"#), ("time", #""08:30:15""#, #"{"valueTime":"08:30:15"}"#),
        ("string", #""x""#, #"{"valueString":"x"}"#), ("string", "12.0", #"{"valueString":"12.0"}"#),
        ("text", #""a\nb""#, #"{"valueString":"a\nb"}"#),
        ("url", #""https://example.org""#, #"{"valueUri":"https://example.org"}"#),
        ("reference", #""Patient/1""#, #"{"valueReference":{"reference":"Patient/1"}}"#),
        ("attachment", #""https://example.org/x""#, #"{"valueAttachment":{"url":"https://example.org/x"}}"#),
        ("quantity", "5.0", #"{"valueQuantity":{"value":5.0}}"#),
        (
            "quantity", #"{"valueQuantity": {"value": 5, "unit": "kg"}}"#,
            #"{"valueQuantity":{"value":5,"unit":"kg"}}"#
        ),
        ("string", #"{"value": "x"}"#, #"{"valueString":"x"}"#),
        ("string", #"{"value": {"valueString": "x"}}"#, #"{"valueString":"x"}"#),
    ])
    func aValueBecomesAnAnswerOfTheQuestionsType(type: String, value text: String, answer: String) throws {
        let (items, problems) = try answered(try form(#"{"linkId": "q", "type": "\#(type)"}"#), #"{"q": \#(text)}"#)
        #expect(problems.isEmpty, "\(problems)")
        #expect(value(items, "0.answer.0")?.text() == answer)
    }

    @Test(arguments: [
        ("boolean", "1"), ("boolean", #""maybe""#), ("integer", "5.5"), ("integer", "5.0"), ("integer", "true"),
        ("integer", "3000000000"), ("decimal", #""1,5""#), ("date", #""2024-02-30""#),
        ("date", #""2024-02-03T04:05:06Z""#), ("dateTime", #""2024-02-03T04:05""#), ("time", #""25:00""#),
        ("string", "true"), ("string", #""""#), ("text", "{}"), ("quantity", #""much""#), ("quantity", #""5 kg""#),
        ("reference", "5"), ("string", #"{"valueString": "x", "valueInteger": 1}"#), ("string", #"{"valueString": 5}"#),
        ("string", #"["x", 5.5, true]"#),
    ])
    func invalidAnswerIsAnErrorAndLeftOut(type: String, value text: String) throws {
        let (items, problems) = try answered(try form(#"{"linkId": "q", "type": "\#(type)"}"#), #"{"q": \#(text)}"#)
        #expect(problems.errors == ["answer-type"])
        #expect(problems.first?.expression == "q" && problems.first?.linkID == "q")
        #expect(items == nil)
    }

    @Test func objectOfAnotherTypeIsNotConverted() throws {
        let (_, problems) = try answered(
            try form(#"{"linkId": "q", "type": "decimal"}"#), #"{"q": {"valueInteger": 5}}"#)
        #expect(problems.errors == ["answer-type"])
    }

    @Test(arguments: [
        ("a", "a"), ("s|b", "b"), ("Cherry", "c"), ("t|c", "c"),
    ])
    func aChoiceIsFoundByCodeThenSystemAndCodeThenDisplay(word: String, code: String) throws {
        let form = try form(#"{"linkId": "q", "type": "choice", \#(Self.options)}"#)
        let (items, problems) = try answered(form, #"{"q": "\#(word)"}"#)
        #expect(problems.isEmpty)
        #expect(value(items, "0.answer.0.valueCoding.code")?.string == code)
        #expect(value(items, "0.answer.0.valueCoding.display") != nil, "the option is taken whole")
    }

    @Test func unknownOptionIsFreeTextOnlyForAnOpenChoice() throws {
        let closed = try form(#"{"linkId": "q", "type": "choice", \#(Self.options)}"#)
        #expect(try answered(closed, #"{"q": "plum"}"#).problems.errors == ["option"])
        let open = try form(#"{"linkId": "q", "type": "open-choice", "repeats": true, \#(Self.options)}"#)
        let (items, problems) = try answered(open, #"{"q": ["plum", "a"]}"#)
        #expect(problems.isEmpty)
        #expect(
            value(items, "0.answer")?.text() == """
                [{"valueString":"plum"},{"valueCoding":{"system":"s","code":"a","display":"Apple"}}]
                """)
    }

    @Test func optionsNeedNotBeCodings() throws {
        let form = try form(
            """
            {"linkId": "n", "type": "choice", "answerOption": [{"valueInteger": 1}, {"valueInteger": 20}]},
            {"linkId": "s", "type": "choice", "answerOption": [{"valueString": "x"}, {"valueString": "y"}]},
            {"linkId": "c", "type": "choice", "answerOption": [{"valueCoding": {"code": "1"}}]},
            {"linkId": "t", "type": "choice", "answerOption": [{"valueTime": "10:00:00"}]}
            """)
        let (items, problems) = try answered(form, #"{"n": 20, "s": "y", "c": 1, "t": "10:00:00"}"#)
        #expect(problems.isEmpty)
        #expect(value(items, "0.answer.0")?.text() == #"{"valueInteger":20}"#)
        #expect(value(items, "1.answer.0")?.text() == #"{"valueString":"y"}"#)
        #expect(value(items, "2.answer.0")?.text() == #"{"valueCoding":{"code":"1"}}"#)
        #expect(value(items, "3.answer.0")?.text() == #"{"valueTime":"10:00:00"}"#)
        #expect(try answered(form, #"{"n": 3}"#).problems.errors == ["answer-type"])
    }

    @Test func aNumberIsAQuantityInTheQuestionsUnit() throws {
        let unit = """
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-unit", "valueCoding": \
            {"system": "http://unitsofmeasure.org", "code": "kg", "display": "kilogram"}}]
            """
        let form = try form(#"{"linkId": "q", "type": "quantity", \#(unit)}"#)
        for text in ["70.50", #""70.50""#, #""70.50 kg""#, #""70.50 kilogram""#] {
            let (items, problems) = try answered(form, #"{"q": \#(text)}"#)
            #expect(problems.isEmpty)
            #expect(
                value(items, "0.answer.0")?.text() == """
                    {"valueQuantity":{"value":70.50,"unit":"kilogram","system":"http://unitsofmeasure.org","code":"kg"}}
                    """)
        }
    }

    private static let nested = """
        {"linkId": "g", "type": "group", "repeats": true, "item": [
          {"linkId": "c", "type": "integer"},
          {"linkId": "h", "type": "group", "repeats": true, "item": [{"linkId": "d", "type": "integer"}]}]},
        {"linkId": "q", "type": "string", "repeats": true, "item": [{"linkId": "below", "type": "integer"}]}
        """

    @Test(arguments: [
        #"{"g[0]/c": 1, "g[1]/c": 2, "g[1]/h[0]/d": 3, "g[1]/h[1]/d": 4}"#,
        #"{"g[1]/c": 1, "g[2]/c": 2, "g[2]/h[1]/d": 3, "g[2]/h[2]/d": 4}"#,
        #"{"c": 1, "g[1]/c": 2, "g[1]/h/d": 3, "g[1]/h[1]/d": 4}"#,
        #"{"g[1]/h[1]/d": 4, "g[1]/d": 3, "g[1]/c": 2, "g/c": 1}"#,
        #"{"g": [{"c": 1}, {"item": {"c": 2, "h": [{"d": 3}, {"d": 4}]}}]}"#,
        #"{"g": {"c": 1}, "g[1]": {"c": 2, "h[0]/d": 3, "h[1]/d": 4}}"#,
    ])
    func repetitionsAreDistinguishedInEveryNotation(answers: String) throws {
        let (items, problems) = try answered(try form(Self.nested), answers)
        #expect(problems.isEmpty, "\(problems)")
        #expect(
            items?.text() == """
                [{"linkId":"g","item":[{"linkId":"c","answer":[{"valueInteger":1}]}]},\
                {"linkId":"g","item":[{"linkId":"c","answer":[{"valueInteger":2}]},\
                {"linkId":"h","item":[{"linkId":"d","answer":[{"valueInteger":3}]}]},\
                {"linkId":"h","item":[{"linkId":"d","answer":[{"valueInteger":4}]}]}]}]
                """)
    }

    @Test func numbersThatBeginWithOneAddNoInstance() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "repeats": true, "item": [
              {"linkId": "c", "type": "integer"}, {"linkId": "i", "type": "integer", "initial": [{"valueInteger": 7}]}]}
            """)
        let (items, problems) = try answered(form, #"{"g[1]/c": 1, "g[2]/c": 2}"#)
        #expect(problems.isEmpty)
        #expect(items?.array?.count == 2)
        #expect(value(items, "1.item.1.answer.0.valueInteger") == 7)
    }

    @Test(arguments: [
        #"{"q": [{"value": "a", "item": {"below": 1}}, {"value": "b", "item": {"below": 2}}]}"#,
        #"{"q": ["a", "b"], "q[0]/below": 1, "q[1]/below": 2}"#,
        #"{"q[1]/below": 2, "q[0]/below": 1, "q": ["a", "b"]}"#,
        #"{"q[0]": "a", "q[1]": {"value": "b", "item": {"below": 2}}, "q[0]/below": 1}"#,
        #"{"q": [{"valueString": "a", "item": {"below": 1}}, {"valueString": "b", "item": {"below": 2}}]}"#,
    ])
    func itemsArePartOfTheirAnswer(answers: String) throws {
        let (items, problems) = try answered(try form(Self.nested), answers)
        #expect(problems.isEmpty, "\(problems)")
        #expect(
            items?.text() == """
                [{"linkId":"q","answer":[\
                {"valueString":"a","item":[{"linkId":"below","answer":[{"valueInteger":1}]}]},\
                {"valueString":"b","item":[{"linkId":"below","answer":[{"valueInteger":2}]}]}]}]
                """)
    }

    @Test func bareLinkIDIsAmbiguousBelowSeveralAnswers() throws {
        let form = try form(Self.nested)
        #expect(try answered(form, #"{"q": "a", "below": 1}"#).problems.isEmpty)
        #expect(try answered(form, #"{"q": ["a", "b"], "below": 1}"#).problems.errors == ["parent-ambiguous"])
        #expect(try answered(form, #"{"below": 1}"#).problems.errors == ["parent-unanswered"])
        #expect(try answered(form, #"{"q": "a", "q[1]/below": 1}"#).problems.errors == ["parent-unanswered"])
    }

    @Test(arguments: [
        ("link-id-unknown", #"{"none": 1}"#), ("link-id-unknown", #"{"g/none": 1}"#),
        ("item-misplaced", #"{"q/c": 1}"#), ("item-misplaced", #"{"g": {"below": 1}}"#),
        ("group-answered", #"{"g": 5}"#), ("answer-twice", #"{"c": 1, "g/c": 2}"#),
        ("answers-malformed", "[]"), ("answers-malformed", #"{"q": {"value": "a", "item": 5}}"#),
    ])
    func unknownKeyIsAnError(code: String, answers: String) throws {
        #expect(try answered(try form(Self.nested), answers).problems.errors == [code])
    }

    @Test func linkIDsMayContainSlashesAndBrackets() throws {
        let form = try form(
            """
            {"linkId": "/g", "type": "group", "repeats": true, "item": [
              {"linkId": "/g/1", "type": "integer"}, {"linkId": "x[1]", "type": "integer"}]}
            """)
        let (items, problems) = try answered(form, #"{"/g/1": 1, "x[1]": 2, "/g[1]//g/1": 3, "/g[1]/x[1]": 4}"#)
        #expect(problems.isEmpty, "\(problems)")
        #expect(value(items, "0.item.0.answer.0.valueInteger") == 1)
        #expect(value(items, "0.item.1.answer.0.valueInteger") == 2)
        #expect(value(items, "1.item.0.answer.0.valueInteger") == 3)
        #expect(value(items, "1.item.1.answer.0.valueInteger") == 4)
    }

    @Test func answerToADisabledItemIsOmittedWithAWarning() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "b", "type": "string", "enableWhen": [{"question": "a", "operator": "=", "answerBoolean": true}]}
            """)
        let (items, problems) = try answered(form, #"{"b": "secret", "a": false}"#)
        #expect(problems.errors.isEmpty && problems.warnings == ["not-enabled"])
        #expect(items?.array?.count == 1)
        #expect(!problems.contains { $0.message.contains("secret") }, "messages quote no answers")
        // The order in the file does not matter: answers of items that are enabled in the end are accepted.
        #expect(try answered(form, #"{"b": "x", "a": true}"#).problems.isEmpty)
    }

    @Test func nullRemovesAnInitialValue() throws {
        let form = try form(#"{"linkId": "a", "type": "string", "initial": [{"valueString": "x"}]}"#)
        #expect(value(try answered(form, "{}").items, "0.answer.0.valueString") == "x")
        #expect(value(try answered(form, #"{"a": "y"}"#).items, "0.answer.0.valueString") == "y")
        for none in ["null", "[]"] { #expect(try answered(form, #"{"a": \#(none)}"#).items == nil) }
    }

    @Test func severalAnswersToASingleAnswerQuestionAreAnError() throws {
        let form = try form(#"{"linkId": "a", "type": "integer"}"#)
        #expect(try answered(form, #"{"a": [1, 2]}"#).problems.errors == ["repeats"])
    }

    @Test func aSessionsAnswersReadBackAsTheSameResponse() throws {
        let form = try form(Self.nested)
        var session = FormSession(form)
        let given = #"{"g[1]/c": 2, "g[1]/h[1]/d": 4, "g/c": 1, "q": [{"value": "a", "item": {"below": 1}}, "b"]}"#
        #expect(AnswerSet(try JSON(parsing: given)).apply(to: &session).isEmpty)
        var again = FormSession(form)
        #expect(session.answerSet.apply(to: &again).isEmpty)
        #expect(again.response().json == session.response().json)
    }
}
