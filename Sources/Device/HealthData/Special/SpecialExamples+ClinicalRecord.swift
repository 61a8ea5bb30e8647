import FHIR

extension SpecialExamples {
    /// Returns the example of a row of the table of types; nil for types of single values.
    public static func example(of type: HealthType) -> (any SpecialRecord)? {
        guard type.kind == .clinicalRecord else { return SpecialKind(type).flatMap(example) }
        return clinicalRecord(type.identifier)
    }

    /// Returns a record of one of HealthKit's types of clinical records.
    static func clinicalRecord(_ identifier: String) -> ClinicalRecord? {
        guard let name = identifier.split(separator: "Identifier").last, let own = resource(String(name)),
            var object = own.object
        else { return nil }
        let id = "example-" + name.lowercased()
        object.set("id", .string(id), at: 1)
        let type = object["resourceType"]?.string ?? ""
        let patient = ["AllergyIntolerance", "Immunization"].contains(type) ? "patient" : "subject"
        object[type == "Coverage" ? "beneficiary" : patient] = ["reference": "Patient/example"]
        return ClinicalRecord(
            .object(object), version: "4.0.1", type: identifier, url: "https://hospital.example/r4/\(type)/\(id)",
            received: start)
    }

    private static func resource(_ name: String) -> JSON? {
        switch name {
        case "AllergyRecord":
            [
                "resourceType": "AllergyIntolerance",
                "clinicalStatus": coded(terminology("allergyintolerance-clinical"), "active"),
                "code": ["text": "Peanut"],
            ]
        case "ConditionRecord":
            [
                "resourceType": "Condition", "clinicalStatus": coded(terminology("condition-clinical"), "active"),
                "code": ["text": "Hay fever"],
            ]
        case "CoverageRecord":
            ["resourceType": "Coverage", "status": "active", "payor": [["display": "Example insurance"]]]
        case "ImmunizationRecord":
            [
                "resourceType": "Immunization", "status": "completed",
                "vaccineCode": ["text": "Influenza, seasonal"], "occurrenceDateTime": "2024-10-02",
            ]
        case "LabResultRecord":
            [
                "resourceType": "Observation", "status": "final",
                "category": [coded(terminology("observation-category"), "laboratory")],
                "code": coded(HealthCodeSystem.loinc, "41653-7"), "effectiveDateTime": "2024-10-02",
                "valueQuantity": quantity(92, "mg/dL"),
            ]
        case "MedicationRecord":
            [
                "resourceType": "MedicationRequest", "status": "active", "intent": "order",
                "medicationCodeableConcept": ["text": "Paracetamol 500 mg"],
            ]
        case "ProcedureRecord":
            ["resourceType": "Procedure", "status": "completed", "code": ["text": "Suture of a wound"]]
        case "VitalSignRecord":
            [
                "resourceType": "Observation", "status": "final",
                "category": [coded(terminology("observation-category"), "vital-signs")],
                "code": coded(HealthCodeSystem.loinc, "8867-4"), "effectiveDateTime": "2024-10-02",
                "valueQuantity": quantity(64, "/min"),
            ]
        case "ClinicalNoteRecord":
            [
                "resourceType": "DocumentReference", "status": "current", "type": ["text": "Discharge note"],
                "content": [["attachment": ["contentType": "text/plain", "data": "RXhhbXBsZSBub3RlLg=="]]],
            ]
        default: .none
        }
    }

    private static func terminology(_ name: String) -> String { "http://terminology.hl7.org/CodeSystem/" + name }

    private static func coded(_ system: String, _ code: String) -> JSON {
        ["coding": [["system": .string(system), "code": .string(code)]]]
    }

    private static func quantity(_ value: Int, _ unit: String) -> JSON {
        [
            "value": .number(JSONNumber(value)), "unit": .string(unit), "system": "http://unitsofmeasure.org",
            "code": .string(unit),
        ]
    }
}
