import FHIR
import Foundation

/// A number as it was written, and the same number in the unit of the observation.
public struct SpecialQuantity: Sendable, Hashable {
    /// The digits of the source.
    public let written: String
    /// The unit of the source.
    public let writtenUnit: String
    /// The value in ``unit``; the written digits if the unit is the same.
    public let number: JSONNumber
    /// The unit in the observation.
    public let unit: HealthUnit
    /// The repairs that were made to read the number.
    public let repairs: Repairs

    /// Creates a quantity from a number that needs no conversion.
    public init(_ number: JSONNumber, _ unit: HealthUnit, writtenUnit: String = "") {
        self.init(written: number.text, writtenUnit: writtenUnit, number: number, unit: unit)
    }

    init(written: String, writtenUnit: String, number: JSONNumber, unit: HealthUnit, repairs: Repairs = []) {
        self.written = written
        self.writtenUnit = writtenUnit
        self.number = number
        self.unit = unit
        self.repairs = repairs
    }

    /// Whether the value was converted from another unit.
    var isConverted: Bool { number.text != written }

    /// A FHIR Quantity. If the value was converted, an extension contains the original.
    var json: JSON {
        var object = JSONObject()
        if isConverted {
            object["extension"] = [HealthQuantity.recorded(JSONNumber(text: written) ?? number, writtenUnit)]
        }
        object["value"] = .number(number)
        object["unit"] = .string(unit.display)
        object["system"] = "http://unitsofmeasure.org"
        object["code"] = .string(unit.ucum)
        return .object(object)
    }
}

/// A quantity that is measured inside a record: its unit, and the conversion from all compatible units of HealthKit.
public struct SpecialMeasure: Sendable {
    /// The unit of the numbers in observations.
    public let unit: HealthUnit
    /// HealthKit's unit of the same size.
    private let healthKitUnit: HealthKitUnit?
    /// Unit names of sources that HealthKit does not have, with HealthKit's names.
    private let otherNames: [String: String]

    private init(_ unit: HealthUnit, _ healthKitUnit: String, otherNames: [String: String] = [:]) {
        self.unit = unit
        self.healthKitUnit = try? HealthKitUnit(healthKitUnit)
        self.otherNames = otherNames
    }

    /// Parses a number in a unit.
    ///
    /// - Throws: the ``SkipReason`` if it is not a number, out of range, or in an incompatible unit.
    public func read(_ text: String, unit name: String) throws(SkipReason) -> SpecialQuantity {
        guard let healthKitUnit, name.utf8.count <= 64, let source = try? HealthKitUnit(otherNames[name] ?? name),
            let conversion = source.conversion(to: healthKitUnit)
        else { throw .unknownUnit }
        let (given, isRepaired) = try NumberText.read(text)
        let number = conversion.isIdentity ? given : conversion.convert(given.text).flatMap(JSONNumber.init(text:))
        guard let number else { throw .valueOutOfRange }
        return SpecialQuantity(
            written: given.text, writtenUnit: name, number: number, unit: unit,
            repairs: isRepaired ? [.numberSyntax] : [])
    }

    /// Returns a quantity in the measure's own unit; nil for a number that is not finite.
    public func quantity(_ value: Double) -> SpecialQuantity? {
        guard value.isFinite, let number = JSONNumber(text: ExactDecimal.text(value)) else { return nil }
        return SpecialQuantity(number, unit)
    }

    /// Frequencies, in hertz.
    public static let frequency = SpecialMeasure(HealthUnit("Hz", "Hz"), "Hz", otherNames: ["hertz": "Hz"])
    /// Decibel of hearing level. UCUM does not have this reference level, so the unit has an annotation.
    public static let hearingLevel = SpecialMeasure(
        HealthUnit("dB{HL}", "dB HL"), "dBHL", otherNames: ["dB HL": "dBHL", "dB": "dBHL"])
    /// Energy, in kilocalories.
    public static let energy = SpecialMeasure(HealthUnit("kcal", "kcal"), "kcal")
    /// Durations, in minutes.
    public static let minutes = SpecialMeasure(HealthUnit("min", "min"), "min", otherNames: ["h": "hr"])
    /// Number of hours of a day in which the person was on their feet: a count.
    public static let hours = SpecialMeasure(
        HealthUnit("{hours}", "hours"), "count", otherNames: ["hr": "count", "h": "count"])
    /// The power of a lens, in dioptres.
    public static let dioptre = SpecialMeasure(HealthUnit("[diop]", "D"), "D")
    /// The power of a prism, in prism dioptres.
    public static let prismDioptre = SpecialMeasure(HealthUnit("[p'diop]", "pD"), "pD")
    /// Angles, in degrees.
    public static let angle = SpecialMeasure(HealthUnit("deg", "deg"), "deg", otherNames: ["°": "deg"])
    /// Short lengths, in millimetres.
    public static let millimetre = SpecialMeasure(HealthUnit("mm", "mm"), "mm")
    /// Lengths, in metres.
    public static let metre = SpecialMeasure(HealthUnit("m", "m"), "m")
    /// Speeds, in metres per second.
    public static let speed = SpecialMeasure(HealthUnit("m/s", "m/s"), "m/s")
    /// Durations, in seconds.
    public static let seconds = SpecialMeasure(HealthUnit("s", "s"), "s")
    /// Heart rates, in beats per minute.
    public static let beats = SpecialMeasure(
        HealthUnit("/min", "beats/minute"), "count/min", otherNames: ["bpm": "count/min"])
}
