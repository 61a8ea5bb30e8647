import FHIR
import FHIRPath
import Foundation

/// The reason why a value is no answer of a question.
package enum AnswerFault: Error {
    /// A question of this type does not have the value.
    case type
    /// The unit of the value is not comparable to that of the question.
    case unit
}

/// Makes answers of values, those of expressions and of Observations, according to the type of the question
/// (<https://hl7.org/fhir/uv/sdc/expressions.html>).
package struct AnswerConversion {
    private let item: FormItem
    /// The options at this time; nil if there are none or they are not available.
    private let options: [FormOption]?
    /// Whether a coding that the question does not offer is left out, as in the initial values of a form.
    private let isInitial: Bool

    package init(item: FormItem, options: [FormOption]?, isInitial: Bool = false) {
        self.item = item
        self.options = options
        self.isInitial = isInitial
    }

    /// Returns the answers; a failure if a value does not fit the question.
    func answers(_ values: [FHIRPathValue]) -> Result<[AnswerValue], ExpressionFailure> {
        var answers: [AnswerValue] = []
        for value in values {
            // An element without a value, such as one with only an extension, is no answer.
            if value.json.isNull { continue }
            if isInitial, hasUnknownCoding(value) { continue }
            do throws(AnswerFault) {
                let answer = try answer(value)
                // An option can be chosen once; two measurements can be the same.
                if answer.type != "Coding" || !item.repeats || !answers.contains(answer) { answers.append(answer) }
            } catch {
                return .failure(
                    .failed(
                        error == .unit
                            ? "The unit of a value is not comparable to that of the question."
                            : "A value of the type \(value.typeName) does not answer the question."))
            }
        }
        guard answers.count <= 1 || item.repeats else {
            return .failure(.failed("The expression has \(answers.count) values, and the question takes one answer."))
        }
        return .success(answers)
    }

    /// Returns the answer that a value makes. A number or quantity is converted to the unit of the question.
    package func answer(_ value: FHIRPathValue) throws(AnswerFault) -> AnswerValue {
        guard let answer = try converted(value.json), AnswerCheck.isWellFormed(answer) else { throw .type }
        return answer
    }

    private func converted(_ json: JSON) throws(AnswerFault) -> AnswerValue? {
        switch item.type {
        case .boolean: return json.bool.map { AnswerValue(type: "Boolean", json: .bool($0)) }
        case .integer:
            return try number(json).flatMap(Self.whole).map { AnswerValue(type: "Integer", json: .number($0)) }
        case .decimal: return try number(json).map { .decimal($0) }
        case .quantity:
            if let number = json.number {
                return item.measured(AnswerValue(type: "Quantity", json: ["value": .number(number)]))
            }
            return json.object == nil ? nil : try inUnit(AnswerValue(type: "Quantity", json: json))
        case .date: return json.string.map { AnswerValue(type: "Date", json: .string(Self.trimmed($0.prefix(10)))) }
        case .dateTime: return json.string.map { AnswerValue(type: "DateTime", json: .string(Self.trimmed($0[...]))) }
        case .time: return json.string.map { AnswerValue(type: "Time", json: .string($0)) }
        case .string, .text: return text(json).map { AnswerValue(type: "String", json: .string($0)) }
        case .url: return json.string.map { AnswerValue(type: "Uri", json: .string($0)) }
        case .choice, .openChoice: return chosen(json)
        case .reference: return reference(json)
        case .attachment:
            let isFile = ["contentType", "url", "data", "title"].contains { json[$0] != nil }
            return isFile ? AnswerValue(type: "Attachment", json: json) : nil
        case .group, .display, .question, .unrecognized: return nil
        }
    }

    /// Returns a whole number, also of a decimal such as 3.0.
    private static func whole(_ number: JSONNumber) -> JSONNumber? {
        if number.integer != nil { return number }
        guard let decimal = number.decimal else { return nil }
        var (value, rounded) = (decimal, Decimal())
        NSDecimalRound(&rounded, &value, 0, .plain)
        return rounded == decimal ? JSONNumber(text: "\(rounded)") : nil
    }

    /// Returns a number, also of a quantity, in the unit of the question.
    private func number(_ json: JSON) throws(AnswerFault) -> JSONNumber? {
        if let number = json.number { return number }
        guard let quantity = Quantity(json: json), quantity.comparator == nil, let value = quantity.value else {
            return nil
        }
        guard let unit = item.unit else { return value }
        guard let number = quantity.value(in: unit) else { throw .unit }
        return number
    }

    /// Returns a quantity in the unit of the question. A quantity in a unit that the question permits is unchanged.
    func inUnit(_ value: AnswerValue) throws(AnswerFault) -> AnswerValue {
        let value = item.measured(value)
        let limits = item.limits
        guard let unit = item.unit, var quantity = value.quantity, quantity.value != nil, !limits.takesOtherUnits,
            !limits.hasUnitSet,
            !(limits.units + [unit]).contains(where: { $0.code == quantity.code && $0.system == quantity.system })
        else { return value }
        guard quantity.comparator == nil else { throw .type }
        guard let number = quantity.value(in: unit) else { throw .unit }
        quantity.value = number
        quantity.unit = unit.display ?? unit.code
        quantity.system = unit.system
        quantity.code = unit.code
        return AnswerValue(type: "Quantity", json: quantity.json)
    }

    /// FHIRPath writes a dateTime without a time as `2026-01-31T`.
    private static func trimmed(_ text: Substring) -> String { String(text.hasSuffix("T") ? text.dropLast() : text) }

    private func text(_ json: JSON) -> String? {
        if let object = json.object {
            guard object["value"] == nil else { return nil }
            return object["display"]?.string ?? object["text"]?.string ?? object["coding"]?[0]?["display"]?.string
                ?? object["code"]?.string
        }
        return json.string ?? json.number?.text ?? json.bool.map { $0 ? "true" : "false" }
    }

    // MARK: Choices

    private func chosen(_ json: JSON) -> AnswerValue? {
        let values = (options ?? []).map(\.value)
        guard let object = json.object else {
            if let option = AnswerCoercion.option(json, among: values) { return option }
            guard options == nil || item.takesText else { return other(json) }
            return AnswerCoercion.value(json, for: item)
        }
        if let codings = object["coding"]?.array {
            let found = codings.lazy.compactMap { coding in chosen(coding) }
            return found.first { answer in values.isEmpty || values.contains { answer.equals($0) } }
                ?? text(of: object) ?? found.first
        }
        if object["reference"] != nil { return AnswerValue(type: "Reference", json: json) }
        // The code of a quantity is a unit.
        guard object["value"] == nil else { return nil }
        guard object["code"] != nil || object["display"] != nil else { return text(of: object) }
        // An entry of an expansion has further members.
        var coding = Coding(system: object["system"]?.string, code: object["code"]?.string ?? "")
        if object["code"] == nil { coding.code = nil }
        coding.display = object["display"]?.string
        coding.version = object["version"]?.string
        let answer = AnswerValue(type: "Coding", json: coding.json)
        if let option = values.first(where: { answer.equals($0) }) { return option }
        // A code without a system is the option with this code, unless several code systems have it.
        guard coding.system == nil, let code = coding.code else { return answer }
        let sameCode = values.filter { $0.coding?.code == code }
        return sameCode.count == 1 ? sameCode[0] : answer
    }

    /// Returns the text of a CodeableConcept if the question takes one.
    private func text(of concept: JSONObject) -> AnswerValue? {
        guard item.takesText, let text = concept["text"]?.string, !text.isEmpty else { return nil }
        return AnswerValue(type: "String", json: .string(text))
    }

    /// Returns a value that is not offered, as an answer of the type that its JSON has.
    private func other(_ json: JSON) -> AnswerValue? {
        if let text = json.string { return AnswerValue(type: "Coding", json: ["code": .string(text)]) }
        return json.number.flatMap(Self.whole).map { AnswerValue(type: "Integer", json: .number($0)) }
    }

    private func hasUnknownCoding(_ value: FHIRPathValue) -> Bool {
        guard item.type == .choice || item.type == .openChoice,
            item.answerConstraint == .optionsOnly || value.json.object != nil,
            let options, !options.isEmpty
        else { return false }
        guard let answer = chosen(value.json) else { return false }
        return item.answerConstraint == .optionsOnly && !options.contains { answer.equals($0.value) }
    }

    private func reference(_ json: JSON) -> AnswerValue? {
        if let text = json.string { return AnswerValue(type: "Reference", json: Reference(text).json) }
        guard let object = json.object else { return nil }
        if let type = object["resourceType"]?.string {
            return object["id"]?.string.map { AnswerValue(type: "Reference", json: Reference("\(type)/\($0)").json) }
        }
        let isReference = ["reference", "identifier", "display"].contains { object[$0] != nil }
        return isReference ? AnswerValue(type: "Reference", json: json) : nil
    }
}
