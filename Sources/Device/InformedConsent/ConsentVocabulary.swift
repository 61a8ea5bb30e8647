/// URLs and codes of consents.
public enum ConsentVocabulary {
    /// Code system of section types; the only one that C3-PRO's apps read.
    public static let sectionType = "http://researchkit.org/docs/Constants/ORKConsentSectionType"
    /// Extension of a term with title, content and pictures of its section.
    public static let section = "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection"
    /// Extension of a signer: whether the person permits sharing with other researchers.
    public static let sharing = "http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing"
    /// Extension of a template (valueBoolean): whether the person is asked about sharing. True if it is absent.
    public static let asksForSharing = "urn:tributary:asks-for-data-sharing"
    /// Extension of a template (valueCode, repeated): a kind of health data that is released only if the consent
    /// includes it, such as `routes` or `clinical-records`. If it is absent, no such data is released. The signed
    /// Contract contains it too.
    public static let includesHealthData = "urn:tributary:includes-health-data"
    /// Extension of a Patient (valueBoolean): the person is 90 or older, and there is no birth date.
    public static let ninetyOrOlder = "urn:tributary:age-90-or-older"
    /// Extension of a signed Contract (valueString): the one-time code by which the study team moves a participant to
    /// another phone (``ParticipantMoveCode``). It is sealed with the Contract and not part of a template.
    public static let moveCode = "urn:tributary:move-code"
    /// Extension of a signed Contract (valueString): the digest of the signed text (``ConsentTerms/digest``).
    public static let digest = "urn:tributary:consent-digest"
    /// Extension of a template (valueCode): whether it may be signed (``ConsentTemplate/Status``). Current if it is
    /// absent.
    public static let status = "urn:tributary:consent-status"
    /// Extension of a template (valueCode): the effect of the version on persons who signed an earlier one
    /// (``ConsentTemplate/Change``). Major if it is absent.
    public static let change = "urn:tributary:consent-change"
    /// Extension of a signed Contract (valueString): the public key of the device's signatures from this Contract on, a
    /// JWK (RFC 7517). It is sealed with the Contract and not part of a template.
    public static let deviceKey = "urn:tributary:device-key"
    /// Extension of a signed Contract (valueString): the one-time code by which the study team invites a participant
    /// (``InvitationCode``). It is sealed with the Contract and not part of a template.
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
