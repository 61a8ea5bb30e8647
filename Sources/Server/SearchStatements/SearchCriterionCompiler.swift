import AccessPolicy
import FHIR
import FHIRSearch
import Storage

/// Compiles criteria into conditions on the row `r` of a record.
///
/// Conditions on other records include only records that the filter permits and that are not deleted. So a caller
/// cannot detect a hidden record by a search for the records that refer to it.
///
/// An instance is used inside one transaction.
final class SearchCriterionCompiler {
    /// The records that the caller may see.
    private let filter: RecordFilter
    private let transaction: any SQLTransaction
    private let terminology: StoredTerminology
    private let ownBases: [String]
    private var filters: [String: SQLFragment] = [:]
    /// The sets of records that the statement selects first, used by the conditions.
    private(set) var selected: [SelectedRecords] = []
    /// The number of plans that may still be made. Each counts what its conditions find.
    private var plansLeft = 30

    /// - Parameter ownBases: the server's own base URLs, without a final slash.
    init(showing filter: RecordFilter, ownBases: [String], in transaction: any SQLTransaction) {
        self.filter = filter
        self.transaction = transaction
        self.ownBases = ownBases.map(SearchIndex.indexed)
        terminology = StoredTerminology(transaction: transaction, filter: filter)
    }

    /// Returns a condition on the rows of a type's visible records that meet all criteria, and their plan. The plan is
    /// nil where no more plans may be made; then the records are looked up by number.
    ///
    /// - Parameters:
    ///   - maximumLookups: the number of records below which an index lookup is used (``SearchPlan``).
    ///   - after: the number after which the records are read in order; nil where no order is required.
    /// - Throws: ``SearchConditionError``; ``StorageError``.
    func plannedRows(
        of type: String, meeting criteria: [SearchCriterion],
        maximumLookups: Int = SearchLimits.standard.maximumLookups, after: Int64? = nil
    ) throws -> (rows: SQLFragment, plan: SearchPlan?) {
        var predicates = try criteria.map(predicate)
        if filter != .everything {
            predicates.append(.row(try shown(type)))
        }
        let own = SQLFragment("r.type = ? AND r.deleted = 0 AND ", [SQLValue(type)])
        guard plansLeft > 0 else {
            return (own + SearchPredicate.every(predicates).condition(type: type, isFinding: true), nil)
        }
        plansLeft -= 1
        let plan = try SearchPlan(predicates, type: type, maximumLookups: maximumLookups, after: after, in: transaction)
        return (own + plan.condition, plan)
    }

    /// Selects the visible records of a type that meet a criterion, for the conditions that use them.
    private func select(_ type: String, meeting criterion: SearchCriterion) throws -> SelectedRecords {
        let rows = try plannedRows(of: type, meeting: [criterion]).rows
        let found = SelectedRecords(index: selected.count, rows)
        selected.append(found)
        return found
    }

    /// Returns the filter's condition for a type. Its terms are looked up once.
    private func shown(_ type: String) throws -> SQLFragment {
        if let known = filters[type] { return known }
        let condition = try SQLFragment(showing: filter, type: type, in: transaction)
        filters[type] = condition
        return condition
    }

    private func predicate(_ criterion: SearchCriterion) throws -> SearchPredicate {
        switch criterion {
        case .condition(let condition):
            return try SearchPredicate(
                terminology.resolved(condition), terms: StoredTerms(transaction: transaction))
        case .any(let parts): return .some(try parts.map(predicate))
        case .chain(let chain):
            let references = try ReferringRecords(type: chain.type, parameter: chain.parameter, ownBases)
            return .some(
                try chain.targets.map { target in
                    let found = try select(target.type, meeting: target.criterion)
                    return .row(references.referring(to: target.type, in: found))
                })
        case .reverse(let reverse):
            let references = try ReferringRecords(type: reverse.source, parameter: reverse.parameter, ownBases)
            let found = try select(reverse.source, meeting: reverse.criterion)
            return .row(references.referred(reverse.type, from: found))
        }
    }
}
