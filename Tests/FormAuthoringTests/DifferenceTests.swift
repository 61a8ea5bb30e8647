import FHIR
import FormAuthoring
import Questionnaires
import QuestionnairesTestSupport
import Testing

@Suite struct DifferenceTests {
    /// One kind of change, with the items before and after it.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let old: String
        let new: String
        let element: String
        let level: ChangeLevel

        init(_ name: String, _ old: String, to new: String, is expected: (element: String, level: ChangeLevel)) {
            self.name = name
            self.old = old
            self.new = new
            element = expected.element
            level = expected.level
        }

        var testDescription: String { name }
    }

    /// Returns an item of a type with more members.
    private static func item(_ type: String, _ more: String = "") -> String {
        #"{"linkId": "q", "text": "T", "type": "\#(type)"\#(more.isEmpty ? "" : ", " + more)}"#
    }

    private static func ext(_ name: String, _ value: String) -> String {
        let url = name.contains(":") ? name : "http://hl7.org/fhir/StructureDefinition/\(name)"
        return #""extension": [{"url": "\#(url)", \#(value)}]"#
    }

    private static func options(_ codes: String...) -> String {
        let options = codes.map { #"{"valueCoding": {"system": "s", "code": "\#($0)"}}"# }
        return #""answerOption": [\#(options.joined(separator: ", "))]"#
    }

    private static let condition =
        #""enableWhen": [{"question": "p", "operator": "=", "answerBoolean": true}]"#
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    static let cases: [Case] = elements + limits + choices + expressions

    private static let elements: [Case] = [
        Case("text", item("string"), to: #"{"linkId": "q", "text": "U", "type": "string"}"#, is: ("text", .text)),
        Case("prefix", item("string"), to: item("string", #""prefix": "1.""#), is: ("prefix", .text)),
        Case(
            "translation", item("string"),
            to: item(
                "string",
                #""_text": {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/translation"}]}"#),
            is: ("_text", .text)),
        Case("removed item", item("string"), to: "", is: ("item", .breaking)),
        Case("removed text", item("display"), to: "", is: ("item", .compatible)),
        Case("added text", "", to: item("display"), is: ("item", .text)),
        Case("added item", "", to: item("string"), is: ("item", .compatible)),
        Case("added required item", "", to: item("string", #""required": true"#), is: ("item", .breaking)),
        Case(
            "added required item below an added question", "",
            to:
                #"{"linkId": "n", "type": "boolean"}, {"linkId": "q", "type": "string", "required": true, "enableWhen": [{"question": "n", "operator": "=", "answerBoolean": true}]}"#,
            is: ("item", .compatible)),
        Case(
            "added required item unless an added question has an answer", "",
            to:
                #"{"linkId": "n", "type": "boolean"}, {"linkId": "q", "type": "string", "required": true, "enableWhen": [{"question": "n", "operator": "!=", "answerBoolean": true}]}"#,
            is: ("item", .breaking)),
        Case("required", item("string"), to: item("string", #""required": true"#), is: ("required", .breaking)),
        Case("not required", item("string", #""required": true"#), to: item("string"), is: ("required", .compatible)),
        Case("repeats", item("string"), to: item("string", #""repeats": true"#), is: ("repeats", .compatible)),
        Case("one answer", item("string", #""repeats": true"#), to: item("string"), is: ("repeats", .breaking)),
        Case("read only", item("string"), to: item("string", #""readOnly": true"#), is: ("readOnly", .compatible)),
        Case("string to text", item("string"), to: item("text"), is: ("type", .compatible)),
        Case("text to string", item("text"), to: item("string"), is: ("type", .breaking)),
        Case("decimal to integer", item("decimal"), to: item("integer"), is: ("type", .breaking)),
        Case("date to dateTime", item("date"), to: item("dateTime"), is: ("type", .breaking)),
        Case("choice to open-choice", item("choice"), to: item("open-choice"), is: ("type", .compatible)),
        Case("open-choice to choice", item("open-choice"), to: item("choice"), is: ("type", .breaking)),
        Case("display to question", item("display"), to: item("string"), is: ("type", .compatible)),
        Case("group to display", item("group"), to: item("display"), is: ("type", .breaking)),
        Case("condition added", item("string"), to: item("string", condition), is: ("enableWhen", .breaking)),
        Case("condition removed", item("string", condition), to: item("string"), is: ("enableWhen", .compatible)),
        Case(
            "condition of a required item removed", item("string", #""required": true, "# + condition),
            to: item("string", #""required": true"#), is: ("enableWhen", .breaking)),
        Case(
            "initial value", item("string"), to: item("string", #""initial": [{"valueString": "a"}]"#),
            is: ("initial", .compatible)),
        Case("definition", item("string"), to: item("string", #""definition": "d""#), is: ("definition", .compatible)),
        Case("element id", item("string"), to: item("string", #""id": "x""#), is: ("id", .same)),
        Case("code added", item("string"), to: item("string", #""code": [{"code": "a"}]"#), is: ("code", .compatible)),
        Case(
            "code replaced", item("string", #""code": [{"code": "a"}]"#),
            to: item("string", #""code": [{"code": "b"}]"#), is: ("code", .breaking)),
        Case(
            "display of a code", item("string", #""code": [{"code": "a"}]"#),
            to: item("string", #""code": [{"code": "a", "display": "A"}]"#), is: ("code", .text)),
    ]

    private static let limits: [Case] = [
        Case("maxLength added", item("string"), to: item("string", #""maxLength": 5"#), is: ("maxLength", .breaking)),
        Case(
            "maxLength loosened", item("string", #""maxLength": 5"#), to: item("string", #""maxLength": 6"#),
            is: ("maxLength", .compatible)),
        Case(
            "maxLength removed", item("string", #""maxLength": 5"#), to: item("string"), is: ("maxLength", .compatible)),
        Case(
            "minLength", item("string", ext("minLength", #""valueInteger": 3"#)),
            to: item("string", ext("minLength", #""valueInteger": 2"#)), is: ("minLength", .compatible)),
        Case(
            "regex", item("string"), to: item("string", ext("regex", #""valueString": "a*""#)), is: ("regex", .breaking)
        ),
        Case(
            "regex removed", item("string", ext("regex", #""valueString": "a*""#)), to: item("string"),
            is: ("regex", .compatible)),
        Case(
            "minimum loosened", item("integer", ext("minValue", #""valueInteger": 3"#)),
            to: item("integer", ext("minValue", #""valueInteger": 2"#)), is: ("minValue", .compatible)),
        Case(
            "minimum tightened", item("integer", ext("minValue", #""valueInteger": 3"#)),
            to: item("integer", ext("minValue", #""valueInteger": 4"#)), is: ("minValue", .breaking)),
        Case(
            "maximum tightened", item("decimal", ext("maxValue", #""valueDecimal": 3.5"#)),
            to: item("decimal", ext("maxValue", #""valueDecimal": 3"#)), is: ("maxValue", .breaking)),
        Case(
            "minimum in another notation", item("decimal", ext("minValue", #""valueDecimal": 3.0"#)),
            to: item("decimal", ext("minValue", #""valueInteger": 3"#)), is: ("minValue", .same)),
        Case(
            "minimum of another precision", item("date", ext("minValue", #""valueDate": "2024-02-01""#)),
            to: item("date", ext("minValue", #""valueDate": "2024-01""#)), is: ("minValue", .breaking)),
        Case(
            "decimal places", item("decimal", ext("maxDecimalPlaces", #""valueInteger": 1"#)),
            to: item("decimal", ext("maxDecimalPlaces", #""valueInteger": 2"#)), is: ("maxDecimalPlaces", .compatible)),
        Case(
            "maxOccurs", item("string", #""repeats": true, "# + ext("questionnaire-maxOccurs", #""valueInteger": 3"#)),
            to: item("string", #""repeats": true, "# + ext("questionnaire-maxOccurs", #""valueInteger": 2"#)),
            is: ("maxOccurs", .breaking)),
        Case(
            "unit replaced", item("decimal", ext("questionnaire-unit", #""valueCoding": {"code": "kg"}"#)),
            to: item("decimal", ext("questionnaire-unit", #""valueCoding": {"code": "[lb_av]"}"#)),
            is: ("unit", .breaking)),
        Case(
            "unit named", item("decimal", ext("questionnaire-unit", #""valueCoding": {"code": "kg"}"#)),
            to: item("decimal", ext("questionnaire-unit", #""valueCoding": {"code": "kg", "display": "kilo"}"#)),
            is: ("unit", .text)),
        Case(
            "media types", item("attachment", ext("mimeType", #""valueCode": "image/png""#)),
            to: item("attachment", ext("mimeType", #""valueCode": "image/jpeg""#)), is: ("mimeType", .breaking)),
        Case(
            "referenced types", item("reference", ext("questionnaire-referenceResource", #""valueCode": "Patient""#)),
            to: item("reference"), is: ("referenceResource", .compatible)),
        Case(
            "hint", item("string"), to: item("string", ext("entryFormat", #""valueString": "x""#)),
            is: ("entryFormat", .text)),
        Case(
            "own extension", item("string"), to: item("string", ext("urn:x:y/z", #""valueString": "x""#)),
            is: ("z", .compatible)),
        Case(
            "modifier", item("string"), to: item("string", #""modifierExtension": [{"url": "urn:m"}]"#),
            is: ("modifierExtension", .breaking)),
    ]

    private static let choices: [Case] = [
        Case(
            "option added", item("choice", options("a")), to: item("choice", options("a", "b")),
            is: ("answerOption", .compatible)),
        Case(
            "option removed", item("choice", options("a", "b")), to: item("choice", options("a")),
            is: ("answerOption", .breaking)),
        Case(
            "order of options", item("choice", options("a", "b")), to: item("choice", options("b", "a")),
            is: ("answerOption", .text)),
        Case(
            "display of an option", item("choice", options("a")),
            to: item("choice", #""answerOption": [{"valueCoding": {"system": "s", "code": "a", "display": "A"}}]"#),
            is: ("answerOption", .text)),
        Case(
            "exclusive option", item("choice", #""repeats": true, "# + options("a")),
            to: item(
                "choice",
                #""repeats": true, "answerOption": [{"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-optionExclusive", "valueBoolean": true}], "valueCoding": {"system": "s", "code": "a"}}]"#
            ), is: ("optionExclusive", .breaking)),
        Case("options for any code", item("choice"), to: item("choice", options("a")), is: ("answerOption", .breaking)),
        Case(
            "any code for options", item("choice", options("a")), to: item("choice"), is: ("answerOption", .compatible)),
        Case(
            "unknown value set", item("choice", #""answerValueSet": "urn:a""#),
            to: item("choice", #""answerValueSet": "urn:b""#), is: ("answerValueSet", .breaking)),
    ]

    private static let expressions: [Case] = [
        Case(
            "constraint added", item("string"),
            to: item(
                "string",
                #""extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint", "extension": [{"url": "key", "valueId": "k"}, {"url": "severity", "valueCode": "error"}, {"url": "expression", "valueString": "true"}]}]"#
            ), is: ("constraint", .breaking)),
        Case(
            "enableWhenExpression", item("string"),
            to: item("string", ext(sdc + "enableWhenExpression", #""valueExpression": {"expression": "true"}"#)),
            is: ("enableWhenExpression", .breaking)),
        Case(
            "initialExpression", item("string"),
            to: item("string", ext(sdc + "initialExpression", #""valueExpression": {"expression": "'a'"}"#)),
            is: ("initialExpression", .compatible)),
        Case(
            "calculation that people can change", item("string"),
            to: item("string", ext(sdc + "calculatedExpression", #""valueExpression": {"expression": "'a'"}"#)),
            is: ("calculatedExpression", .compatible)),
        Case(
            "final calculation", item("string", #""readOnly": true"#),
            to: item(
                "string",
                #""readOnly": true, "# + ext(sdc + "calculatedExpression", #""valueExpression": {"expression": "'a'"}"#)
            ),
            is: ("calculatedExpression", .breaking)),
        Case(
            "other form", item("display"),
            to: item("display", ext(sdc + "subQuestionnaire", #""valueCanonical": "urn:x""#)),
            is: ("subQuestionnaire", .breaking)),
    ]

    @Test(arguments: cases) func eachChangeHasItsLevel(_ example: Case) throws {
        let question = #"{"linkId": "p", "type": "boolean"}"#
        func items(_ item: String) -> String { item.isEmpty ? question : "\(question), \(item)" }
        let difference = FormDifference(from: try form(items(example.old)), to: try form(items(example.new)))
        let change = try #require(
            difference.changes.first { $0.linkID == "q" && $0.element == example.element }, "\(difference.changes)")
        #expect(change.level == example.level, "\(difference.changes)")
        #expect(difference.changes.filter { $0.linkID == "q" }.count == 1, "\(difference.changes)")
    }

    @Test func aMovedItemIsBreaking() throws {
        let difference = FormDifference(
            from: try form(
                #"{"linkId": "g", "type": "group", "item": [{"linkId": "q", "type": "string"}, {"linkId": "r", "type": "string"}]}"#
            ),
            to: try form(
                #"{"linkId": "g", "type": "group", "item": [{"linkId": "r", "type": "string"}]}, {"linkId": "q", "type": "string"}"#
            ))
        #expect(difference.changes.map(\.element) == ["item"])
        #expect(difference.changes[0].old == ["parent": "g"] && difference.changes[0].new == ["parent": nil])
        #expect(difference.level == .breaking)
    }

    @Test func onlyTheItemThatMovedAmongItsSiblingsIsListed() throws {
        func items(_ names: String) -> String {
            names.map { #"{"linkId": "\#($0)", "type": "string"}"# }.joined(separator: ", ")
        }
        let difference = FormDifference(from: try form(items("abcde")), to: try form(items("bcdae")))
        #expect(difference.changes.map(\.linkID) == ["a"] && difference.changes.map(\.element) == ["order"])
        #expect(difference.changes[0].new == ["after": "d"] && difference.level == .breaking)
    }

    @Test func anAddedRequiredItemInsideAnAddedGroupIsCompatible() throws {
        let difference = FormDifference(
            from: try form(#"{"linkId": "p", "type": "boolean"}"#),
            to: try form(
                #"{"linkId": "p", "type": "boolean"}, {"linkId": "g", "type": "group", "item": [{"linkId": "q", "type": "string", "required": true}]}"#
            ))
        #expect(difference.changes.map(\.linkID) == ["g"] && difference.level == .compatible)
    }

    @Test func theNameOfTheFormIsBreakingAndItsVersionIsNot() throws {
        let old = try form(#"{"linkId": "p", "type": "boolean"}"#)
        var json = old.questionnaire
        json.version = "2"
        json.title = "New"
        let newer = FormDifference(from: old, to: QuestionnaireForm(json))
        #expect(newer.level == .text)
        #expect(newer.changes.map(\.element).sorted() == ["title", "version"])
        json.url = "https://example.org/other"
        #expect(FormDifference(from: old, to: QuestionnaireForm(json)).level == .breaking)
    }

    @Test func aDesignationOfAContainedValueSetIsText() throws {
        let set =
            #""contained": [{"resourceType": "ValueSet", "id": "v", "compose": {"include": [{"system": "s", "concept": [{"code": "a"\#("DESIGNATION")}]}]}}]"#
        let item = ##"{"linkId": "q", "type": "choice", "answerValueSet": "#v"}"##
        let old = try form(item, set.replacing("DESIGNATION", with: ""))
        let new = try form(
            item, set.replacing("DESIGNATION", with: #", "designation": [{"language": "de", "value": "A"}]"#))
        #expect(FormDifference(from: old, to: new).level == .text)
    }

    @Test func anExpressionThatReadsTheFormMakesChangesBreaking() throws {
        let expression =
            #""extension": [{"url": "http://hl7.org/fhir/StructureDefinition/questionnaire-constraint", "extension": [{"url": "severity", "valueCode": "error"}, {"url": "expression", "valueString": "%questionnaire.item.count() = 1"}]}]"#
        let old = try form(#"{"linkId": "p", "type": "boolean"}"#, expression)
        let new = try form(#"{"linkId": "p", "type": "boolean"}, {"linkId": "q", "type": "string"}"#, expression)
        #expect(FormDifference(from: old, to: new).level == .breaking)
    }

    @Test func aLongFormIsComparedInOneWalk() throws {
        func long(_ text: String) -> QuestionnaireForm {
            var object = JSONObject(resourceType: "Questionnaire")
            object["item"] = .array(
                (0..<20_000).map { ["linkId": .string("q\($0)"), "type": "string", "text": .string(text)] })
            return QuestionnaireForm(Questionnaire(object))
        }
        let (old, new) = (long("a"), long("b"))
        #expect(FormDifference(from: old, to: old).changes.isEmpty)
        #expect(FormDifference(from: old, to: new).changes.count == 20_000)
        var reversed = old.questionnaire
        reversed.item.reverse()
        let difference = FormDifference(from: old, to: QuestionnaireForm(reversed))
        #expect(difference.changes.count == 19_999 && difference.level == .breaking)
    }
}
