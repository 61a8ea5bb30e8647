import FHIR
import FHIRPath
import Foundation
import Questionnaires
import UCUM

/// The reason why a value has no answer although its type fits.
struct PopulationFault: Error {}

/// Makes an answer of a value of an Observation.
enum PopulatedAnswer {
    /// Returns the answer; nil if a question of this type cannot have the value.
    ///
    /// - Throws: if the units are not comparable.
    static func value(_ value: FHIRPathValue, for item: FormItem) throws(PopulationFault) -> AnswerValue? {
        switch item.type {
        case .quantity: return try quantity(value, item)
        case .decimal: return try number(value, item).map { AnswerValue(type: "Decimal", json: .number($0)) }
        case .integer:
            guard let number = try number(value, item), let type = TypeModel.r4.type("integer") else { return nil }
            return ElementConversion.json(.element(TypedElement(.number(number), type: "decimal")), as: type)
                .map { AnswerValue(type: "Integer", json: $0) }
        case .choice, .openChoice: return chosen(value, item)
        case .boolean: return plain(value, as: "Boolean", of: "boolean")
        case .date: return plain(value, as: "Date", of: "date")
        case .dateTime: return plain(value, as: "DateTime", of: "dateTime")
        case .time: return plain(value, as: "Time", of: "time")
        case .string, .text:
            guard value.json.string != nil || value.typeName == "CodeableConcept" else { return nil }
            return plain(value, as: "String", of: "string")
        case .group, .display, .question, .url, .attachment, .reference, .unrecognized: return nil
        }
    }

    private static func plain(_ value: FHIRPathValue, as answer: String, of type: String) -> AnswerValue? {
        guard let target = TypeModel.r4.type(type) else { return nil }
        return ElementConversion.json(value, as: target).map { AnswerValue(type: answer, json: $0) }
    }

    /// Returns the option with a code of the value, or the first code if the question has no options.
    private static func chosen(_ value: FHIRPathValue, _ item: FormItem) -> AnswerValue? {
        let json = value.json
        let codings = value.typeName == "CodeableConcept" ? json["coding"]?.array ?? [] : []
        let answers = codings.map { AnswerValue(type: "Coding", json: $0) }
        if let options = item.options {
            for answer in answers {
                if let option = options.first(where: { answer.isSameCode(as: $0.value) }) { return option.value }
            }
            if item.answerConstraint == .optionsOrType, let first = answers.first { return first }
        } else if let first = answers.first {
            return first
        }
        guard item.answerConstraint == .optionsOrString, item.type == .openChoice,
            let text = json.string ?? json["text"]?.string, !text.isEmpty
        else { return nil }
        return AnswerValue(type: "String", json: .string(text))
    }

    private static func quantity(_ value: FHIRPathValue, _ item: FormItem) throws(PopulationFault) -> AnswerValue? {
        guard var quantity = Quantity(json: value.json), quantity.value != nil else {
            guard let number = try number(value, item), let target = TypeModel.r4.type("Quantity") else { return nil }
            return ElementConversion.json(
                .element(TypedElement(.number(number), type: "decimal")), as: target, unit: item.unit
            ).map { AnswerValue(type: "Quantity", json: $0) }
        }
        guard quantity.comparator == nil || item.unit == nil else { return nil }
        guard let unit = item.unit, unit.code != quantity.code || unit.system != quantity.system else {
            return AnswerValue(type: "Quantity", json: quantity.json)
        }
        quantity.value = try converted(quantity, to: unit)
        quantity.unit = unit.display ?? unit.code
        quantity.system = unit.system
        quantity.code = unit.code
        return AnswerValue(type: "Quantity", json: quantity.json)
    }

    private static func number(_ value: FHIRPathValue, _ item: FormItem) throws(PopulationFault) -> JSONNumber? {
        if let number = value.json.number { return number }
        guard let quantity = Quantity(json: value.json), quantity.comparator == nil, let number = quantity.value else {
            return nil
        }
        guard let unit = item.unit else { return number }
        return try converted(quantity, to: unit)
    }

    /// Returns the number of a quantity in another unit.
    private static func converted(_ quantity: Quantity, to unit: Coding) throws(PopulationFault) -> JSONNumber {
        guard let value = quantity.value else { throw PopulationFault() }
        guard let code = quantity.code ?? quantity.unit, let wanted = unit.code else { throw PopulationFault() }
        if code == wanted { return value }
        guard let from = try? UCUMUnit(code), let to = try? UCUMUnit(wanted), let decimal = value.decimal,
            var result = try? from.convert(decimal, to: to)
        else { throw PopulationFault() }
        // A repeating fraction has no more digits than a measurement.
        var rounded = Decimal()
        NSDecimalRound(&rounded, &result, 10, .plain)
        guard let number = JSONNumber(rounded) else { throw PopulationFault() }
        return number
    }
}

extension AnswerValue {
    /// Whether two codings have the same code, and the same system if both have one.
    func isSameCode(as option: AnswerValue) -> Bool {
        guard type == "Coding", option.type == "Coding", let code = json["code"]?.string,
            code == option.json["code"]?.string
        else { return false }
        let (system, other) = (json["system"]?.string, option.json["system"]?.string)
        return system == nil || other == nil || system == other
    }
}
