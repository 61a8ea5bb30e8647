import FHIR
import Foundation

/// A measured quantity: its unit, and the units that it is converted from.
public final class HealthMeasure: Sendable, Hashable {
    /// The name shown to people.
    public let title: String
    /// Standard codes first, then HealthKit's own.
    public let codings: [Coding]
    /// The unit to which every value is converted.
    public let unit: HealthUnit
    /// HealthKit's unit of the same size. Only percent has a different size: HealthKit's `%` is the fraction
    /// (``scale``).
    public let healthKitUnit: HealthKitUnit
    /// The plausible range in a living person, in ``unit``. Values outside of it are stored and counted, never dropped.
    public let plausible: ClosedRange<Double>?

    /// - Parameter healthKitUnit: any unit that HealthKit accepts for the quantity and that has the size of `unit`.
    public init(
        title: String, codings: [Coding], unit: HealthUnit, healthKitUnit: HealthKitUnit,
        plausible: ClosedRange<Double>? = nil
    ) {
        self.title = title
        self.codings = codings
        self.unit = unit
        self.healthKitUnit = healthKitUnit
        self.plausible = plausible
        isFraction = healthKitUnit == .percent && unit.ucum == "%"
        ownUnit = SourceUnit(healthKitUnit.text, isFraction ? .fraction : .same)
        concept = CodeableConcept(coding: codings, text: title).json
        conceptText = concept.bytes()
        unitMembers = [
            JSONObject.Member(key: "unit", value: .string(unit.display)),
            JSONObject.Member(key: "system", value: .string(Self.ucum)),
            JSONObject.Member(key: "code", value: .string(unit.ucum)),
        ]
        var unitObject = JSONObject()
        for member in unitMembers { unitObject[member.key] = member.value }
        let quantity = JSON.object(unitObject).bytes()
        unitText = [UInt8(ascii: ",")] + quantity.dropFirst()
    }

    public static func == (left: HealthMeasure, right: HealthMeasure) -> Bool {
        left === right
            || left.title == right.title && left.codings == right.codings && left.unit == right.unit
                && left.healthKitUnit == right.healthKitUnit && left.plausible == right.plausible
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(title)
        hasher.combine(codings)
    }

    /// The factor from a value in ``healthKitUnit`` to one in ``unit``: 100 for percent, else 1.
    public var scale: Int { isFraction ? 100 : 1 }

    private let isFraction: Bool
    private let ownUnit: SourceUnit
    /// `Observation.code` or `component.code`, created once.
    package let concept: JSON
    /// The same as text.
    package let conceptText: [UInt8]
    /// The rest of a Quantity's text after the value.
    package let unitText: [UInt8]
    private let unitMembers: [JSONObject.Member]
    /// The system of UCUM's codes.
    public static let ucum = "http://unitsofmeasure.org"

    /// A FHIR Quantity in the measure's unit.
    package func quantity(_ number: JSONNumber) -> JSON {
        var object = JSONObject()
        object["value"] = .number(number)
        for member in unitMembers { object[member.key] = member.value }
        return .object(object)
    }

    /// Returns the conversion from a unit of HealthKit that is compatible with the measure's unit; nil for all other
    /// units. The function parses the name, so cache the result if many values have the same unit.
    public func sourceUnit(named name: String) -> SourceUnit? {
        if name == ownUnit.name { return ownUnit }
        // HealthKit's null unit is compatible with counts, but a value without a unit is not known to be one.
        guard !name.isEmpty else { return nil }
        for spelling in [name, Self.otherSpellings[name]] {
            guard let spelling, let unit = try? HealthKitUnit(spelling),
                let conversion = unit.conversion(to: healthKitUnit)
            else { continue }
            return scale(of: conversion).map { SourceUnit(name, $0) }
        }
        return nil
    }

    private func scale(of conversion: UnitConversion) -> SourceUnit.Scale? {
        if conversion.isIdentity { return isFraction ? .fraction : .same }
        if let exponent = conversion.powerOfTen { return .power(isFraction ? exponent + 2 : exponent) }
        // Only the count has the size of HealthKit's percent.
        return isFraction ? nil : .linear(conversion)
    }

    /// Spellings that HealthKit does not accept, with the unit that they mean. The molar mass is that of glucose,
    /// because no other type is measured in `mmol/L`.
    private static let otherSpellings = ["h": "hr", "sec": "s", "mmol/L": "mmol<180.1558800000541>/L"]
}
