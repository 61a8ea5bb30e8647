/// The columns that have when something was, as a half-open range of milliseconds, and how long it lasts at most: then the
/// index of its beginning finds it by its end as well.
struct SearchedTime {
    let low: String
    let high: String
    /// The longest that it lasts, in milliseconds; nil where it may be any.
    let duration: Int64?

    /// A day: what lasts longer is in an index of its own.
    static let longest: Int64 = 86_400_000

    /// What lasts a day at most, as nearly all resources do.
    static let day = SearchedTime(low: "d.date_low", high: "d.date_high", duration: longest)
    static let isDay = "d.date_high BETWEEN d.date_low AND d.date_low + \(longest)"

    /// What lasts longer, has no end, or ends before it begins.
    static let long = SearchedTime(low: "d.date_low", high: "d.date_high", duration: nil)
    static let isLong = "d.date_high NOT BETWEEN d.date_low AND d.date_low + \(longest)"

    /// When a resource was stored: one millisecond.
    static let update = SearchedTime(low: "r.updated_ms", high: "r.updated_ms + 1", duration: 1)
}
