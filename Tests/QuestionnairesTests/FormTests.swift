import FHIR
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct FormTests {
    private func codes(_ items: String, _ more: String = "") throws -> [String] {
        try form(items, more).problems.map(\.code)
    }

    @Test func itemsHaveTheFormsOrderAndTheirProperties() throws {
        let form = try form(
            """
            {"linkId": "g", "type": "group", "text": "Group", "required": true, "repeats": true, "item": [
              {"linkId": "q", "type": "open-choice", "text": "Which?", "prefix": "1.", "readOnly": true,
               "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-hidden", "valueBoolean": true},
                             {"url": "http://example.org/unknown-rendering-hint", "valueString": "sparkle"}]}]}
            """)
        #expect(form.problems.isEmpty)
        let group = try #require(form.items.first)
        #expect(group.type == .group && group.isRequired && group.repeats && !group.isHidden && !group.isQuestion)
        let question = try #require(form.item("q"))
        #expect(question.index == 1 && question.type == .openChoice && question.prefix == "1.")
        #expect(question.isHidden && question.isReadOnly && question.isQuestion)
        #expect(form.item("none") == nil)
        #expect(form.canonical == "https://example.org/form|1")
    }

    @Test func typeUnknownToR4IsReadAsGroupOrText() throws {
        let form = try form(
            #"{"linkId": "a", "type": "colours", "item": [{"linkId": "b", "type": "colour"}, {"linkId": "c"}]}"#)
        #expect(form.item("a")?.type == .group)
        #expect(form.item("b")?.type == .string && form.item("c")?.type == .string)
        #expect(form.problems.map(\.code) == Array(repeating: "item-type-unknown", count: 3))
        #expect(QuestionnaireItemType(rawValue: "colour").answerTypes.isEmpty)
    }

    @Test func everyItemTypeIsRead() throws {
        for type in ItemTypes.all {
            let inside = type == .group ? #", "item": [{"linkId": "b", "type": "string"}]"# : ""
            let form = try form(#"{"linkId": "a", "type": "\#(type.rawValue)"\#(inside)}"#)
            #expect(form.item("a")?.type == type)
            let codes = form.problems.map(\.code)
            switch type {
            case .question: #expect(codes == ["item-type-abstract"])
            case .choice: #expect(codes == ["options-missing"])
            default: #expect(codes.isEmpty, "\(type): \(codes)")
            }
        }
    }

    @Test(arguments: [
        ("que-1", #"{"linkId": "a", "type": "group"}"#),
        ("que-1", #"{"linkId": "a", "type": "display", "item": [{"linkId": "b", "type": "string"}]}"#),
        ("link-id-repeated", #"{"linkId": "a", "type": "string"}, {"linkId": "a", "type": "string"}"#),
        ("link-id-missing", #"{"type": "string"}"#),
        ("item-type-unknown", #"{"linkId": "a", "type": "colour"}"#),
        ("item-type-abstract", #"{"linkId": "a", "type": "question"}"#),
        ("que-3", #"{"linkId": "a", "type": "display", "code": [{"code": "x"}]}"#),
        (
            "que-4",
            ##"{"linkId": "a", "type": "choice", "answerOption": [{"valueCoding": {"code": "x"}}], "answerValueSet": "http://example.org/vs"}"##
        ),
        ("que-5", #"{"linkId": "a", "type": "boolean", "answerOption": [{"valueString": "x"}]}"#),
        ("que-6", #"{"linkId": "a", "type": "display", "required": false}"#),
        ("que-8", #"{"linkId": "a", "type": "display", "initial": [{"valueString": "x"}]}"#),
        ("que-9", #"{"linkId": "a", "type": "display", "readOnly": true}"#),
        ("que-10", #"{"linkId": "a", "type": "date", "maxLength": 3}"#),
        (
            "que-11",
            #"{"linkId": "a", "type": "string", "answerOption": [{"valueString": "x"}], "initial": [{"valueString": "x"}]}"#
        ),
        ("que-13", #"{"linkId": "a", "type": "string", "initial": [{"valueString": "x"}, {"valueString": "y"}]}"#),
        (
            "limits-contradict",
            """
            {"linkId": "a", "type": "integer", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/minValue", "valueInteger": 5},
              {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 4}]}
            """
        ),
        (
            "regex-invalid",
            """
            {"linkId": "a", "type": "string",
             "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/regex", "valueString": "(["}]}
            """
        ),
        ("options-missing", #"{"linkId": "a", "type": "choice"}"#),
        ("value-set-missing", ##"{"linkId": "a", "type": "choice", "answerValueSet": "#none"}"##),
        ("value-set-not-at-hand", #"{"linkId": "a", "type": "choice", "answerValueSet": "http://example.org/vs"}"#),
        (
            "expression-language",
            """
            {"linkId": "a", "type": "string", "extension": [
              {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-enableWhenExpression",
               "valueExpression": {"language": "text/cql", "expression": "true"}}]}
            """
        ),
    ])
    func problemOfAnItemIsReported(code: String, items: String) throws {
        #expect(try codes(items) == [code])
    }

    @Test(arguments: [
        ("condition-question-unknown", #"{"question": "none", "operator": "=", "answerBoolean": true}"#),
        ("condition-on-itself", #"{"question": "b", "operator": "=", "answerBoolean": true}"#),
        ("condition-on-inner-item", #"{"question": "inner", "operator": "=", "answerBoolean": true}"#),
        ("condition-on-group", #"{"question": "g", "operator": "exists", "answerBoolean": true}"#),
        ("condition-operator-unknown", #"{"question": "a", "operator": "~", "answerBoolean": true}"#),
        ("condition-answer-missing", #"{"question": "a", "operator": "="}"#),
        ("que-7", #"{"question": "a", "operator": "exists", "answerString": "yes"}"#),
        ("condition-type", #"{"question": "a", "operator": "=", "answerCoding": {"code": "x"}}"#),
        ("condition-looks-ahead", #"{"question": "later", "operator": "=", "answerBoolean": true}"#),
    ])
    func problemOfAConditionIsReported(code: String, condition: String) throws {
        let form = try form(
            """
            {"linkId": "a", "type": "boolean"},
            {"linkId": "g", "type": "group", "item": [{"linkId": "other", "type": "string"}]},
            {"linkId": "b", "type": "boolean", "enableWhen": [\(condition)],
             "item": [{"linkId": "inner", "type": "boolean"}]},
            {"linkId": "later", "type": "boolean"}
            """)
        #expect(form.problems.map(\.code) == [code])
        #expect(form.problems.first?.linkID == "b")
    }

    @Test func severalConditionsNeedABehaviorThatDefaultsToAll() throws {
        let items = """
            {"linkId": "a", "type": "boolean"}, {"linkId": "b", "type": "boolean"},
            {"linkId": "c", "type": "string", "enableWhen": [
              {"question": "a", "operator": "=", "answerBoolean": true},
              {"question": "b", "operator": "=", "answerBoolean": true}]}
            """
        let form = try form(items)
        #expect(form.problems.map(\.code) == ["que-12"])
        var session = FormSession(form)
        session.setAnswers([.yes()], at: path("a"))
        #expect(!session.isEnabled(path("c")))
        session.setAnswers([.yes()], at: path("b"))
        #expect(session.isEnabled(path("c")))
    }

    @Test func circularConditionsAreReportedAndDoNotHang() throws {
        let form = try form(
            """
            {"linkId": "a", "type": "boolean", "enableWhen": [{"question": "b", "operator": "exists", "answerBoolean": false}]},
            {"linkId": "b", "type": "boolean", "enableWhen": [{"question": "a", "operator": "exists", "answerBoolean": true}]},
            {"linkId": "c", "type": "boolean", "enableWhen": [{"question": "b", "operator": "=", "answerBoolean": true}]}
            """)
        #expect(form.problems.filter { $0.code == "condition-circle" }.compactMap(\.linkID) == ["a", "b"])
        var session = FormSession(form)
        session.setAnswers([.yes()], at: path("a"))
        session.setAnswers([.yes()], at: path("b"))
        _ = session.response()
    }

    @Test func membersOfContainedValueSetsAreOptions() throws {
        let sets = """
            "contained": [
              {"resourceType": "ValueSet", "id": "expanded", "expansion": {"contains": [
                {"system": "s", "code": "x", "display": "X", "contains": [{"system": "s", "code": "y"}]},
                {"abstract": true, "system": "s", "code": "heading", "contains": [{"system": "s", "code": "z"}]}]}},
              {"resourceType": "ValueSet", "id": "composed", "url": "http://example.org/composed", "compose": {
                "include": [{"system": "s", "concept": [{"code": "1"}, {"code": "2"}]},
                            {"system": "t", "concept": [{"code": "3"}]}, {"valueSet": ["#expanded"]}],
                "exclude": [{"system": "s", "concept": [{"code": "2"}]}]}},
              {"resourceType": "ValueSet", "id": "system", "compose": {"include": [{"system": "http://loinc.org"}]}},
              {"resourceType": "ValueSet", "id": "circle", "compose": {"include": [{"valueSet": ["#circle"]}]}}]
            """
        func options(_ name: String) throws -> [String]? {
            let form = try form(#"{"linkId": "a", "type": "choice", "answerValueSet": "\#(name)"}"#, sets) { name in
                guard name == "http://example.org/given" else { return nil }
                return ValueSet(
                    json: [
                        "resourceType": "ValueSet",
                        "compose": ["include": [["system": "s", "concept": [["code": "given"]]]]],
                    ])
            }
            return form.item("a")?.options?.map { $0.value.json["code"]?.string ?? "" }
        }
        #expect(try options("#expanded") == ["x", "y", "z"])
        #expect(try options("#composed") == ["1", "3", "x", "y", "z"])
        #expect(try options("http://example.org/composed|1") == ["1", "3", "x", "y", "z"])
        #expect(try options("http://example.org/given") == ["given"])
        #expect(try options("#system") == nil)
        #expect(try options("#circle") == [])
    }

    @Test func invalidNameAndEmptyFormAreWarnings() throws {
        let problems = try form("", #""name": "my form""#).problems
        #expect(problems.map(\.code) == ["que-0", "form-empty"])
        #expect(problems.allSatisfy { $0.severity == .warning })
    }
}
