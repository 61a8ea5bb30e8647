/// How confidential a record is (<https://hl7.org/fhir/R4/v3/ConfidentialityClassification/vs.html>), lowest first.
public enum Confidentiality: Int, Sendable, CaseIterable, Comparable {
    case unrestricted, low, moderate, normal, restricted, veryRestricted

    /// What counts where nothing is said: of a record and of a grant.
    public static let assumed = Confidentiality.normal

    /// The code in v3-Confidentiality: `U`, `L`, `M`, `N`, `R`, `V`.
    public var code: String {
        switch self {
        case .unrestricted: "U"
        case .low: "L"
        case .moderate: "M"
        case .normal: "N"
        case .restricted: "R"
        case .veryRestricted: "V"
        }
    }

    /// The one with a code; nil for every other code, those that HL7 has retired included.
    public init?(code: String) {
        guard let found = Confidentiality.allCases.first(where: { $0.code == code }) else { return nil }
        self = found
    }

    /// Whether a record with the left one is less confidential.
    public static func < (left: Confidentiality, right: Confidentiality) -> Bool { left.rawValue < right.rawValue }
}
