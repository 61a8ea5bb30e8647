/// The scopes of a request or a grant (RFC 6749, section 3.3): a list with spaces between them.
public struct AccessScopes: Sendable, Hashable {
    /// The scopes in the order in which they were written, each once.
    public let scopes: [AccessScope]
    /// The scopes that reach records.
    public let resources: [ResourceScope]

    /// A longer list, in bytes, is not read.
    public static let longestText = 32_768
    /// A list with more scopes is not read. All types of R4 for patient and user are 296.
    public static let largestCount = 512

    /// Reads a list. What is not known stays in it and grants nothing.
    public init(_ text: some StringProtocol) throws(ScopeError) {
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

    /// Scopes that are known and few.
    init(known scopes: [AccessScope]) {
        self.scopes = scopes
        resources = scopes.compactMap(\.resource)
    }

    /// The list as it is answered: every scope as it was asked for.
    public var text: String { scopes.map(\.text).joined(separator: " ") }

    /// Those that are not known.
    public var unrecognized: [AccessScope] { scopes.filter { $0.kind == .unrecognized } }

    /// Whether one of the kind is among them.
    public func contains(_ kind: AccessScope.Kind) -> Bool { scopes.contains { $0.kind == kind } }

    /// Whether they permit nothing at all, though they may say how far they would reach.
    public var permitNothing: Bool { scopes.allSatisfy { $0.isLabel || $0.kind == .unrecognized } }

    /// Up to which confidentiality they reach: the highest `conf/`, `N` without one.
    public var confidentiality: Confidentiality { statedConfidentiality ?? .assumed }

    /// The highest `conf/`; nil without one.
    var statedConfidentiality: Confidentiality? {
        scopes.compactMap { scope in
            if case .confidentiality(let level) = scope.kind { level } else { nil }
        }.max()
    }

    /// Which sensitive records they reach: what the `sens/` cover together, none without one.
    public var sensitivity: SensitivityAccess {
        if contains(.everySensitivity) { return .every }
        return .codes(
            scopes.reduce(into: []) { codes, scope in
                if case .sensitivity(let code) = scope.kind { codes.formUnion(SensitivityCodes.r4.covered(by: code)) }
            })
    }

    /// The queries that narrow what the scopes reach of a type with a permission: a record's facts must say which of them
    /// it meets (``RecordFacts/matchedQueries``).
    public func queries(of type: String, for permission: ScopePermissions) -> Set<ScopeQuery> {
        Set(resources(of: type, for: permission).compactMap(\.query))
    }

    /// The scopes that reach a type with a permission.
    func resources(of type: String, for permission: ScopePermissions) -> [ResourceScope] {
        resources.filter { $0.reaches(type: type) && $0.permissions.isSuperset(of: permission) }
    }
}
