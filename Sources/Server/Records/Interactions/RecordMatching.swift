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
