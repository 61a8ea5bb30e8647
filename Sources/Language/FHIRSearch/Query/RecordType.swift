import FHIR

/// The types of records: all resource types of R4 (<https://hl7.org/fhir/R4/resourcelist.html>).
package enum RecordType {
    /// All types, ordered by name.
    package static let all = TypeModel.r4.resourceTypes

    /// Whether a type is one of them.
    package static func isHeld(_ type: String) -> Bool { known.contains(type) }

    private static let known = Set(all)
}
