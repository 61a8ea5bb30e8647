/// Scopes of a request or a grant (RFC 6749, section 3.3): a list separated by spaces.
package struct AccessScopes: Sendable, Hashable {
    /// Scopes in their original order, without duplicates.
    package let scopes: [AccessScope]
    /// Scopes that give access to records.
    package let resources: [ResourceScope]
    /// Types to which `*` gives no access. A scope that names such a type still does. The text of the list does not
    /// contain them.
    package private(set) var withheldTypes: Set<String> = []

    /// Maximum length of a list in bytes.
    package static let longestText = 32_768
    /// Maximum number of scopes. All types of R4 for patient and user are 296.
    package static let largestCount = 512

    /// Parses a list. Unknown scopes stay in it and grant nothing.
    package init(_ text: some StringProtocol) throws(ScopeError) {
        guard text.utf8.count <= AccessScopes.longestText else { throw .tooLong }
        try self.init(text.split(separator: " ").map { AccessScope($0) })
    }

    init(_ scopes: [AccessScope]) throws(ScopeError) {
        var seen: Set<String> = []
        let distinct = scopes.filter { seen.insert($0.text).inserted }
        guard distinct.count <= AccessScopes.largestCount else { throw .tooMany }
        guard distinct.reduce(-1, { $0 + $1.text.utf8.count + 1 }) <= AccessScopes.longestText else { throw .tooLong }
        self.init(known: distinct)
    }

    /// Creates a list from scopes that are within the limits.
    package init(known scopes: [AccessScope]) {
        self.scopes = scopes
        resources = scopes.compactMap(\.resource)
    }

    /// Returns the same scopes, of which `*` gives no access to some more types.
    package func withholding(_ types: Set<String>) -> AccessScopes {
        var scopes = self
        scopes.withheldTypes.formUnion(types)
        return scopes
    }

    /// Text of the list for the response, with the original text of every scope.
    package var text: String { scopes.map(\.text).joined(separator: " ") }

    /// Unknown scopes.
    package var unrecognized: [AccessScope] { scopes.filter { $0.kind == .unrecognized } }

    /// Whether the list contains a scope of this kind.
    package func contains(_ kind: AccessScope.Kind) -> Bool { scopes.contains { $0.kind == kind } }

    /// Whether the scopes permit nothing; labels alone only set limits.
    package var permitNothing: Bool { scopes.allSatisfy { $0.isLabel || $0.kind == .unrecognized } }

    /// Maximum confidentiality: the highest `conf/`, or `N` without one.
    package var confidentiality: Confidentiality { statedConfidentiality ?? .assumed }

    /// Highest `conf/`; nil without one.
    var statedConfidentiality: Confidentiality? {
        scopes.compactMap { scope in
            if case .confidentiality(let level) = scope.kind { level } else { nil }
        }.max()
    }

    /// Sensitive records that the `sens/` scopes together give access to; none without one.
    package var sensitivity: SensitivityAccess {
        if contains(.everySensitivity) { return .every }
        return .codes(
            scopes.reduce(into: []) { codes, scope in
                if case .sensitivity(let code) = scope.kind { codes.formUnion(SensitivityCodes.r4.covered(by: code)) }
            })
    }

    /// Returns the queries that limit the scopes for a type with a permission. A record's facts must contain the ones
    /// that it meets (``RecordFacts/matchedQueries``).
    package func queries(of type: String, for permission: ScopePermissions) -> Set<ScopeQuery> {
        Set(resources(of: type, for: permission).compactMap(\.query))
    }

    /// Returns the scopes for a type that include a permission.
    func resources(of type: String, for permission: ScopePermissions) -> [ResourceScope] {
        resources.filter { reaches($0, type: type) && $0.permissions.isSuperset(of: permission) }
    }

    /// Whether one of the scopes covers records of a type.
    func reaches(_ scope: ResourceScope, type: String) -> Bool {
        scope.reaches(type: type) && (scope.type != nil || !withheldTypes.contains(type))
    }
}
