/// The security labels of a record, as far as they decide who sees it
/// (<https://hl7.org/fhir/R4/security-labels.html>).
public struct SecurityLabels: Sendable, Hashable {
    /// The system of the confidentiality codes.
    public static let confidentialitySystem = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
    /// The system of HL7's sensitivity codes.
    public static let sensitivitySystem = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
    /// The system of the sensitivity codes that HL7's lacks: `SOC`, social services.
    public static let localSensitivitySystem = "urn:tributary:sensitivity"
    /// The identifiers of v3-ObservationValue: its URL in R4, its URL in STU3 and its OID. Its codes (`PSEUDED`, `REDACTED`,
    /// `ANONYED`, ...) describe how a record was made and how far it can be trusted. They restrict no access.
    public static let descriptiveSystems: Set<String> = [
        "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "http://hl7.org/fhir/v3/ObservationValue",
        "urn:oid:2.16.840.1.113883.5.1063",
    ]
    /// What stands among the sensitivities for a label that is not understood. It is no code, and no scope names it.
    public static let unrecognized = "?"

    /// The highest of the confidentiality labels; `N` where there is none.
    public let confidentiality: Confidentiality
    /// The codes of the sensitivity labels, and ``unrecognized`` where there is any other label.
    public let sensitivities: Set<String>

    /// What a record without labels has.
    public static let none = SecurityLabels([])

    /// Reads the codings of `meta.security`, those of contained resources included.
    ///
    /// A code of v3-ObservationValue is left out: it describes the record. A coding without a code, one whose code its system does not have or has retired, and one of any other system might
    /// mean anything, and shows the record to those alone who may see everything sensitive.
    public init(_ codings: some Sequence<(system: String?, code: String?)>) {
        var highest: Confidentiality?
        var sensitivities: Set<String> = []
        for (system, code) in codings {
            if code?.isEmpty == false, system.map(SecurityLabels.descriptiveSystems.contains) == true { continue }
            if system == SecurityLabels.confidentialitySystem, let found = code.flatMap(Confidentiality.init(code:)) {
                highest = max(highest ?? found, found)
            } else if let code, SecurityLabels.isSensitivity(code, of: system) {
                sensitivities.insert(code)
            } else {
                sensitivities.insert(SecurityLabels.unrecognized)
            }
        }
        self.init(confidentiality: highest ?? .assumed, sensitivities: sensitivities)
    }

    /// The labels as they were stored.
    public init(confidentiality: Confidentiality, sensitivities: Set<String>) {
        self.confidentiality = confidentiality
        self.sensitivities = sensitivities
    }

    private static func isSensitivity(_ code: String, of system: String?) -> Bool {
        switch system {
        case sensitivitySystem: code != SensitivityCodes.socialServices && SensitivityCodes.r4.contains(code)
        case localSensitivitySystem: code == SensitivityCodes.socialServices
        default: false
        }
    }

    /// Whether these labels protect less than others do: a lower confidentiality, or one of the sensitivities is gone.
    public func areLower(than others: SecurityLabels) -> Bool {
        confidentiality < others.confidentiality || !others.sensitivities.isSubset(of: sensitivities)
    }
}
