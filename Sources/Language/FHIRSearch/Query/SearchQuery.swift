import FHIR
import Foundation

/// A validated search. Pure.
package struct SearchQuery: Sendable {
    /// The scope of a search (<https://hl7.org/fhir/R4/search.html#context>).
    package enum Scope: Sendable, Hashable {
        case type(String)
        /// All types, or those that `_type` names.
        case system
        /// The compartment of one resource, with one type or all.
        case compartment(SearchCompartment, type: String?)
    }

    /// The accuracy of the total.
    package enum Total: String, Sendable {
        case none
        /// Both are counted exactly.
        case estimate, accurate
    }

    /// Maximum total that is counted without `_total`, so that the total costs no more than the page.
    package static let maximumDefaultTotal = 2_000

    /// The criteria on the records of one type; all must hold.
    package struct Part: Sendable {
        package let type: String
        package let criteria: [SearchCriterion]
    }

    package static let standardCount = 50
    package static let maximumCount = 500

    package let scope: Scope
    /// The searched types, ordered by name, with the criteria of each.
    package let parts: [Part]
    package let order: SearchOrder
    package let includes: [SearchInclude]
    package let count: Int
    package let isCountOnly: Bool
    /// nil where the search has no `_total`.
    package let total: Total?
    /// The part of each resource to return; nil for all of it.
    package let subset: ResourceSubset?
    /// The cursor of the previous page.
    package let after: PageCursor?
    /// The applied parameters, for the self link.
    package let used: [(name: String, value: String)]
    /// Whether the search has no criteria, so that all records of a type match.
    package let isOfAll: Bool
    /// The unknown parameters that were ignored, without duplicates.
    package let ignored: [String]

    /// - Parameters:
    ///   - strict: whether an unknown parameter is an error (`Prefer: handling=strict`).
    ///   - ownBases: this server's own base URLs, without a final slash.
    /// - Throws: ``SearchConditionError``; `compartment-unknown` for a compartment without the type.
    package init(
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

    /// Creates a search of one type.
    package init(
        type: String, parameters: [(name: String, value: String)], strict: Bool, now: Date, ownBases: [String] = []
    ) throws {
        try self.init(.type(type), parameters: parameters, strict: strict, now: now, ownBases: ownBases)
    }
}

extension SearchQuery {
    /// The conditions on the records' own parameters.
    package var conditions: [SearchCondition] {
        parts.flatMap(\.criteria).compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
    }
}
