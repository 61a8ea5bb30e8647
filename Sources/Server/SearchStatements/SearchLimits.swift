/// The maximum time of a search, and the numbers of records that decide between index lookups and scans in the order of
/// the page.
package struct SearchLimits: Sendable {
    /// Maximum time that one request may search (``SearchDeadline``). A listener allows one minute for the whole
    /// response.
    package var time: Duration = .seconds(20)
    /// Maximum number of records that are looked up by the index of a condition. With more matches the records are
    /// scanned in their order, and a page is soon full.
    var maximumLookups = 2_000
    /// The same for sorted searches. These need all matches, so a lookup is faster than a scan up to a higher number.
    var maximumSortedLookups = 20_000
    /// The numbers of records that are scanned in the order of the page, in successive attempts, before all matches are
    /// sorted.
    var windows = [500, 4_000, 16_000]

    package static let standard = SearchLimits()
}
