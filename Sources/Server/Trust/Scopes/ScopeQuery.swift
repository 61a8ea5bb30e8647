import Core

/// The search behind the `?` of a scope, which narrows it to the records that the search finds
/// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#finer-grained-resource-constraints-using-search-parameters>).
///
/// Two queries are the same where they have the same parameters, whatever their order and encoding.
public struct ScopeQuery: Sendable, Hashable {
    /// A parameter of the search.
    public struct Parameter: Sendable, Hashable {
        /// The name, with its modifier.
        public let name: String
        /// The value, decoded.
        public let value: String
        /// As it was written.
        let text: String

        /// Whether two say the same, however they are written.
        public static func == (left: Parameter, right: Parameter) -> Bool {
            left.name == right.name && left.value == right.value
        }

        /// Hashes what the parameter says.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    /// The parameters, each once, in the order of their names and values. A record must meet all of them.
    public let parameters: [Parameter]

    /// A scope with more parameters grants nothing.
    static let largestCount = 16

    private init(sorting parameters: some Sequence<Parameter>) {
        self.parameters = Set(parameters).sorted { ($0.name, $0.value) < ($1.name, $1.value) }
    }

    /// Reads what stands behind the `?`.
    ///
    /// It is nil where that is not understood: the scope then grants nothing. A parameter without a value counts as not
    /// understood, since a search passes over it, and so does one that changes the answer and not what is found.
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

    /// Parameters that say how the answer looks (<https://hl7.org/fhir/R4/search.html#Summary>).
    private static let ofResults: Set<String> = [
        "_sort", "_count", "_include", "_revinclude", "_summary", "_total", "_elements", "_contained", "_containedType",
        "_score", "_format", "_pretty",
    ]

    /// As it stands behind the `?`.
    public var text: String { parameters.map(\.text).joined(separator: "&") }

    /// What meets both.
    func and(_ other: ScopeQuery) -> ScopeQuery { ScopeQuery(sorting: parameters + other.parameters) }

    /// Whether what meets the other one meets this one too, as the parameters tell it.
    func covers(_ other: ScopeQuery) -> Bool { Set(parameters).isSubset(of: other.parameters) }
}
