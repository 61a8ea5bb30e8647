import FHIR
import Foundation

/// The unit that values of a measure are given in: the UCUM code and the text shown to people.
///
/// <https://ucum.org/ucum>
public struct HealthUnit: Sendable, Hashable {
    /// The UCUM code, for example `mm[Hg]`.
    public let ucum: String
    /// The unit in words, for example `mmHg`.
    public let display: String

    public init(_ ucum: String, _ display: String) {
        self.ucum = ucum
        self.display = display
    }
}

/// A unit that HealthKit may write a value in, and the way from it to the measure's own unit.
///
/// An object, as millions of samples refer to a few of them.
public final class SourceUnit: Sendable, Hashable {
    /// How the own unit follows from the written one.
    public enum Scale: Sendable, Hashable {
        /// The same unit: the digits stay as they were written.
        case same
        /// So many powers of ten: the decimal point moves, the digits stay.
        case power(Int)
        /// HealthKit's percent: a fraction from 0 to 1, shown times 100. A value above 1 is taken to be percent already.
        case fraction
        /// `(value + add) * multiply / divide`, in exact decimal arithmetic.
        case linear(add: Decimal, multiply: Decimal, divide: Decimal)
    }

    /// HealthKit's unit string, for example `count/min`.
    public let name: String
    public let scale: Scale

    public init(_ name: String, _ scale: Scale = .same) {
        self.name = name
        self.scale = scale
    }

    public static func == (left: SourceUnit, right: SourceUnit) -> Bool {
        left === right || left.name == right.name && left.scale == right.scale
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// A unit that is so many of the own one. The numbers are decimal texts, so that no digit is lost.
    static func times(_ name: String, _ multiply: String, over divide: String = "1", add: String = "0") -> SourceUnit {
        SourceUnit(
            name, .linear(add: decimal(add), multiply: decimal(multiply), divide: decimal(divide)))
    }

    /// A text that is no number becomes NaN, which the test of the table finds.
    private static func decimal(_ text: String) -> Decimal { Decimal(string: text, locale: nil) ?? .nan }
}

/// What is measured, in which unit it is given, and in which units it may come.
public final class HealthMeasure: Sendable, Hashable {
    /// The name shown to people.
    public let title: String
    /// Standard codes first, then HealthKit's own.
    public let codings: [Coding]
    /// The unit that every value is brought to.
    public let unit: HealthUnit
    /// The units that are read.
    public let sourceUnits: [SourceUnit]
    /// What is likely in a living person, in ``unit``. Values outside are kept and counted, never dropped.
    public let plausible: ClosedRange<Double>?

    public init(
        title: String, codings: [Coding], unit: HealthUnit, sourceUnits: [SourceUnit],
        plausible: ClosedRange<Double>? = nil
    ) {
        self.title = title
        self.codings = codings
        self.unit = unit
        self.sourceUnits = sourceUnits
        self.plausible = plausible
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
        left === right || left.title == right.title && left.codings == right.codings && left.unit == right.unit
            && left.sourceUnits == right.sourceUnits && left.plausible == right.plausible
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(title)
        hasher.combine(codings)
    }

    /// `Observation.code` or `component.code`, made once.
    let concept: JSON
    /// The same as text.
    let conceptText: [UInt8]
    /// What follows the value in the text of a Quantity, to its end.
    let unitText: [UInt8]
    private let unitMembers: [JSONObject.Member]
    private static let ucum = "http://unitsofmeasure.org"

    /// A FHIR Quantity in the measure's unit.
    func quantity(_ number: JSONNumber) -> JSON {
        var object = JSONObject()
        object["value"] = .number(number)
        for member in unitMembers { object[member.key] = member.value }
        return .object(object)
    }

    /// The accepted unit with the name.
    func sourceUnit(named name: String) -> SourceUnit? { sourceUnits.first { $0.name == name } }
}
