import Foundation
import Storage

/// What a record is found by on this server, `Type/id` (<https://hl7.org/fhir/R4/references.html#literal>): its row has the
/// ``Storage/TextDigest`` of it, and the one index that keeps records apart is of those.
public enum RecordAddress {
    /// Holds of the row `r` of a record. Parameter: ``value(type:id:)``.
    public static let condition = "r.\(column) = ?"

    /// The column of `record`.
    public static let column = "address_digest"

    /// The digest of an address.
    public static func digest(type: String, id: String) -> Data { TextDigest.of("\(type)/\(id)") }

    /// The digest as a parameter.
    public static func value(type: String, id: String) -> SQLValue { .blob(digest(type: type, id: id)) }

    /// Holds of the rows `r` of records of a type with certain ids.
    static func isOne(of ids: [String], type: String) -> SQLFragment {
        isAmong(.list(ids.map { value(type: type, id: $0) }))
    }

    /// Holds of the rows `r` whose addresses are in a list, or selected: those rows are found first, whatever else is asked of
    /// them. Left to itself an engine goes through all records of the type, whose address it then looks at.
    static func isAmong(_ addresses: SQLFragment) -> SQLFragment {
        "r.number IN (SELECT a.number FROM record a WHERE a.\(column) IN " + addresses + ")"
    }

    /// What the column is compared with, of a type and an id that are expressions.
    public static func sql(type: String, id: String) -> String { "\(TextDigest.function)(\(type) || '/' || \(id))" }
}
