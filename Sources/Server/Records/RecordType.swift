import FHIR

/// The types that the records hold: all resource types of R4 (<https://hl7.org/fhir/R4/resourcelist.html>).
enum RecordType {
    /// In the order of their names.
    static let all = TypeModel.r4.resourceTypes

    /// Whether the records hold resources of a type.
    static func isHeld(_ type: String) -> Bool { known.contains(type) }

    private static let known = Set(all)
}
