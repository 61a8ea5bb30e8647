/// Interaction with records (<https://hl7.org/fhir/R4/http.html>), by FHIR's codes
/// (<https://hl7.org/fhir/R4/valueset-restful-interaction.html>).
package enum RecordInteraction: String, Sendable, CaseIterable {
    case read
    case versionRead = "vread"
    case historyOfInstance = "history-instance"
    case searchType = "search-type"
    case searchSystem = "search-system"
    case historyOfType = "history-type"
    case historyOfSystem = "history-system"
    case create
    case update
    case patch
    case delete

    /// Permission that a scope needs for it
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources>).
    package var permission: ScopePermissions {
        switch self {
        case .read, .versionRead, .historyOfInstance: .read
        case .searchType, .searchSystem, .historyOfType, .historyOfSystem: .search
        case .create: .create
        case .update, .patch: .update
        case .delete: .delete
        }
    }

    /// Whether it changes records.
    package var isWriting: Bool { permission.isSubset(of: [.create, .update, .delete]) }
}
