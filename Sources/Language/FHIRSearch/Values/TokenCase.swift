import FHIR

/// The case sensitivity of codes: "when in doubt, servers SHOULD treat tokens in a case-insensitive manner"
/// (<https://hl7.org/fhir/R4/search.html#token>).
///
/// A code is compared with its case where its system is known to be case-sensitive: the code systems of HL7, UCUM and a
/// few others that R4 defines. The values of identifiers and contact points, and codes of all other systems or of none,
/// are compared without case.
package enum TokenCase {
    /// Whether codes of a system are compared with their case.
    package static func isSensitive(_ system: String?) -> Bool {
        guard let system, !system.hasPrefix(othersBegin) else { return false }
        return sensitiveSystems.contains(system) || sensitiveBegins.contains { system.hasPrefix($0) }
    }

    /// Returns a code in the form that is compared without case.
    package static func folded(_ code: String) -> String { code.lowercased() }

    /// The prefixes of HL7's own code systems, for which R4 defines `caseSensitive`.
    private static let sensitiveBegins = ["http://hl7.org/fhir/", "http://terminology.hl7.org/CodeSystem/"]

    /// The prefix of the names that HL7 gave to systems of other organizations, such as ICD-10, whose codes it does not
    /// define (<https://hl7.org/fhir/R4/terminologies-systems.html>).
    private static let othersBegin = "http://hl7.org/fhir/sid/"

    /// Systems of other organizations for which R4 defines `caseSensitive`, UCUM (<https://ucum.org/ucum>, c/s), and
    /// HealthKit's identifiers, whose CodeSystem this server publishes.
    private static let sensitiveSystems: Set<String> = [
        SearchQuantity.ucum, CodeSystemURL.healthKit, "http://cds-hooks.hl7.org/CodeSystem/indicator",
        "http://dicom.nema.org/resources/ontology/DCM", "http://healthit.gov/nhin/purposeofuse",
        "urn:iso-astm:E1762-95:2013", "urn:oid:1.2.36.1.2001.1001.101.104.16592",
        "urn:oid:2.16.840.1.113883.3.1937.98.5.8",
    ]
}
