import FHIR
import FHIRSearch
import Storage

/// The time of the care that a record is about: the range of all times of its date parameters
/// (<https://hl7.org/fhir/R4/patient-operation-everything.html>: "care dates").
struct CareTime {
    private let type: String
    /// The codes of the parameters.
    private let parameters: [String]

    init(of type: String) {
        self.type = type
        parameters =
            ParameterPathTrie.of(type)?.parameters.filter { $0.kind == .date && !Self.isOther($0.code) }.map(\.code)
            ?? []
    }

    /// Whether a date parameter is not the time of care: the time of the last update, a date of a person, or a value.
    private static func isOther(_ code: String) -> Bool {
        ["_lastUpdated", "birthdate", "death-date", "value-date"].contains(code)
    }

    /// Returns a condition on a row `r` whose times overlap a period, or that has no times.
    ///
    /// - Parameters:
    ///   - low: the first millisecond.
    ///   - high: the first millisecond after the period.
    func overlaps(low: Int64, high: Int64) -> SQLFragment {
        guard !parameters.isEmpty else { return .always }
        func entry(_ condition: String, _ value: Int64? = nil) -> SQLFragment {
            SQLFragment(
                "EXISTS (SELECT 1 FROM record_time e WHERE e.number = r.number AND e.term IN (SELECT c.number"
                    + " FROM search_term c WHERE c.type = ? AND c.parameter IN ("
                    + repeatElement("?", count: parameters.count).joined(separator: ", ") + "))\(condition))",
                [SQLValue(type)] + parameters.map { SQLValue($0) } + (value.map { [SQLValue($0)] } ?? []))
        }
        return .joined(
            [
                "((r.date_low IS NULL AND NOT " + entry(""), SQLFragment(") OR ((r.date_low < ? OR ", [SQLValue(high)]),
                entry(" AND e.low < ?", high), SQLFragment(") AND (r.date_high > ? OR ", [SQLValue(low)]),
                entry(" AND e.high > ?", low) + ")))",
            ], by: "")
    }
}
