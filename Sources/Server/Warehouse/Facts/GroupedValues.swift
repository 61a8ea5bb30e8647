import FHIR
import Foundation

/// What a gateway of devices says of the times of an Observation's values.
///
/// Readings of an hour or a day are one Observation there, whose period is the window. Values at even intervals
/// (<https://hl7.org/fhir/R4/datatypes.html#SampledData>) begin with it; of others an extension says when they were measured.
struct GroupedValues: Sendable {
    private let start: DateTime
    private let times: [String: DateTime]

    /// So many values of one series are facts at most: a day at a second each.
    static let mostValues = 86_400

    /// nil for an Observation that is none of a gateway's.
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

    /// When a value was measured, where that is not when the window begins.
    ///
    /// - Parameter concept: the component's; nil for the Observation's own value.
    func time(of concept: CodeableConcept?) -> Date? {
        let name = concept.map { $0.coding.first { $0.system == CodeSystemURL.deviceConnector }?.code }
        switch name {
        case nil: return times[""]?.start()
        case .some(nil): return nil
        case .some(let name?): return times[name]?.start()
        }
    }

    /// The values of a series that are there, each with its time; nil for what is no series of one dimension.
    func series(_ data: SampledData) -> [(value: JSONNumber, time: Date)]? {
        guard data.dimensions ?? 1 == 1, let period = data.period?.decimal, period > 0, let text = data.data else {
            return nil
        }
        let factor = data.factor?.decimal ?? 1
        let origin = data.origin?.value?.decimal ?? 0
        var values: [(value: JSONNumber, time: Date)] = []
        let first = start.start()
        for (index, token) in text.split(separator: " ", maxSplits: Self.mostValues).prefix(Self.mostValues)
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
