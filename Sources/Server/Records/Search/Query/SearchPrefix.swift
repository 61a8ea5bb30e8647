/// How an ordered value compares (<https://hl7.org/fhir/R4/search.html#prefix>).
enum SearchPrefix: String, Sendable, CaseIterable {
    case eq, ne, gt, lt, ge, le, sa, eb, ap

    /// The prefix of a text and what stands behind it; `eq` where there is none.
    static func split(_ text: String) -> (prefix: SearchPrefix, rest: String) {
        guard let prefix = SearchPrefix(rawValue: String(text.prefix(2))) else { return (.eq, text) }
        return (prefix, String(text.dropFirst(2)))
    }
}
