import FHIR
import Foundation

/// A number as it was written, and the same in the unit that it is given in.
public struct SpecialQuantity: Sendable, Hashable {
    /// The digits as written.
    public let written: String
    /// The unit as written.
    public let writtenUnit: String
    /// The value in ``unit``; the written digits where the unit is the same.
    public let number: JSONNumber
    public let unit: HealthUnit
    /// What had to be mended.
    public let repairs: Repairs

    /// A number that needs no conversion.
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

    /// Whether the value stands in another unit than the written one.
    var isConverted: Bool { number.text != written }

    /// A FHIR Quantity; what was written stands in an extension where it was converted.
    var json: JSON {
        var object = JSONObject()
        if isConverted {
            var recorded = JSONObject()
            if let number = JSONNumber(text: written) { recorded["value"] = .number(number) }
            recorded["unit"] = .string(writtenUnit)
            object["extension"] = [
                Extension(url: "urn:tributary:healthkit-recorded-quantity", value: "Quantity", .object(recorded)).json
            ]
        }
        object["value"] = .number(number)
        object["unit"] = .string(unit.display)
        object["system"] = "http://unitsofmeasure.org"
        object["code"] = .string(unit.ucum)
        return .object(object)
    }
}

/// What can be measured inside a record: the unit it is given in and the units it may come in.
public struct SpecialMeasure: Sendable {
    public let unit: HealthUnit
    private let factors: [String: Factor]

    /// So many of the measure's unit are one of the written one: `multiply / divide`, or powers of ten.
    private enum Factor: Sendable {
        case same
        case power(Int)
        case ratio(Decimal, Decimal)
    }

    private init(_ unit: HealthUnit, _ factors: [String: Factor]) {
        self.unit = unit
        self.factors = factors
    }

    /// Reads a number in a unit.
    ///
    /// - Throws: the ``SkipReason`` where it is none, out of range, or in a unit that is not known.
    public func read(_ text: String, unit name: String) throws(SkipReason) -> SpecialQuantity {
        guard let factor = factors[name] else { throw .unknownUnit }
        let (written, mended) = try NumberText.read(text)
        let number: JSONNumber?
        switch factor {
        case .same: number = JSONNumber(text: written)
        case .power(let places) where !written.utf8.contains(where: { $0 == 0x65 || $0 == 0x45 }):
            number = JSONNumber(text: ExactDecimal.shift(written, by: places))
        case .power(let places):
            number = Decimal(string: written, locale: nil).flatMap {
                JSONNumber($0 * Decimal(sign: .plus, exponent: places, significand: 1))
            }
        case .ratio(let multiply, let divide):
            number = Decimal(string: written, locale: nil).flatMap {
                ExactDecimal.linear($0, add: 0, multiply: multiply, divide: divide)
            }
        }
        guard let number else { throw .valueOutOfRange }
        return SpecialQuantity(
            written: written, writtenUnit: name, number: number, unit: unit, repairs: mended ? [.numberSyntax] : [])
    }

    /// The measure's quantity of a number in its own unit; nil for a number that is not finite.
    public func quantity(_ value: Double) -> SpecialQuantity? {
        guard value.isFinite, let number = JSONNumber(text: SampledSeries.text(value)) else { return nil }
        return SpecialQuantity(number, unit)
    }

    public static let frequency = SpecialMeasure(
        HealthUnit("Hz", "Hz"), ["Hz": .same, "hertz": .same, "kHz": .power(3), "MHz": .power(6), "mHz": .power(-3)])
    /// Decibel of hearing level: UCUM has no such reference level, hence the annotation.
    public static let hearingLevel = SpecialMeasure(
        HealthUnit("dB{HL}", "dB HL"), ["dBHL": .same, "dB": .same, "dB HL": .same])
    public static let energy = SpecialMeasure(
        HealthUnit("kcal", "kcal"),
        [
            "kcal": .same, "Cal": .same, "cal": .power(-3), "kJ": .ratio(1000, 4184), "J": .ratio(1, 4184),
            "MJ": .ratio(1_000_000, 4184),
        ])
    public static let minutes = SpecialMeasure(
        HealthUnit("min", "min"), ["min": .same, "s": .ratio(1, 60), "hr": .ratio(60, 1), "h": .ratio(60, 1)])
    /// The hours of a day in which the person stood: a count.
    public static let hours = SpecialMeasure(HealthUnit("{hours}", "hours"), ["count": .same, "hr": .same, "h": .same])
    public static let dioptre = SpecialMeasure(HealthUnit("[diop]", "D"), ["D": .same])
    public static let prismDioptre = SpecialMeasure(HealthUnit("[p'diop]", "pD"), ["pD": .same])
    public static let angle = SpecialMeasure(
        HealthUnit("deg", "deg"),
        [
            "deg": .same, "°": .same,
            "rad": .ratio(180, Decimal(string: "3.14159265358979323846264338327950288") ?? .nan),
        ])
    public static let millimetre = SpecialMeasure(
        HealthUnit("mm", "mm"),
        [
            "mm": .same, "cm": .power(1), "m": .power(3), "in": .ratio(254, 10), "ft": .ratio(3048, 10),
        ])
    public static let metre = SpecialMeasure(HealthUnit("m", "m"), ["m": .same])
    public static let speed = SpecialMeasure(HealthUnit("m/s", "m/s"), ["m/s": .same])
    public static let seconds = SpecialMeasure(HealthUnit("s", "s"), ["s": .same])
    public static let beats = SpecialMeasure(
        HealthUnit("/min", "beats/minute"), ["count/min": .same, "bpm": .same, "count/s": .ratio(60, 1)])
}
