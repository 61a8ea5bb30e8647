import FHIR

/// Definitions of the extensions of consents that neither R4 nor C3-PRO defines.
public enum ConsentDefinitions {
    /// The extensions as FHIR StructureDefinitions.
    public static let extensions: [StructureDefinition] = [
        StructureDefinition.ofExtension(
            id: "asks-for-data-sharing", url: ConsentVocabulary.asksForSharing, name: "AsksForDataSharing",
            title: "Asks for data sharing",
            text: "Whether the person is asked about sharing with other researchers; true where it is absent.",
            contexts: ["Contract"], valueType: "boolean"),
        StructureDefinition.ofExtension(
            id: "includes-health-data", url: ConsentVocabulary.includesHealthData, name: "IncludesHealthData",
            title: "Includes health data",
            text: """
                A part of health data, routes or clinical-records, that leaves the phone since the consent names it; \
                where it is absent, the part does not leave.
                """,
            contexts: ["Contract"], valueType: "code", isRepeated: true),
        StructureDefinition.ofExtension(
            id: "age-90-or-older", url: ConsentVocabulary.ninetyOrOlder, name: "Age90OrOlder",
            title: "Age 90 or older", text: "The person is 90 or older, and no birth date is given.",
            contexts: ["Patient", "Patient.birthDate"], valueType: "boolean"),
        StructureDefinition.ofExtension(
            id: "move-code", url: ConsentVocabulary.moveCode, name: "MoveCode", title: "Move code",
            text: "The one-time code by which the study team moves a participant to another phone.",
            contexts: ["Contract"], valueType: "string"),
        StructureDefinition.ofExtension(
            id: "consent-digest", url: ConsentVocabulary.digest, name: "ConsentDigest", title: "Consent digest",
            text: "The SHA-256 of the text that was signed, in hexadecimal digits, over its canonical JSON (RFC 8785).",
            contexts: ["Contract"], valueType: "string"),
        StructureDefinition.ofExtension(
            id: "consent-status", url: ConsentVocabulary.status, name: "ConsentStatus", title: "Consent status",
            text: """
                Whether a version of a study's consent may be signed: current, accepted (phones that do not know a newer one \
                may still sign it) or retired; current where it is absent.
                """,
            contexts: ["Contract"], valueType: "code"),
        StructureDefinition.ofExtension(
            id: "consent-change", url: ConsentVocabulary.change, name: "ConsentChange", title: "Consent change",
            text: """
                The effect of a version of a study's consent on people who signed an earlier one: major (they sign again \
                before more of their data is taken), minor (they are informed) or editorial; major where it is absent.
                """,
            contexts: ["Contract"], valueType: "code"),
    ]
}
