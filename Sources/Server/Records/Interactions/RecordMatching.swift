import Foundation
import Storage
import Trust

/// Tells which resources a search finds that names one of them: what a conditional interaction speaks of
/// (<https://hl7.org/fhir/R4/http.html#cond-update>).
protocol RecordMatching: Sendable {
    /// The ids of resources that are found, of what a filter shows.
    ///
    /// - Parameter limit: how many at most.
    /// - Throws: ``RecordsFailure`` where a parameter is not known or says nothing: what is passed over would find others.
    func ids(
        ofType type: String, _ criteria: WriteRequest.Criteria, showing filter: RecordFilter, limit: Int, now: Date,
        in transaction: any SQLTransaction
    ) throws -> [String]
}

/// What the criteria of a conditional interaction ask for, apart from what is stored.
struct CriteriaReading: Sendable {
    /// The types of the records that decide what is found.
    let types: Set<String>
    /// What is asked of the record's own parameters.
    let conditions: [SearchCondition]
    /// Whether that is all that is asked, so that a resource can be compared with it in memory.
    let isComplete: Bool

    /// - Throws: ``RecordsFailure`` or ``SearchConditionError`` for a parameter that is not known.
    init(ofType type: String, _ criteria: WriteRequest.Criteria, ownBases: [String], now: Date) throws {
        let query = try SearchQuery(type: type, parameters: criteria, strict: true, now: now, ownBases: ownBases)
        let all = query.parts.flatMap(\.criteria)
        types = all.reduce(into: [type]) { $1.addTypes(to: &$0) }
        let conditions = query.conditions
        self.conditions = conditions.filter { !$0.needsTerminology }
        isComplete = self.conditions.count == all.count
    }

    /// Whether a resource is as the conditions ask; nil where they are, and more is asked that a resource alone does not show.
    func matches(_ values: SearchValues) -> Bool? {
        guard conditions.allSatisfy({ $0.matches(values) }) else { return false }
        return isComplete ? true : nil
    }
}

extension SearchCriterion {
    /// Adds the types of the records that the criterion goes through.
    fileprivate func addTypes(to types: inout Set<String>) {
        switch self {
        case .condition(let condition):
            types.insert(condition.type)
            if condition.needsTerminology { types.formUnion(["ValueSet", "CodeSystem"]) }
        case .chain(let chain):
            types.insert(chain.type)
            for target in chain.targets {
                types.insert(target.type)
                target.criterion.addTypes(to: &types)
            }
        case .reverse(let reverse):
            types.formUnion([reverse.type, reverse.source])
            reverse.criterion.addTypes(to: &types)
        case .any(let criteria): for criterion in criteria { criterion.addTypes(to: &types) }
        }
    }
}

/// Finds them by the search of a type.
struct SearchMatching: RecordMatching {
    /// The server's own base URLs, without a last slash.
    var ownBases: [String] = []

    func ids(
        ofType type: String, _ criteria: WriteRequest.Criteria, showing filter: RecordFilter, limit: Int, now: Date,
        in transaction: any SQLTransaction
    ) throws -> [String] {
        // What says nothing would be passed over, and others be found.
        guard criteria.allSatisfy({ !$0.value.allSatisfy { $0 == "," } }) else { throw RecordsFailure.criteriaMissing }
        let query = try SearchQuery(type: type, parameters: criteria, strict: true, now: now, ownBases: ownBases)
        guard !query.isOfAll else { throw RecordsFailure.criteriaMissing }
        let statement = try SearchStatement(query, showing: filter, ownBases: ownBases, in: transaction)
        return try statement.ids(limit: limit).flatMap { found in
            try transaction.query(found.sql, found.parameters).map { try $0.text("id") }
        }
    }
}
