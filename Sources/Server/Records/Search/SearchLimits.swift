/// How long a search takes at most, and how many records it takes one by one before it goes through an index in the order
/// of the page.
struct SearchLimits: Sendable {
    /// So long may one request look for what it asks for (``SearchTime``). A listener gives the whole answer a minute.
    var time: Duration = .seconds(20)
    /// What finds more records than these does not find them: they are gone through in their order, where a page of them is
    /// full soon.
    var most = 2_000
    /// Where they are to be sorted all are needed, so of more one by one is the shorter way still.
    var mostSorted = 20_000
    /// So many records are gone through in the order of the page, each a further try, before all that are found are sorted.
    var windows = [500, 4_000, 16_000]

    static let standard = SearchLimits()
}
