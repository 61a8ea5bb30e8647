import FHIR
import Foundation

/// Makes answers of plain values, by the question's type.
enum AnswerCoercion {
    /// nil where the value is no answer to the question.
    static func value(_ json: JSON, for item: FormItem) -> AnswerValue? {
        if let object = json.object {
            let values = object.members.filter { $0.key.hasPrefix("value") && $0.key.count > 5 }
            guard values.count == 1, let member = values.first else { return nil }
            return AnswerValue(type: String(member.key.dropFirst(5)), json: member.value)
        }
        switch item.type {
        case .boolean: return json.bool.map { AnswerValue(type: "Boolean", json: .bool($0)) } ?? boolean(json.string)
        case .integer:
            return number(json).flatMap { $0.integer == nil ? nil : AnswerValue(type: "Integer", json: .number($0)) }
        case .decimal: return number(json).map { AnswerValue(type: "Decimal", json: .number($0)) }
        case .quantity:
            guard let number = number(json) else { return nil }
            var quantity = Quantity()
            quantity.value = number
            if let unit = item.unit {
                quantity.unit = unit.display ?? unit.code
                quantity.system = unit.system
                quantity.code = unit.code
            }
            return AnswerValue(type: "Quantity", json: quantity.json)
        case .choice, .openChoice: return chosen(json, item)
        case .date: return text(json, "Date") { DateTime($0).map { $0.precision <= .day } ?? false }
        case .dateTime: return text(json, "DateTime") { DateTime($0) != nil }
        case .time:
            return text(json, "Time") { TimeOfDay($0) != nil }
                ?? text(json, "Time", adding: ":00") { TimeOfDay($0) != nil }
        case .string, .text: return option(json, item) ?? text(json, "String") { !$0.isEmpty }
        case .url: return text(json, "Uri") { !$0.isEmpty }
        case .reference:
            return json.string.map { AnswerValue(type: "Reference", json: ["reference": .string($0)]) }
        case .attachment: return json.string.map { AnswerValue(type: "Attachment", json: ["url": .string($0)]) }
        case .group, .display, .question: return nil
        }
    }

    /// By code, then by `system|code`, then by what is displayed; a free text where the question takes one.
    private static func chosen(_ json: JSON, _ item: FormItem) -> AnswerValue? {
        let options = (item.options ?? []).map(\.value)
        guard let word = json.string else {
            return options.first { $0.type != "Coding" && $0.json == json }
                ?? options.first { $0.json["code"]?.string == json.number?.text && json.number != nil }
        }
        let codings = options.filter { $0.type == "Coding" }
        if let match = codings.first(where: { $0.json["code"]?.string == word })
            ?? codings.first(where: { "\($0.json["system"]?.string ?? "")|\($0.json["code"]?.string ?? "")" == word })
            ?? codings.first(where: { $0.json["display"]?.string == word })
            ?? options.first(where: { $0.text == word })
        {
            return match
        }
        if item.type == .openChoice { return word.isEmpty ? nil : AnswerValue(type: "String", json: .string(word)) }
        // Without options at hand the code is all that is known.
        guard item.options == nil, !word.isEmpty else { return nil }
        let parts = word.split(separator: "|", maxSplits: 1).map(String.init)
        let coding = parts.count == 2 ? Coding(system: parts[0], code: parts[1]) : Coding(system: nil, code: word)
        return AnswerValue(type: "Coding", json: coding.json)
    }

    private static func option(_ json: JSON, _ item: FormItem) -> AnswerValue? {
        item.options?.map(\.value).first { $0.json == json || ($0.type == "Coding" && $0.text == json.string) }
    }

    private static func number(_ json: JSON) -> JSONNumber? {
        json.number ?? json.string.flatMap { JSONNumber(text: $0.trimmingCharacters(in: .whitespaces)) }
    }

    private static func boolean(_ word: String?) -> AnswerValue? {
        switch word?.lowercased() {
        case "true", "yes": AnswerValue(type: "Boolean", json: true)
        case "false", "no": AnswerValue(type: "Boolean", json: false)
        default: nil
        }
    }

    private static func text(
        _ json: JSON, _ type: String, adding suffix: String = "", _ fits: (String) -> Bool
    ) -> AnswerValue? {
        guard let text = json.string.map({ $0 + suffix }), fits(text) else { return nil }
        return AnswerValue(type: type, json: .string(text))
    }
}
