import FHIR
import Storage
import Trust

/// Compiles criteria into conditions on the row `r` of a record.
///
/// What they say of other records they say of those alone that the filter shows and that are not deleted, so that nobody
/// learns of a hidden record by asking for those that refer to it.
///
/// It lives inside one transaction.
final class SearchCriterionCompiler {
    /// What may be seen at all.
    private let filter: RecordFilter
    private let transaction: any SQLTransaction
    private let terminology: StoredTerminology
    private let ownBases: [String]
    private var filters: [String: SQLFragment] = [:]
    /// What the statement selects first, of which the conditions speak.
    private(set) var selected: [SelectedRecords] = []
    /// How many more plans are made: each counts what its conditions find.
    private var plansLeft = 30

    /// - Parameter ownBases: the server's own base URLs, without a last slash.
    init(showing filter: RecordFilter, ownBases: [String], in transaction: any SQLTransaction) {
        self.filter = filter
        self.transaction = transaction
        self.ownBases = ownBases.map(SearchIndex.indexed)
        terminology = StoredTerminology(transaction: transaction, filter: filter)
    }

    /// The rows of records of a type that are shown and meet all criteria, and the plan by which they are found; nil where no more
    /// plans are made: then their numbers are looked up.
    ///
    /// - Parameters:
    ///   - most: so many are taken one by one (``SearchPlan``).
    ///   - after: the number behind which they are gone through in their order; nil where no order is asked for.
    /// - Throws: ``SearchConditionError``; ``StorageError``.
    func plannedRows(
        of type: String, meeting criteria: [SearchCriterion], most: Int = SearchLimits.standard.most,
        after: Int64? = nil
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
        let plan = try SearchPlan(predicates, type: type, most: most, after: after, in: transaction)
        return (own + plan.condition, plan)
    }

    /// The records of a type that are shown and meet a criterion, selected before what asks for them.
    private func select(_ type: String, meeting criterion: SearchCriterion) throws -> SelectedRecords {
        let rows = try plannedRows(of: type, meeting: [criterion]).rows
        let found = SelectedRecords(place: selected.count, rows)
        selected.append(found)
        return found
    }

    /// What the filter says of a type, whose terms are looked up once.
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
