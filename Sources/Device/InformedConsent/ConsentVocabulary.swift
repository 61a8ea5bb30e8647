/// URLs and codes that consents are written with.
public enum ConsentVocabulary {
    /// Code system of section types; the only one that C3-PRO's apps read.
    public static let sectionType = "http://researchkit.org/docs/Constants/ORKConsentSectionType"
    /// Extension of a term with title, content and pictures of its section.
    public static let section = "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection"
    /// Extension of a signer: whether the person permits sharing with other researchers.
    public static let sharing = "http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing"
    /// Extension of a template (valueBoolean): whether the person is asked about sharing. True where it is absent.
    public static let asksForSharing = "urn:tributary:asks-for-data-sharing"
    /// Extension of a template (valueCode, one for each): what of health data leaves only where the consent names it, as
    /// `routes` or `clinical-records`. Nothing does where it is absent. The signed Contract has it too.
    public static let includesHealthData = "urn:tributary:includes-health-data"
    /// Extension of a Patient (valueBoolean): the person is 90 or older, and no birth date is told.
    public static let ninetyOrOlder = "urn:tributary:age-90-or-older"
    /// Extension of a signed Contract (valueString): the one-time code by which the study team moves a participant to
    /// another phone (``ParticipantMoveCode``). It is sealed with the Contract and belongs to no template.
    public static let moveCode = "urn:tributary:move-code"
    /// Code system of signer types.
    public static let signerType = "http://terminology.hl7.org/CodeSystem/contractsignertypecodes"
    /// Code system of signature types (ASTM E1762).
    public static let signatureType = "urn:iso-astm:E1762-95:2013"
    /// The signature type of a consent.
    public static let consentSignature = "1.2.840.10065.1.12.1.7"
    /// Code system of consent scopes.
    public static let consentScope = "http://terminology.hl7.org/CodeSystem/consentscope"
    /// Code system of consent categories.
    public static let consentCategory = "http://terminology.hl7.org/CodeSystem/consentcategorycodes"
}
