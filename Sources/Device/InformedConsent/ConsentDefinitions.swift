import FHIR

/// The definitions of the extensions of consents that neither R4 nor C3-PRO defines.
public enum ConsentDefinitions {
    /// The extensions, as FHIR defines extensions.
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
            title: "Age 90 or older", text: "The person is 90 or older, and no birth date is told.",
            contexts: ["Patient", "Patient.birthDate"], valueType: "boolean"),
        StructureDefinition.ofExtension(
            id: "move-code", url: ConsentVocabulary.moveCode, name: "MoveCode", title: "Move code",
            text: "The one-time code by which the study team moves a participant to another phone.",
            contexts: ["Contract"], valueType: "string"),
    ]
}
