import FHIR
import Foundation
import QuestionnairesTestSupport
import TestSupport

/// Random changes of a form's JSON.
struct FormMutation {
    private var source: VariedForm
    private(set) var questionnaire: JSONObject

    private static let core = "http://hl7.org/fhir/StructureDefinition/"

    init(_ source: VariedForm) {
        self.source = source
        questionnaire = source.questionnaire
    }

    /// Changes one random part.
    mutating func mutate(_ generator: inout Seeded) {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: questionnaire["title"] = .string("Title \(Int.random(in: 0...9, using: &generator))")
        case 1: questionnaire["version"] = .string("\(Int.random(in: 2...9, using: &generator))")
        case 2:
            let codes = [["a", "b", "c", "d"], ["a", "b"], ["c", "b", "a"]].randomElement(using: &generator)!
            questionnaire["contained"] = [VariedForm.valueSet(codes: codes)]
        case 3: insert(&generator)
        case 4: remove(&generator)
        case 5: move(&generator)
        default: change(&generator)
        }
    }

    // MARK: Lists of items

    private func paths(_ items: [JSON], above: [Int]) -> [[Int]] {
        items.indices.flatMap { index in
            [above + [index]] + paths(items[index]["item"]?.array ?? [], above: above + [index])
        }
    }

    private var all: [[Int]] { paths(questionnaire["item"]?.array ?? [], above: []) }

    private mutating func update(_ path: [Int], _ change: (inout [JSON], Int) -> Void) {
        func apply(_ items: inout [JSON], _ rest: ArraySlice<Int>) {
            guard let first = rest.first, items.indices.contains(first) || rest.count == 1 else { return }
            if rest.count == 1 { return change(&items, first) }
            guard var object = items[first].object else { return }
            var inside = object["item"]?.array ?? []
            apply(&inside, rest.dropFirst())
            object["item"] = inside.isEmpty ? nil : .array(inside)
            items[first] = .object(object)
        }
        var items = questionnaire["item"]?.array ?? []
        apply(&items, path[...])
        questionnaire["item"] = .array(items)
    }

    private mutating func insert(_ generator: inout Seeded) {
        guard let path = all.randomElement(using: &generator) else { return }
        let item = source.item(depth: 2, &generator)
        update(path) { items, index in items.insert(item, at: index) }
    }

    private mutating func remove(_ generator: inout Seeded) {
        guard let path = all.randomElement(using: &generator) else { return }
        update(path) { items, index in items.remove(at: index) }
    }

    private mutating func move(_ generator: inout Seeded) {
        guard let path = all.randomElement(using: &generator) else { return }
        var moved: JSON?
        update(path) { items, index in moved = items.remove(at: index) }
        guard let moved else { return }
        let goal = all.randomElement(using: &generator) ?? [0]
        update(goal) { items, index in items.insert(moved, at: min(index, items.count)) }
    }

    // MARK: One item

    private mutating func change(_ generator: inout Seeded) {
        guard let path = all.randomElement(using: &generator) else { return }
        let condition = source.condition(&generator)
        update(path) { items, index in
            guard var object = items[index].object else { return }
            Self.change(&object, with: condition, using: &generator)
            items[index] = .object(object)
        }
    }

    private static func change(_ object: inout JSONObject, with condition: JSON?, using generator: inout Seeded) {
        let type = object["type"]?.string ?? ""
        switch Int.random(in: 0..<26, using: &generator) {
        case 0: object["text"] = .string("Other text")
        case 1: object["prefix"] = "1."
        case 2:
            object["_text"] = [
                "extension": [
                    [
                        "url": .string(core + "translation"),
                        "extension": [
                            ["url": "lang", "valueCode": "de"], ["url": "content", "valueString": "Anders"],
                        ],
                    ]
                ]
            ]
        case 3: object["code"] = [["system": "c", "code": .string("\(Int.random(in: 0...2, using: &generator))")]]
        case 4: object["required"] = .bool(generator.chance(50))
        case 5: object["repeats"] = .bool(generator.chance(50))
        case 6: object["readOnly"] = .bool(generator.chance(50))
        case 7: object["type"] = .string((VariedForm.types + ["group", "display"]).randomElement(using: &generator)!)
        case 8: object["maxLength"] = .number(JSONNumber(Int.random(in: 1...12, using: &generator)))
        case 9: object["maxLength"] = nil
        case 10: if let condition { object["enableWhen"] = [condition] }
        case 11: object["enableWhen"] = nil
        case 12:
            if let condition {
                object["enableWhen"] = .array((object["enableWhen"]?.array ?? []) + [condition])
                object["enableBehavior"] = .string(generator.chance(50) ? "any" : "all")
            }
        case 13: object["enableBehavior"] = .string(generator.chance(50) ? "any" : "all")
        case 14, 15: options(&object, &generator)
        case 16: object["answerOption"] = nil
        case 17: object["answerValueSet"] = object["answerOption"] == nil ? "#vs" : nil
        case 18: object["initial"] = [["valueString": "x"]]
        case 19: object["extension"] = nil
        case 20:
            var entries = object["extension"]?.array ?? []
            if let index = entries.indices.randomElement(using: &generator) {
                entries.remove(at: index)
                object["extension"] = entries.isEmpty ? nil : .array(entries)
            }
        case 22: VariedForm.addExpressions(type, to: &object, &generator)
        case 23:
            VariedForm.extend(
                &object, core + "questionnaire-hidden", with: "valueBoolean", value: .bool(generator.chance(70)))
        case 21: VariedForm.addLimits(type, to: &object, &generator)
        default: limit(&object, &generator)
        }
    }

    private static func options(_ object: inout JSONObject, _ generator: inout Seeded) {
        guard var options = object["answerOption"]?.array, !options.isEmpty else { return }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: options.remove(at: Int.random(in: options.indices, using: &generator))
        case 1: options.append(VariedForm.option("d", &generator))
        case 2: options.shuffle(using: &generator)
        case 3:
            let index = Int.random(in: options.indices, using: &generator)
            options[index] = VariedForm.option(["a", "b", "c"].randomElement(using: &generator)!, &generator)
        default:
            VariedForm.extend(
                &object, "http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.answerConstraint",
                with: "valueCode",
                value: .string(["optionsOnly", "optionsOrType", "optionsOrString"].randomElement(using: &generator)!))
        }
        object["answerOption"] = options.isEmpty ? nil : .array(options)
    }

    /// Changes the value of an extension.
    private static func limit(_ object: inout JSONObject, _ generator: inout Seeded) {
        guard var entries = object["extension"]?.array,
            let index = entries.indices.randomElement(using: &generator), var entry = entries[index].object,
            let member = entry.members.first(where: { $0.key.hasPrefix("value") })
        else { return }
        let number = Int.random(in: 0...6, using: &generator)
        switch member.key {
        case "valueInteger", "valueDecimal": entry[member.key] = .number(JSONNumber(number))
        case "valueDate":
            entry[member.key] = .string(["2024-01-01", "2024-03", "2024-02-01"].randomElement(using: &generator)!)
        case "valueQuantity": entry[member.key] = ["value": .number(JSONNumber(number)), "code": "kg"]
        case "valueCoding":
            entry[member.key] = VariedForm.unit(["kg", "g"].randomElement(using: &generator)!, &generator)
        case "valueCode": entry[member.key] = .string(["image/png", "image/*"].randomElement(using: &generator)!)
        case "valueBoolean": entry[member.key] = .bool(generator.chance(50))
        default: entry[member.key] = "[a-c]*"
        }
        entries[index] = .object(entry)
        object["extension"] = .array(entries)
    }
}
