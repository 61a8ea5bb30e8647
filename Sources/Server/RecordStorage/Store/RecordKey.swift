import Foundation
import Storage

/// The key of a record on this server, `Type/id` (<https://hl7.org/fhir/R4/references.html#literal>). The record's row
/// contains its ``Storage/TextDigest``, and the only unique index of records is on these digests.
package enum RecordKey {
    /// Condition on the row `r` of a record. Parameter: ``value(type:id:)``.
    package static let condition = "r.\(column) = ?"

    /// The column of `record`.
    package static let column = "address_digest"

    /// Returns the digest of a key.
    package static func digest(type: String, id: String) -> Data { TextDigest.of("\(type)/\(id)") }

    /// Returns the digest as a parameter.
    package static func value(type: String, id: String) -> SQLValue { .blob(digest(type: type, id: id)) }

    /// Returns a condition on the rows `r` of the records of a type with certain ids.
    package static func isOne(of ids: [String], type: String) -> SQLFragment {
        isAmong(.list(ids.map { value(type: type, id: $0) }))
    }

    /// Returns a condition on the rows `r` whose keys are in a list or a subquery. The engine looks these rows up
    /// first, whatever the other conditions are. Without the subquery it may scan all records of the type and compare
    /// their keys.
    package static func isAmong(_ digests: SQLFragment) -> SQLFragment {
        "r.number IN (SELECT a.number FROM record a WHERE a.\(column) IN " + digests + ")"
    }

    /// Returns the SQL of a key's digest, from SQL expressions for the type and the id.
    package static func sql(type: String, id: String) -> String { "\(TextDigest.function)(\(type) || '/' || \(id))" }
}
