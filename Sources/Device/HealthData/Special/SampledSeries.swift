import FHIR
import Foundation

/// Numbers in a row, as FHIR's SampledData holds them (<https://hl7.org/fhir/R4/datatypes.html#SampledData>).
public struct SampledSeries: Sendable, Hashable {
    /// The numbers with one space between them; `E` where one could not be read.
    public private(set) var data = ""
    public private(set) var count = 0
    /// How many of them could not be read.
    public private(set) var gaps = 0

    /// FHIR's limit of a text: 1 MB.
    public static let limit = 1_000_000

    public init() {}

    /// The series of numbers in binary; those that are not finite are gaps.
    public init(_ values: some Sequence<Double>) {
        for value in values { append(value) }
    }

    /// The bytes of ``data``.
    var length: Int { data.utf8.count }

    public var isEmpty: Bool { count == 0 }

    /// Appends a number with its digits; nil leaves a gap, so that the next one keeps its place.
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

    /// Appends a number in the shortest digits that mean it.
    public mutating func append(_ value: Double) {
        append(value.isFinite ? JSONNumber(text: ExactDecimal.text(value)) : nil)
    }

    /// A SampledData.
    ///
    /// - Parameters:
    ///   - period: milliseconds from one number to the next.
    ///   - factor: what the numbers are to be multiplied with to be in the unit; nil for 1.
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
