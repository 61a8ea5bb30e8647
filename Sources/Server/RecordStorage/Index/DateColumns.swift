/// The columns of a time, as a half-open range of milliseconds, and its maximum duration. With a maximum duration the
/// index of the start also finds a time by its end.
package struct DateColumns {
    package let low: String
    package let high: String
    /// The maximum duration in milliseconds; nil where there is none.
    package let duration: Int64?

    /// Creates the value from its parts.
    package init(low: String, high: String, duration: Int64?) {
        self.low = low
        self.high = high
        self.duration = duration
    }

    /// One day. Longer times are in an index of their own.
    package static let longest: Int64 = 86_400_000

    /// Times of up to a day, as nearly all resources have.
    package static let day = DateColumns(low: "d.date_low", high: "d.date_high", duration: longest)
    package static let isDay = "d.date_high BETWEEN d.date_low AND d.date_low + \(longest)"

    /// Times that are longer, have no end, or end before they start.
    package static let long = DateColumns(low: "d.date_low", high: "d.date_high", duration: nil)
    package static let isLong = "d.date_high NOT BETWEEN d.date_low AND d.date_low + \(longest)"

    /// The time of a resource's storage: one millisecond.
    package static let update = DateColumns(low: "r.updated_ms", high: "r.updated_ms + 1", duration: 1)
}
