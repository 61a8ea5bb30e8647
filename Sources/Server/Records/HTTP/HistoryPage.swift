/// Which page of a history is asked for.
struct HistoryPage: Sendable {
    let count: Int
    /// Only versions below this one.
    let before: Int64?

    /// - Throws: ``RecordsFailure`` for a value that cannot be read.
    init(_ parameters: [(name: String, value: String)]) throws {
        var count = SearchQuery.standardCount
        var before: Int64?
        for (name, value) in parameters {
            switch name {
            case "_count":
                count = try PageParameters.count(value)
            case "_cursor":
                guard let number = Cursor.number(value) else {
                    throw RecordsFailure.invalid("_cursor", "a page's own link")
                }
                before = number
            default: continue
            }
        }
        self.count = count
        self.before = before
    }
}
