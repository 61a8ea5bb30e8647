import FHIR

/// A resource of each kind of clinical record, with nobody's values.
enum ClinicalExamples {
    static func record(_ type: String) -> ClinicalRecord? {
        guard var resource = resources[type]?.object, let name = resource["resourceType"]?.string else { return nil }
        resource.set("id", "example-1", at: 1)
        return ClinicalRecord(
            .object(resource), version: "4.0.1", type: type, url: "https://hospital.example/r4/\(name)/example-1",
            received: SpecialExamples.start)
    }

    private static let patient: JSON = ["reference": "Patient/example"]

    private static func coding(_ system: String, _ code: String, _ text: String) -> JSON {
        ["coding": [["system": .string(system), "code": .string(code)]], "text": .string(text)]
    }

    private static let resources: [String: JSON] = [
        "HKClinicalTypeIdentifierAllergyRecord": [
            "resourceType": "AllergyIntolerance",
            "clinicalStatus": coding(
                "http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical", "active", "Active"),
            "code": ["text": "Birch pollen"], "patient": patient,
        ],
        "HKClinicalTypeIdentifierClinicalNoteRecord": [
            "resourceType": "DocumentReference", "status": "current", "type": ["text": "Progress note"],
            "subject": patient, "content": [["attachment": ["contentType": "text/plain", "data": "VGV4dA=="]]],
        ],
        "HKClinicalTypeIdentifierConditionRecord": [
            "resourceType": "Condition",
            "clinicalStatus": coding("http://terminology.hl7.org/CodeSystem/condition-clinical", "active", "Active"),
            "code": ["text": "Seasonal allergic rhinitis"], "subject": patient, "recordedDate": "2024-05-03",
        ],
        "HKClinicalTypeIdentifierCoverageRecord": [
            "resourceType": "Coverage", "status": "active", "beneficiary": patient,
            "payor": [["display": "Example insurance"]],
        ],
        "HKClinicalTypeIdentifierImmunizationRecord": [
            "resourceType": "Immunization", "status": "completed",
            "vaccineCode": coding("http://hl7.org/fhir/sid/cvx", "140", "Influenza, seasonal"), "patient": patient,
            "occurrenceDateTime": "2024-10-02",
        ],
        "HKClinicalTypeIdentifierLabResultRecord": [
            "resourceType": "Observation", "status": "final",
            "category": [
                coding("http://terminology.hl7.org/CodeSystem/observation-category", "laboratory", "Laboratory")
            ], "code": ["text": "Hemoglobin"], "subject": patient, "effectiveDateTime": "2024-10-02",
            "valueQuantity": [
                "value": 14, "unit": "g/dL", "system": "http://unitsofmeasure.org", "code": "g/dL",
            ],
        ],
        "HKClinicalTypeIdentifierMedicationRecord": [
            "resourceType": "MedicationStatement", "status": "active",
            "medicationCodeableConcept": ["text": "Cetirizine 10 mg tablet"], "subject": patient,
            "effectiveDateTime": "2024-05-03",
        ],
        "HKClinicalTypeIdentifierProcedureRecord": [
            "resourceType": "Procedure", "status": "completed", "code": ["text": "Skin prick test"],
            "subject": patient, "performedDateTime": "2024-05-03",
        ],
        "HKClinicalTypeIdentifierVitalSignRecord": [
            "resourceType": "Observation", "status": "final",
            "category": [
                coding("http://terminology.hl7.org/CodeSystem/observation-category", "vital-signs", "Vital Signs")
            ], "code": coding("http://loinc.org", "8867-4", "Heart rate"), "subject": patient,
            "effectiveDateTime": "2024-10-02",
            "valueQuantity": [
                "value": 66, "unit": "beats/minute", "system": "http://unitsofmeasure.org", "code": "/min",
            ],
        ],
    ]
}
