import FHIR

extension ClinicalRecord.Release {
    /// Creates the release of a version: `1.0.2` is DSTU2, `4.0.1` is R4.
    public init(version: String) {
        let text = version.lowercased()
        if text.hasPrefix("1.0") || text == "dstu2" {
            self = .dstu2
        } else if text.hasPrefix("4.0") || text == "r4" {
            self = .r4
        } else {
            self = .unknown
        }
    }

    /// Detects the release from the structure of a resource.
    init(of resource: JSON, _ type: String) {
        self = .unknown
        if ["MedicationOrder", "DiagnosticOrder", "ProcedureRequest", "ReferralRequest"].contains(type) {
            self = .dstu2
        }
        if ["MedicationRequest", "ServiceRequest", "CareTeam"].contains(type) { self = .r4 }
        for mark in Self.marks where mark.type == type || mark.type.isEmpty {
            guard let value = resource[mark.member] else { continue }
            switch mark.shape {
            case .any: self = mark.release
            case .object where value.object != nil: self = mark.release
            case .array where value.array != nil: self = mark.release
            case .text where value.string != nil: self = mark.release
            default: continue
            }
            return
        }
    }

    private enum Shape { case any, object, array, text }

    private struct Mark {
        let type: String
        let member: String
        let shape: Shape
        let release: ClinicalRecord.Release

        init(_ type: String, _ member: String, is shape: Shape, in release: ClinicalRecord.Release) {
            self.type = type
            self.member = member
            self.shape = shape
            self.release = release
        }
    }

    /// Members that exist in only one of the two releases, or have a different JSON type in the other.
    private static let marks: [Mark] = [
        Mark("Observation", "category", is: .array, in: .r4), Mark("Observation", "category", is: .object, in: .dstu2),
        Mark("Observation", "comments", is: .any, in: .dstu2), Mark("Observation", "related", is: .any, in: .dstu2),
        Mark("Observation", "note", is: .any, in: .r4), Mark("Observation", "interpretation", is: .array, in: .r4),
        Mark("Observation", "interpretation", is: .object, in: .dstu2),
        Mark("Observation", "hasMember", is: .any, in: .r4),
        Mark("Condition", "patient", is: .any, in: .dstu2), Mark("Condition", "subject", is: .any, in: .r4),
        Mark("Condition", "clinicalStatus", is: .text, in: .dstu2),
        Mark("Condition", "clinicalStatus", is: .object, in: .r4),
        Mark("AllergyIntolerance", "substance", is: .any, in: .dstu2),
        Mark("AllergyIntolerance", "code", is: .any, in: .r4),
        Mark("AllergyIntolerance", "clinicalStatus", is: .any, in: .r4),
        Mark("AllergyIntolerance", "status", is: .any, in: .dstu2),
        Mark("Immunization", "wasNotGiven", is: .any, in: .dstu2),
        Mark("Immunization", "reported", is: .any, in: .dstu2),
        Mark("Immunization", "explanation", is: .any, in: .dstu2), Mark("Immunization", "date", is: .any, in: .dstu2),
        Mark("Immunization", "occurrenceDateTime", is: .any, in: .r4),
        Mark("Immunization", "occurrenceString", is: .any, in: .r4),
        Mark("Immunization", "primarySource", is: .any, in: .r4),
        Mark("MedicationStatement", "patient", is: .any, in: .dstu2),
        Mark("MedicationStatement", "subject", is: .any, in: .r4),
        Mark("MedicationDispense", "patient", is: .any, in: .dstu2),
        Mark("MedicationDispense", "subject", is: .any, in: .r4),
        Mark("Procedure", "notPerformed", is: .any, in: .dstu2),
        Mark("Procedure", "category", is: .object, in: .unknown), Mark("Procedure", "report", is: .any, in: .unknown),
        Mark("DiagnosticReport", "codedDiagnosis", is: .any, in: .dstu2),
        Mark("DiagnosticReport", "conclusionCode", is: .any, in: .r4),
        Mark("DiagnosticReport", "category", is: .array, in: .r4),
        Mark("DiagnosticReport", "category", is: .object, in: .dstu2),
        Mark("DocumentReference", "indexed", is: .any, in: .dstu2),
        Mark("DocumentReference", "date", is: .any, in: .r4),
        Mark("Coverage", "beneficiary", is: .any, in: .r4),
    ]
}
