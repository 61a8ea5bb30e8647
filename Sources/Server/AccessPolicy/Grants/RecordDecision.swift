import Core

/// Decision about an interaction with a record.
package enum RecordDecision: Sendable, Hashable {
    case permitted
    /// The record is reported as not found (404). The reason is only for the audit.
    case hidden(Hiding)
    /// The interaction is refused with a reason that reveals nothing about hidden records.
    case refused(RecordRefusal)

    /// Reason why a record is hidden.
    package enum Hiding: String, Sendable, CaseIterable {
        /// Its confidentiality exceeds that of the grant.
        case confidentiality = "hidden-confidentiality"
        /// The grant does not include one of its sensitivities, or one of its labels is not recognized.
        case sensitivity = "hidden-sensitivity"
        /// It belongs to a patient outside of the grant, possibly among others.
        case otherPatient = "hidden-other-patient"
        /// It belongs to no patient, and its type is not shared.
        case noPatient = "hidden-no-patient"
        /// It does not meet the query of a scope.
        case scopeQuery = "hidden-scope-query"
        /// The version is visible, but the newest one is not.
        case newestVersion = "hidden-newest-version"
    }

    package var isPermitted: Bool { self == .permitted }

    /// Decision for the audit.
    package var decision: Decision {
        switch self {
        case .permitted: .permitted
        case .hidden(let reason): .denied(reason.rawValue)
        case .refused(let refusal): .denied(refusal.code)
        }
    }
}

/// Reason why an interaction with records is refused.
package enum RecordRefusal: String, CodedError, CaseIterable, Hashable {
    /// The grant has expired, so the caller is not authenticated any more (401).
    case grantEnded = "grant-ended"
    /// No scope permits it for the type, or for a record that is visible (403).
    case insufficientScope = "insufficient-scope"
    /// Only the server writes the audit (403).
    case auditImmutable = "audit-immutable"
    /// A record without a patient can only be changed with access to all patients (403).
    case sharedRecord = "shared-record"
    /// The new content would belong to a patient outside of the grant (403).
    case otherPatient = "other-patient"
    /// The new content would belong to no patient (403).
    case patientMissing = "patient-missing"
    /// The new content would not meet the query of the scope (403).
    case scopeQueryNotMet = "scope-query-not-met"
    /// The new content would have less protection than before (403).
    case labelsLowered = "labels-lowered"

    /// Stable code.
    package var code: String { rawValue }

    /// Message for users that suggests an action.
    package var message: String {
        switch self {
        case .grantEnded: "This access has ended; ask for a new one."
        case .insufficientScope: "The scopes of this access do not permit this; request other scopes."
        case .auditImmutable: "The audit is written by the server alone."
        case .sharedRecord: "This record belongs to no patient; changing it requires access to all patients."
        case .otherPatient: "The resource refers to a patient outside of this access."
        case .patientMissing: "The resource must refer by id to a patient that this access includes."
        case .scopeQueryNotMet: "The resource is outside of the search that the scope is limited to."
        case .labelsLowered: "Security labels may be raised; lowering them requires the scopes conf/V and sens/*."
        }
    }
}
