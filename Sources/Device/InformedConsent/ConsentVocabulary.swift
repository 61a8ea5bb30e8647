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
    /// Extension of a signed Contract (valueString): the digest of the text that was signed (``ConsentTerms/digest``).
    public static let digest = "urn:tributary:consent-digest"
    /// Extension of a template (valueCode): whether it may be signed (``ConsentTemplate/Status``). Current where it is
    /// absent.
    public static let status = "urn:tributary:consent-status"
    /// Extension of a template (valueCode): what the version changes for those who signed an earlier one
    /// (``ConsentTemplate/Change``). Major where it is absent.
    public static let change = "urn:tributary:consent-change"
    /// Extension of a signed Contract (valueString): the public key with which the device signs what it sends from here
    /// on, a JWK (RFC 7517). It is sealed with the Contract and belongs to no template.
    public static let deviceKey = "urn:tributary:device-key"
    /// Extension of a signed Contract (valueString): the one-time code by which the study team lets somebody begin
    /// (``InvitationCode``). It is sealed with the Contract and belongs to no template.
    public static let invitation = "urn:tributary:invitation"
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
