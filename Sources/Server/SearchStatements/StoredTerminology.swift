import AccessPolicy
import FHIR
import FHIRSearch
import FHIRValidation
import RecordStorage
import Storage

/// The built-in terminology (value sets of R4's own bindings), and that of stored ValueSets and CodeSystems that
/// enumerate their codes and that the filter permits.
struct StoredTerminology {
    let transaction: any SQLTransaction
    /// The records that the caller may see.
    let filter: RecordFilter

    /// Maximum number of codes that replace a value set or a code.
    static let maximumCodes = 1_000
    /// Maximum depth of value sets that include others.
    private static let deepest = 5

    /// Returns the condition with a value set, or a code with its hierarchy, replaced by codes.
    ///
    /// - Throws: ``SearchConditionError`` where the server does not know the value set or the hierarchy.
    func resolved(_ condition: SearchCondition) throws -> SearchCondition {
        switch (condition.modifier, condition.parameter.kind) {
        case (.in, _), (.notIn, _):
            var codes: [SearchComparand.Codes] = []
            for case .valueSet(let url) in condition.alternatives {
                codes += try valueSet(url, condition.parameter.code, depth: 0)
            }
            guard codes.reduce(0, { $0 + $1.codes.count }) <= Self.maximumCodes else {
                throw SearchConditionError.tooMany(condition.parameter.code, Self.maximumCodes)
            }
            return condition.asking(codes.map { .codes($0) }, condition.modifier == .notIn ? .not : nil)
        case (.above, .token), (.below, .token): return try withHierarchy(condition)
        case (.above, .reference), (.below, .reference):
            // The hierarchy of resources is not known; that of versions of definitions is.
            let isAboutVersions = condition.alternatives.allSatisfy {
                if case .reference(let reference) = $0 { reference.version != nil } else { false }
            }
            guard condition.modifier == .below, isAboutVersions else {
                throw SearchConditionError.terminologyUnknown(
                    condition.parameter.code, "above and below are supported only for versions of definitions.")
            }
            return condition
        default: return condition
        }
    }

    // MARK: Value sets

    private func valueSet(_ url: String, _ parameter: String, depth: Int) throws -> [SearchComparand.Codes] {
        guard depth < Self.deepest else { throw unknown(parameter) }
        if let codes = BuiltInTerminology.r4.codes(of: url) {
            return codes.map { SearchComparand.Codes(system: $0.system, codes: $0.codes) }
        }
        guard let resource = try definition("ValueSet", url) else { throw unknown(parameter) }
        let set = ValueSet(resource.object)
        guard let compose = set["compose"]?.object else { throw unknown(parameter) }
        // Exclusions and filters do not enumerate codes.
        guard compose["exclude"] == nil else { throw unknown(parameter) }
        var codes: [SearchComparand.Codes] = []
        for include in compose["include"]?.array ?? [] {
            guard include["filter"] == nil else { throw unknown(parameter) }
            let named = (include["valueSet"]?.array ?? []).compactMap(\.string)
            let system = include["system"]?.string
            // Where both are present, the codes that are in both are meant.
            guard named.isEmpty || system == nil && named.count == 1 else { throw unknown(parameter) }
            for other in named { codes += try valueSet(other, parameter, depth: depth + 1) }
            guard let system else { continue }
            if let concepts = include["concept"]?.array {
                codes.append(SearchComparand.Codes(system: system, codes: concepts.compactMap { $0["code"]?.string }))
            } else {
                guard let tree = try codeSystem(system) else { throw unknown(parameter) }
                codes.append(SearchComparand.Codes(system: system, codes: tree.codes))
            }
        }
        return codes
    }

    private func unknown(_ parameter: String) -> SearchConditionError {
        .terminologyUnknown(
            parameter, "this value set is unknown, or does not enumerate its codes; search for the codes themselves.")
    }

    // MARK: Code systems

    private func withHierarchy(_ condition: SearchCondition) throws -> SearchCondition {
        var alternatives: [SearchComparand] = []
        for alternative in condition.alternatives {
            guard case .token(let token) = alternative else { continue }
            if condition.modifier == .below, token.code?.utf8.contains(UInt8(ascii: "/")) == true {
                // A media type, with or without parameters.
                alternatives.append(alternative)
                continue
            }
            guard case .named(let system) = token.system, let code = token.code, let tree = try codeSystem(system),
                let codes = condition.modifier == .below ? tree.below(code) : tree.above(code)
            else {
                throw SearchConditionError.terminologyUnknown(
                    condition.parameter.code,
                    "above and below are supported for system|code where the stored CodeSystem contains the code.")
            }
            guard codes.count <= Self.maximumCodes else {
                throw SearchConditionError.tooMany(condition.parameter.code, Self.maximumCodes)
            }
            alternatives.append(.codes(SearchComparand.Codes(system: system, codes: codes)))
        }
        return condition.asking(alternatives, condition.modifier)
    }

    private func codeSystem(_ url: String) throws -> CodeTree? {
        guard let resource = try definition("CodeSystem", url) else { return nil }
        // A fragment or a system without codes does not define the codes that it lacks.
        guard resource["content"]?.string == "complete" else { return nil }
        return CodeTree(resource["concept"]?.array ?? [])
    }

    /// Returns the newest visible definition with a canonical URL.
    private func definition(_ type: String, _ url: String) throws -> Resource? {
        guard let statement = try Self.statement(type, url, showing: filter, in: transaction),
            let row = try transaction.first(statement.sql, statement.parameters)
        else { return nil }
        return try RecordStore.record(row, in: transaction).resource()
    }

    static func statement(
        _ type: String, _ url: String, showing filter: RecordFilter, in transaction: any SQLTransaction
    ) throws -> SQLFragment? {
        guard let parameter = ReferringRecords.url(of: type) else { return nil }
        return try IncludedRecords.statement(
            type: type,
            SQLFragment(
                "r.number IN (SELECT e.number FROM search_term c JOIN record_term e ON e.term = c.number"
                    + " WHERE c.type = ? AND c.parameter = ? AND c.code = ?)",
                [SQLValue(type), SQLValue(parameter), SQLValue(SearchIndex.indexed(url))]),
            showing: filter, limit: 1, newestFirst: true, in: transaction)
    }
}

/// The codes of a code system, each with its parent or with none.
struct CodeTree {
    private var parents: [String: String?] = [:]
    private(set) var codes: [String] = []

    /// - Parameter concepts: the concepts of a CodeSystem, with nested concepts.
    init(_ concepts: [JSON]) { add(concepts, below: nil) }

    private mutating func add(_ concepts: [JSON], below parent: String?) {
        for concept in concepts {
            guard let code = concept["code"]?.string else { continue }
            if parents[code] == nil {
                parents[code] = .some(parent)
                codes.append(code)
            }
            add(concept["concept"]?.array ?? [], below: code)
        }
    }

    /// Returns the code and its descendants; nil for an unknown code.
    func below(_ code: String) -> [String]? {
        guard parents[code] != nil else { return nil }
        return codes.filter { above($0)?.contains(code) ?? false }
    }

    /// Returns the code and its ancestors; nil for an unknown code.
    func above(_ code: String) -> [String]? {
        guard parents[code] != nil else { return nil }
        var found = [code]
        while let last = found.last, let parent = parents[last] ?? nil, !found.contains(parent) { found.append(parent) }
        return found
    }
}
