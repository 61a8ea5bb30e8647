import Core

/// Query of a scope, after the `?`, which limits the scope to the records that this search finds
/// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#finer-grained-resource-constraints-using-search-parameters>).
///
/// Two queries are equal if they have the same parameters, regardless of order and encoding.
package struct ScopeQuery: Sendable, Hashable {
    /// A parameter of the search.
    package struct Parameter: Sendable, Hashable {
        /// Name with its modifier.
        package let name: String
        /// Decoded value.
        package let value: String
        /// Text as received.
        let text: String

        /// Whether two parameters are equal after decoding.
        package static func == (left: Parameter, right: Parameter) -> Bool {
            left.name == right.name && left.value == right.value
        }

        /// Hashes the decoded name and value.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    /// Parameters without duplicates, sorted by name and value. A record must meet all of them.
    package let parameters: [Parameter]

    /// Maximum number of parameters; a scope with more grants nothing.
    static let largestCount = 16

    private init(sorting parameters: some Sequence<Parameter>) {
        self.parameters = Set(parameters).sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }

    /// Parses the text after the `?`.
    ///
    /// Returns nil if the text is not supported: the scope then grants nothing. This includes a parameter without a
    /// value, because a search ignores it, and a parameter that changes the response but not the matches.
    init?(_ text: Substring) {
        var parameters: [Parameter] = []
        for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = PercentEncoding.decodeForm(parts[0]),
                let value = PercentEncoding.decodeForm(parts[1]), !name.isEmpty, !value.isEmpty,
                (name + value).unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
                !ScopeQuery.ofResults.contains(String(name.prefix { $0 != ":" }))
            else { return nil }
            parameters.append(Parameter(name: name, value: value, text: String(pair)))
        }
        guard parameters.count <= ScopeQuery.largestCount else { return nil }
        self.init(sorting: parameters)
    }

    /// Parameters that control the response (<https://hl7.org/fhir/R4/search.html#Summary>).
    private static let ofResults: Set<String> = [
        "_sort", "_count", "_include", "_revinclude", "_summary", "_total", "_elements", "_contained", "_containedType",
        "_score", "_format", "_pretty",
    ]

    /// Text after the `?`.
    package var text: String { parameters.map(\.text).joined(separator: "&") }

    /// Returns the conjunction of both queries.
    func and(_ other: ScopeQuery) -> ScopeQuery { ScopeQuery(sorting: parameters + other.parameters) }

    /// Whether every match of the other query also matches this one, judged by the parameters.
    func covers(_ other: ScopeQuery) -> Bool { Set(parameters).isSubset(of: other.parameters) }
}
