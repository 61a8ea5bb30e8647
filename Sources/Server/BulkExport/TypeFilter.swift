import AccessPolicy
import Core
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import SearchStatements
import Storage

/// A search that restricts the exported resources of a type: `Observation?category=laboratory`.
struct TypeFilter: Sendable {
    let type: String
    let condition: SQLFragment

    /// - Parameters:
    ///   - filter: the records that the caller may see, including the targets of references in the search.
    ///   - ownBases: the server's own base URLs, without a final slash.
    /// - Throws: ``RecordsFailure`` where the text is not a search of a type.
    init(
        _ text: String, showing filter: RecordFilter, ownBases: [String], now: Date, in transaction: any SQLTransaction
    ) throws {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, RecordType.isHeld(String(parts[0])), let fields = PercentEncoding.fields(parts[1]),
            !fields.isEmpty
        else { throw RecordsFailure.invalid("_typeFilter", "a search such as Observation?code=8867-4") }
        type = String(parts[0])
        let query = try SearchQuery(type: type, parameters: fields, strict: true, now: now, ownBases: ownBases)
        let statement = try SearchStatement(query, showing: filter, ownBases: ownBases, in: transaction)
        let rows = statement.rows(of: type)
        condition = rows
    }
}
