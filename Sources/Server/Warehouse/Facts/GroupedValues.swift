import FHIR
import Foundation

/// The times of the values of an Observation that the device gateway made.
///
/// The gateway combines the readings of an hour or a day into one Observation, whose period is the window. Values at
/// even intervals (<https://hl7.org/fhir/R4/datatypes.html#SampledData>) begin with the window; an extension contains
/// the time of other values.
struct GroupedValues: Sendable {
    private let start: DateTime
    private let times: [String: DateTime]

    /// Maximum number of facts of one series: one per second of a day.
    static let maximumValues = 86_400

    /// nil for an Observation that is not from a gateway.
    init?(_ observation: Observation) {
        guard observation.identifier.contains(where: { $0.system == CodeSystemURL.deviceConnector }),
            case .period(let period) = observation.effective, let start = period.start
        else { return nil }
        self.start = start
        var times: [String: DateTime] = [:]
        for extension_ in observation.extension where extension_.url == ValueTime.url {
            guard let time = ValueTime(extension_) else { continue }
            times[time.name ?? ""] = time.time
        }
        self.times = times
    }

    /// Returns the time of a value, if it differs from the start of the window.
    ///
    /// - Parameter concept: the component's concept; nil for the Observation's own value.
    func time(of concept: CodeableConcept?) -> Date? {
        let name = concept.map { $0.coding.first { $0.system == CodeSystemURL.deviceConnector }?.code }
        switch name {
        case nil: return times[""]?.start()
        case .some(nil): return nil
        case .some(let name?): return times[name]?.start()
        }
    }

    /// Returns the existing values of a series, each with its time; nil unless it is a series of one dimension.
    func series(_ data: SampledData) -> [(value: JSONNumber, time: Date)]? {
        guard data.dimensions ?? 1 == 1, let period = data.period?.decimal, period > 0, let text = data.data else {
            return nil
        }
        let factor = data.factor?.decimal ?? 1
        let origin = data.origin?.value?.decimal ?? 0
        var values: [(value: JSONNumber, time: Date)] = []
        let first = start.start()
        for (index, token) in text.split(separator: " ", maxSplits: Self.maximumValues).prefix(Self.maximumValues)
            .enumerated()
        {
            guard let number = JSONNumber(text: String(token)) else { continue }
            var value: JSONNumber? = number
            if factor != 1 || origin != 0 { value = number.decimal.flatMap { JSONNumber($0 * factor + origin) } }
            guard let value else { continue }
            let milliseconds = NSDecimalNumber(decimal: period * Decimal(index)).doubleValue
            values.append((value, first.addingTimeInterval(milliseconds / 1000)))
        }
        return values
    }
}
