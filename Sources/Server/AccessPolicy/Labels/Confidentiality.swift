/// Confidentiality of a record (<https://hl7.org/fhir/R4/v3/ConfidentialityClassification/vs.html>), in ascending
/// order.
package enum Confidentiality: Int, Sendable, CaseIterable, Comparable {
    case unrestricted, low, moderate, normal, restricted, veryRestricted

    /// Default of a record and of a grant.
    package static let assumed = Confidentiality.normal

    /// Code in v3-Confidentiality: `U`, `L`, `M`, `N`, `R`, `V`.
    package var code: String {
        switch self {
        case .unrestricted: "U"
        case .low: "L"
        case .moderate: "M"
        case .normal: "N"
        case .restricted: "R"
        case .veryRestricted: "V"
        }
    }

    /// Returns the level with a code; nil for any other code, including those that HL7 has retired.
    package init?(code: String) {
        guard let found = Confidentiality.allCases.first(where: { $0.code == code }) else { return nil }
        self = found
    }

    /// Whether the left one is less confidential.
    package static func < (left: Confidentiality, right: Confidentiality) -> Bool { left.rawValue < right.rawValue }
}
