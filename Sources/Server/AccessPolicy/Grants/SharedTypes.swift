/// Types whose records are visible to all callers with a matching scope if they belong to no patient.
///
/// They are the types of care providers and means of care, and of definitions: types with a canonical URL as `url`
/// (<https://hl7.org/fhir/R4/references.html#canonical>). A record of any other type without a patient may concern one
/// that it does not reference, and is visible only with access to all patients.
enum SharedTypes {
    static let all = named.union(withCanonicalURL)

    static let named: Set<String> = [
        "Device", "Endpoint", "HealthcareService", "Location", "Medication", "Organization", "Practitioner",
        "PractitionerRole", "ResearchStudy", "Substance",
    ]

    /// Without DeviceDefinition, whose `url` is a network address.
    static let withCanonicalURL: Set<String> = [
        "ActivityDefinition", "CapabilityStatement", "ChargeItemDefinition", "CodeSystem", "CompartmentDefinition",
        "ConceptMap", "Contract", "EffectEvidenceSynthesis", "EventDefinition", "Evidence", "EvidenceVariable",
        "ExampleScenario", "GraphDefinition", "ImplementationGuide", "Library", "Measure", "MessageDefinition",
        "OperationDefinition", "PlanDefinition", "Questionnaire", "ResearchDefinition", "ResearchElementDefinition",
        "RiskEvidenceSynthesis", "SearchParameter", "StructureDefinition", "StructureMap", "TerminologyCapabilities",
        "TestScript", "ValueSet",
    ]
}
