import FHIR
import FHIRPath
import UCUM

/// The units of a question's answers.
package struct AnswerUnits: Sendable {
    /// The units that the form contains.
    package let named: [Coding]
    /// The unit of a number without a unit, if the form permits only one unit.
    package let only: Coding?

    /// - Parameters:
    ///   - asked: the form's unit (`questionnaire-unit`).
    ///   - limits: the limits with the unit options.
    init(asked: Coding?, _ limits: AnswerLimits) {
        named = limits.units + [asked].compactMap { $0 }
        let permitted = limits.units.isEmpty && !limits.hasUnitSet ? [asked].compactMap { $0 } : limits.units
        let distinct = Set(permitted.map { "\($0.system ?? "")|\($0.code ?? $0.display ?? "")" })
        only = distinct.count == 1 && !limits.takesOtherUnits ? permitted.first : nil
    }

    /// Returns the value with its unit. A text that the form contains for one of its units is that unit, and a number
    /// without a unit has the only permitted unit. Any other value is unchanged.
    ///
    /// - Parameter type: the type of the question.
    func measured(_ value: AnswerValue, of type: QuestionnaireItemType) -> AnswerValue {
        switch value.type {
        case "Quantity":
            guard var quantity = value.quantity, quantity.code == nil else { return value }
            let unit =
                quantity.unit.map { text in named.first { $0.display == text || $0.code == text } } ?? only
            guard let unit else { return value }
            quantity.code = unit.code
            quantity.system = unit.system
            quantity.unit = quantity.unit ?? unit.display
            return AnswerValue(type: "Quantity", json: quantity.json)
        case "Integer", "Decimal":
            guard type == .quantity, let only, let number = value.json.number else { return value }
            return Self.quantity(number, in: only)
        default: return value
        }
    }

    /// Returns a number in a unit.
    static func quantity(_ number: JSONNumber, in unit: Coding) -> AnswerValue {
        var quantity = Quantity()
        quantity.value = number
        quantity.unit = unit.display ?? unit.code
        quantity.system = unit.system
        quantity.code = unit.code
        return AnswerValue(type: "Quantity", json: quantity.json)
    }

    /// Returns whether a value is a number without a unit.
    package static func isBare(_ value: AnswerValue) -> Bool {
        switch value.type {
        case "Integer", "Decimal": true
        case "Quantity": value.quantity?.code == nil && value.quantity?.unit == nil
        default: false
        }
    }

    /// Returns whether no unit in the form is comparable to that of a quantity.
    func excludes(_ value: AnswerValue) -> Bool {
        guard value.type == "Quantity", !named.isEmpty, !Self.isBare(value) else { return false }
        return !named.contains { Self.quantity(JSONNumber(1), in: $0).isComparable(to: value) }
    }
}

extension AnswerValue {
    /// Returns whether two quantities have the same unit or comparable units.
    func isComparable(to other: AnswerValue) -> Bool {
        if hasSameUnit(as: other) { return true }
        guard let left = quantity?.ucumUnit, let right = other.quantity?.ucumUnit else { return false }
        return left.isComparable(to: right)
    }
}
