import FHIR
import Foundation
import HealthTypes

/// A value as its concept stores it: a number in the concept's unit, and the value as sent if that differs.
struct MeasuredValue: Sendable, Hashable {
    let value: FactValue
    /// The number and the unit as sent; nil if they are the same.
    var original: FactValue?
    /// The warning about a value that could not be stored as intended.
    var warning: LoadWarning?

    /// The kind of a concept of which only this value is known. The ontology names the unit only if it cannot contain
    /// text from a device.
    var kind: Concept.Kind {
        guard case .numeric(_, _, let units) = value else { return .text }
        let isPlain =
            units.map { !$0.utf8.contains(UInt8(ascii: "{")) && UnitReading.read($0)?.unit.code == $0 } ?? false
        return .numeric(units: isPlain ? units : nil)
    }

    /// Creates a value that is stored unchanged.
    init(_ value: FactValue, original: FactValue? = nil, warning: LoadWarning? = nil) {
        (self.value, self.original, self.warning) = (value, original, warning)
    }

    /// nil if there is no value to load.
    init?(_ choice: some ChoiceValue, in unit: ConceptUnit) {
        switch choice.type {
        case "Decimal", "Integer":
            guard let number = choice.json.number else { return nil }
            self.init(number, comparator: nil, sent: nil, in: unit)
        case "Quantity":
            guard let quantity = Quantity(json: choice.json), let number = quantity.value else { return nil }
            self.init(number, comparator: quantity.comparator?.rawValue, sent: QuantityUnit(quantity), in: unit)
        default:
            guard let value = FactValue(choice) else { return nil }
            self.init(value)
        }
    }

    /// - Parameters:
    ///   - comparator: the comparator of FHIR.
    ///   - sent: the unit as sent.
    init(_ number: JSONNumber, comparator: String?, sent: QuantityUnit?, in unit: ConceptUnit) {
        guard let sent, let shown = sent.shown else {
            // A number without a unit is in the unit of its concept.
            let units: String? = if case .asked(let code) = unit { code } else { nil }
            self.init(whole: .number(number, comparator: comparator, units: units))
            return
        }
        if case .measured(let measure, isFraction: true) = unit, measure.scale == 100,
            UnitReading.code(of: sent, measuring: measure.unit.ucum) == measure.unit.ucum
        {
            self.init(fraction: number, comparator: comparator, shown: shown, of: measure)
            return
        }
        let code = UnitReading.code(of: sent, measuring: unit.code)
        let target = unit.code ?? code.map { UnitReading.read($0)?.conventional ?? $0 }
        if let target, target == shown {
            self.init(whole: .number(number, comparator: comparator, units: shown))
            return
        }
        let original = FactValue.number(number, comparator: comparator, units: shown)
        guard let target, let code, let conversion = UnitReading.conversion(from: code, to: target) else {
            if case .measured(let measure, _) = unit,
                let kept = Self.converted(number, comparator: comparator, sent: sent, by: measure)
            {
                self.init(kept, original: original)
            } else {
                self.init(.sentText(number, comparator: comparator, units: shown), warning: .unitNotConvertible)
            }
            return
        }
        guard let decimal = number.decimal, let converted = conversion.convert(decimal),
            let kept = FactValue.fitting(
                converted, comparator: conversion.isReversed ? Self.reversed(comparator) : comparator, units: target)
        else {
            self.init(.sentText(number, comparator: comparator, units: shown), warning: .numberOutOfRange)
            return
        }
        self.init(kept, original: original)
    }

    /// Creates a percentage from a library that writes HealthKit's fraction. A value above 1 is already a percentage,
    /// as in HealthKit's own data (``HealthTypes/SourceUnit/Scale/fraction``). The sent value is stored in both cases,
    /// because the unit does not show which of the two it was.
    private init(fraction number: JSONNumber, comparator: String?, shown: String, of measure: HealthMeasure) {
        guard let decimal = number.decimal,
            let kept = FactValue.fitting(
                decimal >= 0 && decimal <= 1 ? decimal * Decimal(measure.scale) : decimal, comparator: comparator,
                units: measure.unit.ucum)
        else {
            self.init(.sentText(number, comparator: comparator, units: shown), warning: .numberOutOfRange)
            return
        }
        self.init(kept, original: .number(number, comparator: comparator, units: shown))
    }

    /// Returns the number converted from the HealthKit unit that the text names, if UCUM cannot convert it: millimoles
    /// of glucose per litre to milligrams per decilitre.
    private static func converted(
        _ number: JSONNumber, comparator: String?, sent: QuantityUnit, by measure: HealthMeasure
    ) -> FactValue? {
        for name in [sent.code, sent.text].compactMap({ $0 }) {
            guard let source = measure.sourceUnit(named: name) else { continue }
            let text: String?
            switch source.scale {
            case .same: text = number.text
            case .linear(let conversion): text = conversion.convert(number.text)
            case .power, .fraction: continue
            }
            guard let decimal = text.flatMap({ JSONNumber(text: $0)?.decimal }) else { continue }
            return FactValue.fitting(decimal, comparator: comparator, units: measure.unit.ucum)
        }
        return nil
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
