/// The search parameters of the records, and the resource types that have them
/// (<https://hl7.org/fhir/R4/search.html>).
enum SearchParameter: String, CaseIterable, Sendable {
    case id = "_id"
    case lastUpdated = "_lastUpdated"
    case identifier
    case subject
    case patient
    case code
    case date
    case questionnaire

    /// The kind, as a CapabilityStatement names it.
    var kind: String {
        switch self {
        case .id, .identifier, .code: "token"
        case .lastUpdated, .date: "date"
        case .subject, .patient, .questionnaire: "reference"
        }
    }

    func applies(to type: String) -> Bool {
        switch self {
        case .id, .lastUpdated, .identifier: true
        case .subject: ["Observation", "QuestionnaireResponse", "Encounter", "Contract"].contains(type)
        case .patient:
            ["Observation", "QuestionnaireResponse", "Encounter", "Contract", "Consent", "Device"].contains(type)
        case .code: type == "Observation"
        case .date: ["Observation", "Encounter", "Consent", "QuestionnaireResponse", "Contract"].contains(type)
        case .questionnaire: type == "QuestionnaireResponse"
        }
    }

    /// R4's own name for the date of a type, beside `date`.
    static func named(_ name: String, for type: String) -> SearchParameter? {
        switch (name, type) {
        case ("authored", "QuestionnaireResponse"), ("issued", "Contract"): return .date
        default:
            guard let parameter = SearchParameter(rawValue: name), parameter.applies(to: type) else { return nil }
            return parameter
        }
    }
}

/// The types that the records hold.
enum RecordType {
    static let all = ["Consent", "Contract", "Device", "Encounter", "Observation", "Patient", "QuestionnaireResponse"]
}
