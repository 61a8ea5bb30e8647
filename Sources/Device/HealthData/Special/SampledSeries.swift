import FHIR
import Foundation

/// A series of numbers in the form of FHIR's SampledData (<https://hl7.org/fhir/R4/datatypes.html#SampledData>).
public struct SampledSeries: Sendable, Hashable {
    /// The numbers, separated by one space; `E` for a number that could not be read.
    public private(set) var data = ""
    public private(set) var count = 0
    /// Number of elements that could not be read.
    public private(set) var gaps = 0

    /// FHIR's maximum length of a string: 1 MB.
    public static let limit = 1_000_000

    public init() {}

    /// Creates a series from binary numbers; numbers that are not finite become gaps.
    public init(_ values: some Sequence<Double>) {
        for value in values { append(value) }
    }

    /// The bytes of ``data``.
    var length: Int { data.utf8.count }

    public var isEmpty: Bool { count == 0 }

    /// Appends a number with its digits; nil adds a gap, so that the following numbers keep their indices.
    public mutating func append(_ number: JSONNumber?) {
        if count > 0 { data.append(" ") }
        count += 1
        if let number {
            data.append(number.text)
        } else {
            gaps += 1
            data.append("E")
        }
    }

    /// Appends a number with the shortest digits that represent it.
    public mutating func append(_ value: Double) {
        append(value.isFinite ? JSONNumber(text: ExactDecimal.text(value)) : nil)
    }

    /// Returns a SampledData.
    ///
    /// - Parameters:
    ///   - period: milliseconds between two numbers.
    ///   - factor: the factor from the numbers to the unit; nil for 1.
    func sampledData(_ unit: HealthUnit, period: JSONNumber, factor: Int? = nil) -> JSON {
        var object = JSONObject()
        object["origin"] = [
            "value": 0, "unit": .string(unit.display), "system": "http://unitsofmeasure.org",
            "code": .string(unit.ucum),
        ]
        object["period"] = .number(period)
        if let factor { object["factor"] = .number(JSONNumber(factor)) }
        object["dimensions"] = 1
        object["data"] = .string(data)
        return .object(object)
    }
}
