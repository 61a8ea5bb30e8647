/// The comparison of an ordered value (<https://hl7.org/fhir/R4/search.html#prefix>).
package enum SearchPrefix: String, Sendable, CaseIterable {
    case eq, ne, gt, lt, ge, le, sa, eb, ap

    /// Splits a text into its prefix and the rest; the prefix is `eq` where there is none.
    package static func split(_ text: String) -> (prefix: SearchPrefix, rest: String) {
        guard let prefix = SearchPrefix(rawValue: String(text.prefix(2))) else { return (.eq, text) }
        return (prefix, String(text.dropFirst(2)))
    }
}
