/// Security labels of a record that restrict its access
/// (<https://hl7.org/fhir/R4/security-labels.html>).
package struct SecurityLabels: Sendable, Hashable {
    /// System of the confidentiality codes.
    package static let confidentialitySystem = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
    /// System of HL7's sensitivity codes.
    package static let sensitivitySystem = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
    /// System of the sensitivity code that HL7's system lacks: `SOC`, social services.
    package static let localSensitivitySystem = "urn:tributary:sensitivity"
    /// Identifiers of v3-ObservationValue: its URL in R4, its URL in STU3 and its OID. Its codes (`PSEUDED`,
    /// `REDACTED`, `ANONYED`, ...) describe how a record was made and how far it can be trusted. They restrict no
    /// access.
    package static let descriptiveSystems: Set<String> = [
        "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "http://hl7.org/fhir/v3/ObservationValue",
        "urn:oid:2.16.840.1.113883.5.1063",
    ]
    /// Marker among the sensitivities for a label that is not recognized. It is not a code, and no scope contains it.
    package static let unrecognized = "?"

    /// Highest of the confidentiality labels; `N` if there is none.
    package let confidentiality: Confidentiality
    /// Codes of the sensitivity labels, and ``unrecognized`` if there is any other label.
    package let sensitivities: Set<String>

    /// Labels of a record without `meta.security`.
    package static let none = SecurityLabels([])

    /// Reads the codings of `meta.security`, including those of contained resources.
    ///
    /// A code of v3-ObservationValue is skipped, because it only describes the record. A coding without a code, one
    /// with a code that its system does not contain or has retired, and one of any other system could have any meaning.
    /// Such a record is visible only with access to all sensitive records.
    package init(_ codings: some Sequence<(system: String?, code: String?)>) {
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

    /// Creates labels from their stored form.
    package init(confidentiality: Confidentiality, sensitivities: Set<String>) {
        self.confidentiality = confidentiality
        self.sensitivities = sensitivities
    }

    /// Returns the system of a sensitivity code that a scope can name.
    package static func system(ofSensitivity code: String) -> String {
        code == SensitivityCodes.socialServices ? localSensitivitySystem : sensitivitySystem
    }

    private static func isSensitivity(_ code: String, of system: String?) -> Bool {
        switch system {
        case sensitivitySystem: code != SensitivityCodes.socialServices && SensitivityCodes.r4.contains(code)
        case localSensitivitySystem: code == SensitivityCodes.socialServices
        default: false
        }
    }

    /// Whether these labels protect less than others: a lower confidentiality, or a missing sensitivity.
    package func areLower(than others: SecurityLabels) -> Bool {
        confidentiality < others.confidentiality || !others.sensitivities.isSubset(of: sensitivities)
    }
}
