import FHIR
import UCUM

/// The units in which a question takes its answers.
struct AnswerUnits: Sendable {
    /// The units that the form names.
    let named: [Coding]
    /// The unit of a number without one, where the form permits one unit only.
    let only: Coding?

    /// - Parameters:
    ///   - asked: the unit that the form asks for (`questionnaire-unit`).
    ///   - limits: with the units that are options.
    init(asked: Coding?, _ limits: AnswerLimits) {
        named = limits.units + [asked].compactMap { $0 }
        let permitted = limits.units.isEmpty && !limits.hasUnitSet ? [asked].compactMap { $0 } : limits.units
        let distinct = Set(permitted.map { "\($0.system ?? "")|\($0.code ?? $0.display ?? "")" })
        only = distinct.count == 1 && !limits.takesOtherUnits ? permitted.first : nil
    }

    /// The value with its unit. A text that the form has for one of its units is that unit, and a number without a unit is in
    /// the only one that the form permits. Any other value stays as it is.
    ///
    /// - Parameter type: the question's.
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

    /// A number in a unit.
    static func quantity(_ number: JSONNumber, in unit: Coding) -> AnswerValue {
        var quantity = Quantity()
        quantity.value = number
        quantity.unit = unit.display ?? unit.code
        quantity.system = unit.system
        quantity.code = unit.code
        return AnswerValue(type: "Quantity", json: quantity.json)
    }

    /// Whether a value is a number of which nothing says the unit.
    static func isBare(_ value: AnswerValue) -> Bool {
        switch value.type {
        case "Integer", "Decimal": true
        case "Quantity": value.quantity?.code == nil && value.quantity?.unit == nil
        default: false
        }
    }

    /// Whether no unit that the form names converts to that of a quantity.
    func excludes(_ value: AnswerValue) -> Bool {
        guard value.type == "Quantity", !named.isEmpty, !Self.isBare(value) else { return false }
        return !named.contains { Self.quantity(JSONNumber(1), in: $0).isComparable(to: value) }
    }
}

extension AnswerValue {
    /// Whether this quantity and another are in one unit, or in units that convert.
    func isComparable(to other: AnswerValue) -> Bool {
        if hasSameUnit(as: other) { return true }
        guard let left = quantity?.ucumUnit, let right = other.quantity?.ucumUnit else { return false }
        return left.isComparable(to: right)
    }
}

extension Quantity {
    /// The unit as one of UCUM: the code, or the text where there is no code; nil where it is none.
    var ucumUnit: UCUMUnit? {
        guard let code else { return unit.flatMap { try? UCUMUnit($0) } }
        guard system == nil || system == "http://unitsofmeasure.org" else { return nil }
        return try? UCUMUnit(code)
    }
}
