import FHIR
import FHIRSearch

/// The values in which Observations of one template differ. Where one Observation is validated, the others need no
/// validation (<https://hl7.org/fhir/R4/observation.html>).
package struct ObservationValues: Sendable, Hashable {
    /// The time of the measurement.
    package enum Time: Sendable, Hashable {
        /// The `effectiveDateTime`.
        case moment(DateTime)
        /// The start and the end of the `effectivePeriod`.
        case period(DateTime, DateTime)
    }

    /// The resource's id.
    package let id: String
    /// The values of its identifiers, in their order.
    package let identifiers: [String]
    package let time: Time
    /// The number of its `valueQuantity`; nil where it has none.
    package let number: JSONNumber?

    package init(id: String, identifiers: [String], time: Time, number: JSONNumber?) {
        self.id = id
        self.identifiers = identifiers
        self.time = time
        self.number = number
    }

    /// The range of its time in searches; nil for a period that ends before it starts.
    package var searchPeriod: SearchPeriod? {
        let period: SearchPeriod? =
            switch time {
            case .moment(let moment): SearchPeriod(moment)
            case .period(let start, let end): SearchPeriod(start: start, end: end)
            }
        return period.flatMap { $0.low < $0.high ? $0 : nil }
    }
}
