import FHIR
import Foundation

/// A search as it was asked for, checked. Pure.
struct SearchQuery: Sendable {
    /// Where is searched (<https://hl7.org/fhir/R4/search.html#context>).
    enum Scope: Sendable, Hashable {
        case type(String)
        /// All types, or those that `_type` names.
        case system
        /// What belongs to one resource, of one type or of all.
        case compartment(SearchCompartment, type: String?)
    }

    /// How exactly the number of all records is told.
    enum Total: String, Sendable {
        case none
        /// What is counted is counted exactly.
        case estimate, accurate
    }

    /// What is found by more records than these is counted where it is asked for: a page costs no more than its records.
    static let mostUnaskedTotal = 2_000

    /// What is asked of the records of one type, all of it.
    struct Part: Sendable {
        let type: String
        let criteria: [SearchCriterion]
    }

    static let standardCount = 50
    static let maximumCount = 500

    let scope: Scope
    /// The types that are searched, in the order of their names, and what is asked of each.
    let parts: [Part]
    let order: SearchOrder
    let includes: [SearchInclude]
    let count: Int
    let isCountOnly: Bool
    /// nil where nothing is said of it.
    let total: Total?
    /// What of each resource is shown; nil for all of it.
    let subset: ResourceSubset?
    /// Where the page before ended.
    let after: SearchPlace?
    /// The parameters that were used, for the self link.
    let used: [(name: String, value: String)]
    /// Whether nothing was asked of the records, so that all of a type are found.
    let isOfAll: Bool
    /// The parameters that are not known and were ignored, each once.
    let ignored: [String]

    /// - Parameters:
    ///   - strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    ///   - ownBases: this server's own base URLs, without a last slash.
    /// - Throws: ``SearchConditionError``; ``RecordsFailure`` for a compartment without the type.
    init(
        _ scope: Scope, parameters: [(name: String, value: String)], strict: Bool, now: Date, ownBases: [String] = []
    ) throws {
        var reading = SearchQueryReader(
            scope, context: SearchCondition.Context(now: now, ownBases: ownBases), isStrict: strict)
        try reading.read(parameters)
        self.scope = scope
        (parts, order, includes) = (reading.parts, reading.order, reading.includes)
        (count, total, subset, used) = (reading.count, reading.total, reading.subset, reading.used)
        isCountOnly = reading.isCountOnly || reading.count == 0
        (isOfAll, ignored) = (reading.isOfAll, reading.ignored)
        after = try reading.after
        guard subset != .text || includes.isEmpty else { throw SearchConditionError.textWithIncludes }
    }

    /// A search of one type.
    init(
        type: String, parameters: [(name: String, value: String)], strict: Bool, now: Date, ownBases: [String] = []
    ) throws {
        try self.init(.type(type), parameters: parameters, strict: strict, now: now, ownBases: ownBases)
    }
}

extension SearchQuery {
    /// What is asked of the records' own parameters.
    var conditions: [SearchCondition] {
        parts.flatMap(\.criteria).compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
    }
}
