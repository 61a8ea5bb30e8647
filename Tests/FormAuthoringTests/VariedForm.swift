import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import TestSupport

/// A random form as JSON with all kinds of limits, options, units and conditions, and random answers to its questions.
struct VariedForm {
    private(set) var questionnaire = JSONObject(resourceType: "Questionnaire")
    private var count = 0
    private var questions: [(linkID: String, type: String)] = []

    static let types = [
        "boolean", "integer", "decimal", "string", "text", "date", "dateTime", "time", "url", "choice", "open-choice",
        "quantity", "attachment", "reference",
    ]
    private static let core = "http://hl7.org/fhir/StructureDefinition/"

    init(using generator: inout Seeded) {
        questionnaire["url"] = "https://example.org/varied"
        questionnaire["status"] = "active"
        questionnaire["title"] = "Varied"
        questionnaire["contained"] = [Self.valueSet(codes: ["a", "b", "c"])]
        questionnaire["item"] = .array(items(Int.random(in: 1...5, using: &generator), depth: 0, &generator))
    }

    static func valueSet(codes: [String]) -> JSON {
        [
            "resourceType": "ValueSet", "id": "vs", "status": "active",
            "compose": [
                "include": [
                    [
                        "system": "s",
                        "concept": .array(
                            codes.map { ["code": .string($0), "display": .string($0.uppercased())] }),
                    ]
                ]
            ],
        ]
    }

    private mutating func items(_ number: Int, depth: Int, _ generator: inout Seeded) -> [JSON] {
        (0..<number).map { _ in item(depth: depth, &generator) }
    }

    /// Returns a new random item.
    mutating func item(depth: Int, _ generator: inout Seeded) -> JSON {
        count += 1
        let linkID = "q\(count)"
        let isGroup = depth < 3 && generator.chance(30)
        let type = isGroup ? "group" : generator.chance(8) ? "display" : Self.types.randomElement(using: &generator)!
        var object = JSONObject()
        object["linkId"] = .string(linkID)
        object["text"] = .string("Text of \(linkID)")
        object["type"] = .string(type)
        if type != "display" {
            if generator.chance(25) { object["required"] = true }
            if generator.chance(35) { object["repeats"] = true }
        }
        if type != "group", type != "display" {
            if generator.chance(30), let condition = condition(&generator) { object["enableWhen"] = [condition] }
            Self.addLimits(type, to: &object, &generator)
            questions.append((linkID, type))
            if depth < 2, generator.chance(15) { object["item"] = .array(items(1, depth: depth + 1, &generator)) }
        } else if type == "group" {
            if generator.chance(20), let condition = condition(&generator) { object["enableWhen"] = [condition] }
            let inside = Int.random(in: 1...3, using: &generator)
            object["item"] = .array(items(inside, depth: depth + 1, &generator))
        }
        return .object(object)
    }

    /// Returns a condition on an earlier question; nil if there is none.
    func condition(_ generator: inout Seeded) -> JSON? {
        guard let source = questions.randomElement(using: &generator) else { return nil }
        var object = JSONObject()
        object["question"] = .string(source.linkID)
        let comparison = ["exists", "=", "!=", ">", "<="].randomElement(using: &generator)!
        object["operator"] = .string(comparison)
        if comparison == "exists" {
            object["answerBoolean"] = .bool(generator.chance(70))
        } else {
            let value = Self.answer(source.type, &generator)
            object["answer" + (value.type == "Uri" ? "String" : value.type)] = value.json
        }
        return .object(object)
    }

    static func extend(_ object: inout JSONObject, _ url: String, with member: String, value: JSON) {
        var entry = JSONObject()
        entry["url"] = .string(url)
        entry[member] = value
        object["extension"] = .array((object["extension"]?.array ?? []) + [.object(entry)])
    }

