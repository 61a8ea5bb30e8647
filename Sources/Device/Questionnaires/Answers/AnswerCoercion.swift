import FHIR
import Foundation

/// Creates answers from plain values, according to the question's type.
package enum AnswerCoercion {
    /// Returns the answer for a value; nil if the value cannot answer the question. An object with one `value[x]`
    /// member is used unchanged.
    package static func value(_ json: JSON, for item: FormItem) -> AnswerValue? {
        if let object = json.object {
            let values = object.members.filter {
                $0.key.hasPrefix("value") && $0.key.dropFirst(5).first?.isUppercase ?? false
            }
            guard values.count == 1, let member = values.first else { return nil }
            let answer = AnswerValue(type: String(member.key.dropFirst(5)), json: member.value)
            return AnswerCheck.isWellFormed(answer) ? answer : nil
        }
        let answer = plain(json, for: item)
        // If the question also accepts a text, a value that does not match its type is a text.
        guard answer == nil, item.takesText, let word = json.string, !word.isEmpty else { return answer }
        return AnswerValue(type: "String", json: .string(word))
    }

    private static func plain(_ json: JSON, for item: FormItem) -> AnswerValue? {
        switch item.type {
        case .boolean: return boolean(json)
        case .integer: return integer(json)
        case .decimal: return number(json).map { AnswerValue(type: "Decimal", json: .number($0)) }
        case .quantity: return quantity(json, item)
        case .choice, .openChoice: return chosen(json, item)
        case .date, .dateTime, .time, .string, .text, .url: return text(json, item)
        case .reference:
            return json.string.map { AnswerValue(type: "Reference", json: Reference($0).json) }
        case .attachment: return json.string.map { AnswerValue(type: "Attachment", json: ["url": .string($0)]) }
        case .group, .display, .question, .unrecognized: return nil
        }
    }

    /// Returns the option for a text or number: by code, then by `system|code`, then by display text.
    static func option(_ json: JSON, among options: [AnswerValue]) -> AnswerValue? {
        guard let word = json.string ?? json.number?.text else { return nil }
        let codings = options.filter { $0.type == "Coding" }
        return codings.first { $0.coding?.code == word }
            ?? codings.first { "\($0.coding?.system ?? "")|\($0.coding?.code ?? "")" == word }
            ?? codings.first { $0.coding?.display == word }
            ?? options.first { $0.json == json }
            ?? options.first { $0.type != "Coding" && $0.text == word }
    }

    private static func chosen(_ json: JSON, _ item: FormItem) -> AnswerValue? {
        if let option = option(json, among: (item.options ?? []).map(\.value)) { return option }
        guard let word = json.string, !word.isEmpty else { return nil }
        // The text that is shown, in the language of the form.
        if let option = item.options?.first(where: { $0.label == word }) { return option.value }
        if item.takesText { return AnswerValue(type: "String", json: .string(word)) }
        let parts = word.split(separator: "|", maxSplits: 1).map(String.init)
        if parts.count == 2, item.options == nil || item.answerConstraint == .optionsOrType {
            return AnswerValue(type: "Coding", json: Coding(system: parts[0], code: parts[1]).json)
        }
        // If the options are not available, only the code is known.
        guard item.options == nil else { return nil }
        return AnswerValue(type: "Coding", json: Coding(system: nil, code: word).json)
    }

    /// Returns a number in the question's unit, or parses `70 kg` with a code or name of one of the question's units.
    private static func quantity(_ json: JSON, _ item: FormItem) -> AnswerValue? {
        var unit = item.unit
        var amount = number(json)
        if amount == nil, let words = json.string?.split(separator: " ", maxSplits: 1), words.count == 2 {
            let name = words[1].trimmingCharacters(in: .whitespaces)
            let known = (item.limits.units + [item.unit].compactMap { $0 }).first { $0.isNamed(name) }
            guard let known else { return nil }
            unit = known
            amount = JSONNumber(text: String(words[0]))
        }
        guard let amount else { return nil }
        var quantity = Quantity()
        quantity.value = amount
        if let unit {
            quantity.unit = unit.display ?? unit.code
            quantity.system = unit.system
            quantity.code = unit.code
        }
        return AnswerValue(type: "Quantity", json: quantity.json)
    }

    private static func text(_ json: JSON, _ item: FormItem) -> AnswerValue? {
        // For a text question, digits are the text; a number is not a date.
        let isText = item.type == .string || item.type == .text
        guard let word = json.string ?? (isText ? json.number?.text : nil) else { return nil }
        if isText, let option = item.options?.map(\.value).first(where: { $0.json == json || $0.text == word }) {
            return option
        }
        let type = item.type.answerTypes.first ?? "String"
        let answer = AnswerValue(type: type, json: .string(word))
        if AnswerCheck.isWellFormed(answer) { return answer }
        // People write times without seconds.
        let longer = AnswerValue(type: type, json: .string(word + ":00"))
        return item.type == .time && AnswerCheck.isWellFormed(longer) ? longer : nil
    }

    private static func integer(_ json: JSON) -> AnswerValue? {
        let answer = number(json).map { AnswerValue(type: "Integer", json: .number($0)) }
        return answer.flatMap { AnswerCheck.isWellFormed($0) ? $0 : nil }
    }

    private static func number(_ json: JSON) -> JSONNumber? {
        json.number ?? json.string.flatMap { JSONNumber(text: $0.trimmingCharacters(in: .whitespaces)) }
    }

    private static func boolean(_ json: JSON) -> AnswerValue? {
        let value: Bool? =
            switch json.string?.lowercased() {
            case "true", "yes", "ja", "sí", "si", "oui": true
            case "false", "no", "nein", "non": false
            default: json.bool
            }
        return value.map { AnswerValue(type: "Boolean", json: .bool($0)) }
    }
}
