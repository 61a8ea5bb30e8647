import FHIR
import Foundation

/// A value as its concept keeps it: a number in the concept's unit, with what was sent beside it where that differs.
struct MeasuredValue: Sendable, Hashable {
    let value: FactValue
    /// The number and the unit as they were sent; nil where they are the same.
    var original: FactValue?
    /// What could not be kept as it should be.
    var warning: LoadWarning?

    /// The kind of a concept whose only known value this is. A unit is named in the ontology where no word of a device can
    /// stand in it.
    var kind: Concept.Kind {
        guard case .numeric(_, _, let units) = value else { return .text }
        let isPlain =
            units.map { !$0.utf8.contains(UInt8(ascii: "{")) && UnitReading.read($0)?.unit.code == $0 } ?? false
        return .numeric(units: isPlain ? units : nil)
    }

    /// A value that is kept as it is.
    init(_ value: FactValue, original: FactValue? = nil, warning: LoadWarning? = nil) {
        (self.value, self.original, self.warning) = (value, original, warning)
    }

    /// nil for what has no value to load.
    init?(_ choice: some ChoiceValue, in unit: ConceptUnit) {
        switch choice.type {
        case "Decimal", "Integer":
            guard let number = choice.json.number else { return nil }
            self.init(number, comparator: nil, sent: nil, in: unit)
        case "Quantity":
            guard let quantity = Quantity(json: choice.json), let number = quantity.value else { return nil }
            self.init(number, comparator: quantity.comparator?.rawValue, sent: FactValue.units(of: quantity), in: unit)
        default:
            guard let value = FactValue(choice) else { return nil }
            self.init(value)
        }
    }

    /// - Parameters:
    ///   - comparator: as FHIR writes it.
    ///   - sent: the unit as it was sent.
    init(_ number: JSONNumber, comparator: String?, sent: String?, in unit: ConceptUnit) {
        guard let sent, !sent.isEmpty else {
            // A number without a unit is in that of its concept.
            let units: String? = if case .asked(let code) = unit { code } else { nil }
            self.init(whole: .number(number, comparator: comparator, units: units))
            return
        }
        let target = unit.code ?? UnitReading.read(sent).map { $0.conventional ?? sent }
        if target == sent {
            self.init(whole: .number(number, comparator: comparator, units: sent))
            return
        }
        guard let target, let conversion = UnitReading.conversion(from: sent, to: target) else {
            self.init(.sentText(number, comparator: comparator, units: sent), warning: .unitNotConvertible)
            return
        }
        guard let decimal = number.decimal, let converted = conversion.convert(decimal),
            let kept = FactValue.fitting(
                converted, comparator: conversion.isReversed ? Self.reversed(comparator) : comparator, units: target)
        else {
            self.init(.sentText(number, comparator: comparator, units: sent), warning: .numberOutOfRange)
            return
        }
        self.init(kept, original: .number(number, comparator: comparator, units: sent))
    }

    private init(whole value: FactValue) {
        self.init(value, warning: value.isNumeric ? nil : .numberOutOfRange)
    }

    private static func reversed(_ comparator: String?) -> String? {
        switch comparator {
        case "<": ">"
        case "<=": ">="
        case ">": "<"
        case ">=": "<="
        default: comparator
        }
    }
}
