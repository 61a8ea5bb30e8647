import FHIR
import Questionnaires
import TestSupport

extension Seeded {
    public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// A random form, with the data that is needed to check it without the engine.
public struct RandomForm {
    public struct Condition {
        public let question: String
        public let comparison: String
        public let expected: AnswerValue
    }

    public final class Item {
        public let linkID: String
        public let type: String
        public let above: [String]
        public var conditions: [Condition] = []
        public var isAny = false
        public var isRequired = false
        public var repeats = false
        public var children: [Item] = []

        init(_ linkID: String, _ type: String, above: [String]) {
            self.linkID = linkID
            self.type = type
            self.above = above
        }
    }

    public private(set) var items: [Item] = []
    public private(set) var all: [String: Item] = [:]
    private var questions: [Item] = []
    private var count = 0

    public init(using generator: inout Seeded) {
        items = make(Int.random(in: 2...6, using: &generator), above: [], &generator)
        // Conditions may refer to any item except the item itself, items inside of it, and, to avoid circles, later
        // items.
        for (index, item) in all.values.sorted(by: { $0.linkID < $1.linkID }).enumerated() where index > 0 {
            for _ in 0..<[0, 0, 1, 1, 2].randomElement(using: &generator)! {
                let earlier = questions.filter { $0.linkID < item.linkID }
                guard let source = earlier.randomElement(using: &generator) else { continue }
                item.conditions.append(Self.condition(on: source, &generator))
            }
            item.isAny = generator.chance(50)
        }
    }

    private mutating func make(_ count: Int, above: [String], _ generator: inout Seeded) -> [Item] {
        (0..<count).map { _ in
            self.count += 1
            // Fixed width: the names sort in the form's order.
            let linkID = "q\(1000 + self.count)"
            let type = [
                "boolean", "integer", "string", "choice", "open-choice", "decimal", "group", "group", "display",
            ]
            .randomElement(using: &generator)!
            let item = Item(linkID, above.count > 3 && type == "group" ? "integer" : type, above: above)
            all[linkID] = item
            if item.type != "display" {
                item.repeats = generator.chance(35)
                item.isRequired = generator.chance(25)
            }
            if item.type == "group" || (item.type != "display" && above.count < 3 && generator.chance(25)) {
                item.children = make(Int.random(in: 1...3, using: &generator), above: above + [linkID], &generator)
            }
            if !["group", "display"].contains(item.type) { questions.append(item) }
            return item
        }
    }

    private static func condition(on source: Item, _ generator: inout Seeded) -> Condition {
        let ordered = ["integer", "decimal", "string"].contains(source.type)
        let comparison = (["exists", "=", "!="] + (ordered ? ["<", "<=", ">", ">="] : [])).randomElement(
            using: &generator)!
        let expected = comparison == "exists" ? .yes(generator.chance(50)) : answer(source.type, &generator)
        return Condition(question: source.linkID, comparison: comparison, expected: expected)
    }

    public static func answer(_ type: String, _ generator: inout Seeded) -> AnswerValue {
        let number = Int.random(in: 1...3, using: &generator)
        switch type {
        case "boolean": return .yes(number == 1)
        case "integer": return .integer(number)
        case "decimal":
            return AnswerValue(type: "Decimal", json: .number(JSONNumber(text: "\(number).0") ?? JSONNumber(number)))
        case "choice": return .code("c\(number)", "s")
        case "open-choice": return number == 3 ? .text("own") : .code("c\(number)", "s")
        default: return .text("t\(number)")
        }
    }

    public var form: QuestionnaireForm {
        var questionnaire = Questionnaire(JSONObject(resourceType: "Questionnaire", id: "random"))
        questionnaire["item"] = .array(items.map(Self.json))
        return QuestionnaireForm(questionnaire)
    }

    private static func json(_ item: Item) -> JSON {
        var object = JSONObject()
        object["linkId"] = .string(item.linkID)
        object["type"] = .string(item.type)
        if item.isRequired { object["required"] = true }
        if item.repeats { object["repeats"] = true }
        if ["choice", "open-choice"].contains(item.type) {
            object["answerOption"] = .array(
                (1...3).map {
                    ["valueCoding": ["system": "s", "code": .string("c\($0)"), "display": .string("C\($0)")]]
                })
        }
        if !item.conditions.isEmpty {
            object["enableBehavior"] = .string(item.isAny ? "any" : "all")
            object["enableWhen"] = .array(
                item.conditions.map { condition in
                    var object = JSONObject()
                    object["question"] = .string(condition.question)
                    object["operator"] = .string(condition.comparison)
                    object["answer" + condition.expected.type] = condition.expected.json
                    return .object(object)
                })
        }
        if !item.children.isEmpty { object["item"] = .array(item.children.map(json)) }
        return .object(object)
    }
}
