import FHIR

/// A value of a date parameter: a half-open range of milliseconds since 1970
/// (<https://hl7.org/fhir/R4/search.html#date>).
package struct SearchPeriod: Sendable, Hashable {
    /// `Int64.min` where there is no start.
    package let low: Int64
    /// `Int64.max` where there is no end.
    package let high: Int64

    package init(low: Int64, high: Int64) {
        self.low = low
        self.high = high
    }

    /// Creates the range that a date covers by its precision; days begin in UTC.
    package init(_ date: DateTime) {
        self.init(low: Milliseconds.of(date.start()), high: Milliseconds.of(date.end()))
    }

    /// Creates the range of a Period; nil where it has neither start nor end.
    package init?(start: DateTime?, end: DateTime?) {
        guard start != nil || end != nil else { return nil }
        self.init(
            low: start.map { Milliseconds.of($0.start()) } ?? .min, high: end.map { Milliseconds.of($0.end()) } ?? .max)
    }

    /// Returns the smallest range that contains both.
    package func union(_ other: SearchPeriod) -> SearchPeriod {
        SearchPeriod(low: min(low, other.low), high: max(high, other.high))
    }
}
