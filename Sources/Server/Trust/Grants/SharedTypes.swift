/// The types of which a record that belongs to no patient is shown to everybody whose scopes reach it.
///
/// They are who and what care is given with, and the definitions: the types of which a resource has a canonical URL as
/// `url` (<https://hl7.org/fhir/R4/references.html#canonical>). A record of any other type that belongs to no patient
/// may be about one that it does not name, and is shown to those alone who see all patients.
enum SharedTypes {
    static let all = named.union(withCanonicalURL)

    static let named: Set<String> = [
        "Device", "Endpoint", "HealthcareService", "Location", "Medication", "Organization", "Practitioner",
        "PractitionerRole", "ResearchStudy", "Substance",
    ]

    /// A DeviceDefinition's `url` is a network address.
    static let withCanonicalURL: Set<String> = [
        "ActivityDefinition", "CapabilityStatement", "ChargeItemDefinition", "CodeSystem", "CompartmentDefinition",
        "ConceptMap", "Contract", "EffectEvidenceSynthesis", "EventDefinition", "Evidence", "EvidenceVariable",
        "ExampleScenario", "GraphDefinition", "ImplementationGuide", "Library", "Measure", "MessageDefinition",
        "OperationDefinition", "PlanDefinition", "Questionnaire", "ResearchDefinition", "ResearchElementDefinition",
        "RiskEvidenceSynthesis", "SearchParameter", "StructureDefinition", "StructureMap", "TerminologyCapabilities",
        "TestScript", "ValueSet",
    ]
}
