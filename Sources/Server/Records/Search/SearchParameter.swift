import FHIR

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
    var kind: SearchParamType {
        switch self {
        case .id, .identifier, .code: .token
        case .lastUpdated, .date: .date
        case .subject, .patient, .questionnaire: .reference
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

    /// Returns the names of the parameter for a type: R4 has its own names for some dates, and all types have `date`
    /// too.
    func names(for type: String) -> [String] {
        guard applies(to: type) else { return [] }
        switch (self, type) {
        case (.date, "QuestionnaireResponse"): return ["date", "authored"]
        case (.date, "Contract"): return ["date", "issued"]
        default: return [rawValue]
        }
    }

    /// The parameter that a type has by a name.
    static func named(_ name: String, for type: String) -> SearchParameter? {
        allCases.first { $0.names(for: type).contains(name) }
    }
}
