import FHIR
import FHIRPath
import Foundation

/// Makes answers of the values of an expression, according to the type of the question
/// (<https://hl7.org/fhir/uv/sdc/expressions.html>).
struct AnswerConversion {
    let item: FormItem
    /// The options at this time; nil if there are none or they are not available.
    let options: [FormOption]?
    /// Whether a coding that the question does not offer is left out, as in the initial values of a form.
    var isInitial = false

    /// Returns the answers; a failure if a value does not fit the question.
    func answers(_ values: [FHIRPathValue]) -> Result<[AnswerValue], ExpressionFailure> {
        var answers: [AnswerValue] = []
        for value in values {
            // An element without a value, such as one with only an extension, is no answer.
            if value.json.isNull { continue }
            if isInitial, hasUnknownCoding(value) { continue }
            guard let answer = answer(value), AnswerCheck.isWellFormed(answer) else {
                return .failure(
                    .failed("A value of the type \(value.typeName) does not answer the question."))
            }
            // An option can be chosen once; two measurements can be the same.
            if answer.type != "Coding" || !item.repeats || !answers.contains(answer) { answers.append(answer) }
        }
        guard answers.count <= 1 || item.repeats else {
            return .failure(.failed("The expression has \(answers.count) values, and the question takes one answer."))
        }
        return .success(answers)
    }

    private func answer(_ value: FHIRPathValue) -> AnswerValue? {
        let json = value.json
        switch item.type {
        case .boolean: return json.bool.map { AnswerValue(type: "Boolean", json: .bool($0)) }
        case .integer: return Self.whole(json).map { AnswerValue(type: "Integer", json: .number($0)) }
        case .decimal: return (json.number ?? measured(json)).map { .decimal($0) }
        case .quantity:
            if let number = json.number {
                return item.measured(AnswerValue(type: "Quantity", json: ["value": .number(number)]))
            }
            return json.object == nil ? nil : AnswerValue(type: "Quantity", json: json)
        case .date: return json.string.map { AnswerValue(type: "Date", json: .string(String($0.prefix(10)))) }
        case .dateTime: return json.string.map { AnswerValue(type: "DateTime", json: .string($0)) }
        case .time: return json.string.map { AnswerValue(type: "Time", json: .string($0)) }
        case .string, .text: return text(json).map { AnswerValue(type: "String", json: .string($0)) }
        case .url: return json.string.map { AnswerValue(type: "Uri", json: .string($0)) }
        case .choice, .openChoice: return chosen(json)
        case .reference: return reference(json)
        case .attachment: return json.object == nil ? nil : AnswerValue(type: "Attachment", json: json)
        case .group, .display, .question, .unrecognized: return nil
        }
    }

    /// Returns a whole number, also of a decimal such as 3.0.
    private static func whole(_ json: JSON) -> JSONNumber? {
        guard let number = json.number else { return nil }
        if number.integer != nil { return number }
        guard let decimal = number.decimal else { return nil }
        var (value, rounded) = (decimal, Decimal())
        NSDecimalRound(&rounded, &value, 0, .plain)
        return rounded == decimal ? JSONNumber(text: "\(rounded)") : nil
    }

    /// Returns the number of a quantity in the only unit of the question.
    private func measured(_ json: JSON) -> JSONNumber? {
        guard let quantity = Quantity(json: json), let unit = item.units.only else { return nil }
        let other = AnswerUnits.quantity(JSONNumber(1), in: unit)
        return AnswerValue(type: "Quantity", json: json).hasSameUnit(as: other) ? quantity.value : nil
    }

    private func text(_ json: JSON) -> String? {
        if let object = json.object {
            return object["display"]?.string ?? object["text"]?.string ?? object["code"]?.string
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
            return found.first { answer in values.isEmpty || values.contains { answer.equals($0) } } ?? found.first
        }
        if object["reference"] != nil { return AnswerValue(type: "Reference", json: json) }
        guard object["code"] != nil || object["display"] != nil else { return nil }
        // An entry of an expansion has further members.
        var coding = Coding(system: object["system"]?.string, code: object["code"]?.string ?? "")
        if object["code"] == nil { coding.code = nil }
        coding.display = object["display"]?.string
        coding.version = object["version"]?.string
        let answer = AnswerValue(type: "Coding", json: coding.json)
        return values.first { answer.equals($0) } ?? answer
    }

    /// Returns a value that is not offered, as an answer of the type that its JSON has.
    private func other(_ json: JSON) -> AnswerValue? {
        if let text = json.string { return AnswerValue(type: "Coding", json: ["code": .string(text)]) }
        return Self.whole(json).map { AnswerValue(type: "Integer", json: .number($0)) }
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
        return AnswerValue(type: "Reference", json: json)
    }
}