    static func addLimits(_ type: String, to object: inout JSONObject, _ generator: inout Seeded) {
        switch type {
        case "string", "text":
            if generator.chance(30) {
                object["maxLength"] = .number(JSONNumber(Int.random(in: 3...8, using: &generator)))
            }
            if generator.chance(20) { extend(&object, core + "minLength", with: "valueInteger", value: 2) }
            if generator.chance(20) { extend(&object, core + "regex", with: "valueString", value: "[a-z \\n]*") }
        case "integer", "decimal":
            let suffix = type == "integer" ? "Integer" : "Decimal"
            if generator.chance(30) { extend(&object, core + "minValue", with: "value" + suffix, value: 1) }
            if generator.chance(30) { extend(&object, core + "maxValue", with: "value" + suffix, value: 4) }
            if generator.chance(20) { extend(&object, core + "maxDecimalPlaces", with: "valueInteger", value: 1) }
            if generator.chance(30) {
                extend(&object, core + "questionnaire-unit", with: "valueCoding", value: unit("kg", &generator))
            }
        case "quantity":
            if generator.chance(50) {
                extend(&object, core + "questionnaire-unit", with: "valueCoding", value: unit("kg", &generator))
            }
            for code in ["kg", "g"] where generator.chance(40) {
                extend(&object, core + "questionnaire-unitOption", with: "valueCoding", value: unit(code, &generator))
            }
            if generator.chance(30) {
                extend(
                    &object, core + "minValue", with: "valueQuantity",
                    value: ["value": 2, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"])
            }
        case "date":
            if generator.chance(40) { extend(&object, core + "minValue", with: "valueDate", value: "2024-02-01") }
        case "choice", "open-choice":
            if generator.chance(20) {
                object["answerValueSet"] = "#vs"
            } else {
                object["answerOption"] = .array(["a", "b", "c"].map { option($0, &generator) })
            }
        case "attachment":
            if generator.chance(40) { extend(&object, core + "mimeType", with: "valueCode", value: "text/plain") }
            if generator.chance(30) { extend(&object, core + "maxSize", with: "valueDecimal", value: 4) }
        default: break
        }
        addExpressions(type, to: &object, &generator)
        if object["repeats"]?.bool == true {
            if generator.chance(20) {
                extend(&object, core + "questionnaire-maxOccurs", with: "valueInteger", value: 2)
            }
            if generator.chance(20) {
                extend(&object, core + "questionnaire-minOccurs", with: "valueInteger", value: 1)
            }
        }
    }

    /// Adds expressions that decide about answers.
    static func addExpressions(_ type: String, to object: inout JSONObject, _ generator: inout Seeded) {
        let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
        func expression(_ text: String) -> JSON { ["language": "text/fhirpath", "expression": .string(text)] }
        if generator.chance(6) {
            let entry: JSON = [
                "url": .string(core + "questionnaire-constraint"),
                "extension": [
                    ["url": "key", "valueId": "k"], ["url": "severity", "valueCode": "error"],
                    ["url": "expression", "valueString": "%context.answer.count() < 2"],
                    ["url": "human", "valueString": "One answer"],
                ],
            ]
            object["extension"] = .array((object["extension"]?.array ?? []) + [entry])
        }
        if generator.chance(4) {
            extend(
                &object, sdc + "enableWhenExpression", with: "valueExpression",
                value: expression("%resource.item.count() > 1"))
        }
        if type == "integer", generator.chance(20) {
            extend(&object, sdc + "calculatedExpression", with: "valueExpression", value: expression("1 + 1"))
            if generator.chance(50) { object["readOnly"] = true }
        }
    }

    static func unit(_ code: String, _ generator: inout Seeded) -> JSON {
        var object = JSONObject()
        object["system"] = "http://unitsofmeasure.org"
        object["code"] = .string(code)
        if generator.chance(60) { object["display"] = .string(code == "kg" ? "kilo" : "gram") }
        return .object(object)
    }

    static func option(_ code: String, _ generator: inout Seeded) -> JSON {
        var coding = JSONObject()
        if generator.chance(70) { coding["system"] = "s" }
        coding["code"] = .string(code)
        coding["display"] = .string(code.uppercased())
        var option = JSONObject()
        option["valueCoding"] = .object(coding)
        if generator.chance(15) {
            extend(&option, core + "questionnaire-optionExclusive", with: "valueBoolean", value: true)
        }
        return .object(option)
    }

    /// Returns a random answer, valid or not, to a question of a type.
    static func answer(_ type: String, _ generator: inout Seeded) -> AnswerValue {
        let number = Int.random(in: 0...5, using: &generator)
        func pick(_ values: [String]) -> String { values.randomElement(using: &generator)! }
        switch type {
        case "boolean": return .boolean(number < 3)
        case "integer": return .integer(number)
        case "decimal":
            return .decimal(JSONNumber(text: "\(number)\(pick(["", ".0", ".5", ".25"]))") ?? JSONNumber(number))
        case "date":
            return AnswerValue(type: "Date", json: .string(pick(["2024", "2024-02", "2024-01-31", "2024-03-05"])))
        case "dateTime":
            return AnswerValue(
                type: "DateTime", json: .string(pick(["2024-02-01", "2024-02-01T08:00:00+02:00", "2024-02"])))
        case "time": return AnswerValue(type: "Time", json: .string(pick(["08:00:00", "23:59:59"])))
        case "url": return AnswerValue(type: "Uri", json: .string(pick(["https://example.org/a", "urn:oid:1.2.3"])))
        case "choice": return coding(&generator)
        case "open-choice": return generator.chance(30) ? .string(pick(["own", "other"])) : coding(&generator)
        case "quantity":
            var object = JSONObject()
            object["value"] = .number(JSONNumber(number))
            let unit = pick(["kg", "g", ""])
            if generator.chance(60), !unit.isEmpty {
                object["system"] = "http://unitsofmeasure.org"
                object["code"] = .string(unit)
            } else if !unit.isEmpty {
                object["unit"] = .string(generator.chance(50) ? unit : unit == "kg" ? "kilo" : "gram")
            }
            return AnswerValue(type: "Quantity", json: .object(object))
        case "attachment":
            return AnswerValue(
                type: "Attachment",
                json: [
                    "contentType": .string(pick(["text/plain", "image/png"])),
                    "data": .string(pick(["QUJD", "QUJDREVG"])),
                ])
        case "reference":
            return AnswerValue(type: "Reference", json: ["reference": .string(pick(["Patient/1", "Group/2"]))])
        case "text": return .string(pick(["a", "ab", "ab c", "two\nlines", "A longer text"]))
        default: return .string(pick(["a", "ab", "abc", "Abcdef", "a longer text"]))
        }
    }

    private static func coding(_ generator: inout Seeded) -> AnswerValue {
        var coding = JSONObject()
        if generator.chance(80) { coding["system"] = "s" }
        coding["code"] = .string(["a", "b", "c"].randomElement(using: &generator)!)
        if generator.chance(50) { coding["display"] = .string("Any text") }
        return AnswerValue(type: "Coding", json: .object(coding))
    }

    /// Returns a session with random answers, in which few required answers are missing.
    static func answered(_ form: QuestionnaireForm, _ generator: inout Seeded) -> FormSession {
        var session = FormSession(form)
        func fill(_ items: [FormItem], above: [ItemPath.Step]) {
            for item in items where session.isEnabled(ItemPath(above + [ItemPath.Step(linkID: item.linkID)])) {
                var here = above + [ItemPath.Step(linkID: item.linkID)]
                if item.type == .group {
                    for instance in 0..<(item.repeats ? Int.random(in: 1...2, using: &generator) : 1) {
                        here[here.count - 1].instance = instance
                        session.ensureGroup(at: ItemPath(here))
                        fill(item.children, above: here)
                    }
                    continue
                }
                guard item.isQuestion, !item.isFixed, item.isRequired || generator.chance(60) else { continue }
                // Several attempts, because an answer is often outside of the limits.
                for _ in 0..<8 {
                    let number = item.repeats ? Int.random(in: 1...2, using: &generator) : 1
                    session.setAnswers(
                        (0..<number).map { _ in answer(item.type.rawValue, &generator) }, at: ItemPath(here))
                    if session.problems(at: ItemPath(here).description).errors.isEmpty { break }
                }
                for index in session.answers(at: ItemPath(here)).indices {
                    here[here.count - 1].instance = index
                    fill(item.children, above: here)
                }
            }
        }
        fill(form.items, above: [])
        return session
    }
}
