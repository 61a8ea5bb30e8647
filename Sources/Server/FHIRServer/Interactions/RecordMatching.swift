import AccessPolicy
import FHIRHTTP
import FHIRSearch
import Foundation
import SearchStatements
import Storage

/// Finds the resources that match the criteria of a conditional interaction
/// (<https://hl7.org/fhir/R4/http.html#cond-update>).
protocol RecordMatching: Sendable {
    /// Returns the ids of matching resources that a filter permits.
    ///
    /// - Parameter limit: the maximum number of ids.
    /// - Throws: ``RecordsFailure`` where a parameter is unknown or empty: without it, other resources would match.
    func ids(
        ofType type: String, _ criteria: WriteRequest.Criteria, showing filter: RecordFilter, limit: Int, now: Date,
        in transaction: any SQLTransaction
    ) throws -> [String]
}

/// The criteria of a conditional interaction, parsed without the store.
struct CriteriaReading: Sendable {
    /// The types of the records on which the result depends.
    let types: Set<String>
    /// The conditions on the record's own parameters.
    let conditions: [SearchCondition]
    /// Whether these are all criteria, so that a resource can be compared in memory.
    let isComplete: Bool

    /// - Throws: ``RecordsFailure`` or ``SearchConditionError`` for an unknown parameter.
    init(ofType type: String, _ criteria: WriteRequest.Criteria, ownBases: [String], now: Date) throws {
        let query = try SearchQuery(type: type, parameters: criteria, strict: true, now: now, ownBases: ownBases)
        let all = query.parts.flatMap(\.criteria)
        types = all.reduce(into: [type]) { $1.addTypes(to: &$0) }
        let conditions = query.conditions
        self.conditions = conditions.filter { !$0.needsTerminology }
        isComplete = self.conditions.count == all.count
    }

    /// Whether a resource meets the criteria; nil where it meets the conditions, but other criteria depend on the
    /// store.
    func matches(_ values: SearchValues) -> Bool? {
        guard conditions.allSatisfy({ $0.matches(values) }) else { return false }
        return isComplete ? true : nil
    }
}

extension SearchCriterion {
    /// Adds the types of the records on which the criterion depends.
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

/// Finds the resources by a search of their type.
struct SearchMatching: RecordMatching {
    /// The server's own base URLs, without a final slash.
    var ownBases: [String] = []

    func ids(
        ofType type: String, _ criteria: WriteRequest.Criteria, showing filter: RecordFilter, limit: Int, now: Date,
        in transaction: any SQLTransaction
    ) throws -> [String] {
        // An empty criterion would be skipped, and other resources would match.
        guard criteria.allSatisfy({ !$0.value.allSatisfy { $0 == "," } }) else { throw RecordsFailure.criteriaMissing }
        let query = try SearchQuery(type: type, parameters: criteria, strict: true, now: now, ownBases: ownBases)
        guard !query.isOfAll else { throw RecordsFailure.criteriaMissing }
        let statement = try SearchStatement(query, showing: filter, ownBases: ownBases, in: transaction)
        return try statement.ids(limit: limit).flatMap { found in
            try transaction.query(found.sql, found.parameters).map { try $0.text("id") }
        }
    }
}
