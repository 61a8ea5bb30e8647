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

        init(_ type: String, _ member: String, _ shape: Shape, _ release: ClinicalRecord.Release) {
            self.type = type
            self.member = member
            self.shape = shape
            self.release = release
        }
    }

    /// Members that exist in only one of the two releases, or have a different JSON type in the other.
    private static let marks: [Mark] = [
        Mark("Observation", "category", .array, .r4), Mark("Observation", "category", .object, .dstu2),
        Mark("Observation", "comments", .any, .dstu2), Mark("Observation", "related", .any, .dstu2),
        Mark("Observation", "note", .any, .r4), Mark("Observation", "interpretation", .array, .r4),
        Mark("Observation", "interpretation", .object, .dstu2), Mark("Observation", "hasMember", .any, .r4),
        Mark("Condition", "patient", .any, .dstu2), Mark("Condition", "subject", .any, .r4),
        Mark("Condition", "clinicalStatus", .text, .dstu2), Mark("Condition", "clinicalStatus", .object, .r4),
        Mark("AllergyIntolerance", "substance", .any, .dstu2), Mark("AllergyIntolerance", "code", .any, .r4),
        Mark("AllergyIntolerance", "clinicalStatus", .any, .r4), Mark("AllergyIntolerance", "status", .any, .dstu2),
        Mark("Immunization", "wasNotGiven", .any, .dstu2), Mark("Immunization", "reported", .any, .dstu2),
        Mark("Immunization", "explanation", .any, .dstu2), Mark("Immunization", "date", .any, .dstu2),
        Mark("Immunization", "occurrenceDateTime", .any, .r4), Mark("Immunization", "occurrenceString", .any, .r4),
        Mark("Immunization", "primarySource", .any, .r4),
        Mark("MedicationStatement", "patient", .any, .dstu2), Mark("MedicationStatement", "subject", .any, .r4),
        Mark("MedicationDispense", "patient", .any, .dstu2), Mark("MedicationDispense", "subject", .any, .r4),
        Mark("Procedure", "notPerformed", .any, .dstu2),
        Mark("Procedure", "category", .object, .unknown), Mark("Procedure", "report", .any, .unknown),
        Mark("DiagnosticReport", "codedDiagnosis", .any, .dstu2), Mark("DiagnosticReport", "conclusionCode", .any, .r4),
        Mark("DiagnosticReport", "category", .array, .r4), Mark("DiagnosticReport", "category", .object, .dstu2),
        Mark("DocumentReference", "indexed", .any, .dstu2), Mark("DocumentReference", "date", .any, .r4),
        Mark("Coverage", "beneficiary", .any, .r4),
    ]
}
