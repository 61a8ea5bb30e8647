import FHIR

/// The types of records: all resource types of R4 (<https://hl7.org/fhir/R4/resourcelist.html>).
enum RecordType {
    /// All types, ordered by name.
    static let all = TypeModel.r4.resourceTypes

    /// Whether a type is one of them.
    static func isHeld(_ type: String) -> Bool { known.contains(type) }

    private static let known = Set(all)
}
