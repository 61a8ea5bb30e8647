import FHIR

/// The resource types that R4 names otherwise (<https://hl7.org/fhir/R4/history.html>).
enum ResourceNames {
    static let renamed = [
        "BodySite": "BodyStructure",
        "Conformance": "CapabilityStatement",
        "DeviceUseRequest": "DeviceRequest",
        "DiagnosticOrder": "ServiceRequest",
        "DiagnosticRequest": "ServiceRequest",
        "EligibilityRequest": "CoverageEligibilityRequest",
        "EligibilityResponse": "CoverageEligibilityResponse",
        "MedicationOrder": "MedicationRequest",
        "ProcedureRequest": "ServiceRequest",
        "QuestionnaireAnswers": "QuestionnaireResponse",
        "ReferralRequest": "ServiceRequest",
        "Sequence": "MolecularSequence",
    ]
}
