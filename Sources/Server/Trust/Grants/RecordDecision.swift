import Core

/// Whether something may be done with a record.
public enum RecordDecision: Sendable, Hashable {
    case permitted
    /// The record is answered as if it were not there: 404, whatever the reason, which is for the audit alone.
    case hidden(Hiding)
    /// It is said why it may not be done, which tells nothing of what is hidden.
    case refused(RecordRefusal)

    /// Why a record is hidden.
    public enum Hiding: String, Sendable, CaseIterable {
        /// It is more confidential than the grant goes.
        case confidentiality = "hidden-confidentiality"
        /// It is sensitive in a way that the grant does not reach, or has a label that is not understood.
        case sensitivity = "hidden-sensitivity"
        /// It belongs to a patient that the grant does not reach, perhaps among others.
        case otherPatient = "hidden-other-patient"
        /// It belongs to no patient, and is not of a type that is shared.
        case noPatient = "hidden-no-patient"
        /// It does not meet the query of a scope.
        case scopeQuery = "hidden-scope-query"
        /// The version may be seen, the newest one may not.
        case newestVersion = "hidden-newest-version"
    }

    /// Whether it is permitted.
    public var isPermitted: Bool { self == .permitted }

    /// As the audit has it.
    public var decision: Decision {
        switch self {
        case .permitted: .permitted
        case .hidden(let reason): .denied(reason.rawValue)
        case .refused(let refusal): .denied(refusal.code)
        }
    }
}

/// Why something is refused that is done with records.
public enum RecordRefusal: String, CodedError, CaseIterable, Hashable {
    /// The grant has ended: whoever had it proves nothing any more (401).
    case grantEnded = "grant-ended"
    /// No scope permits it for the type, or for a record that can be seen (403).
    case insufficientScope = "insufficient-scope"
    /// The audit is written by the server alone (403).
    case auditImmutable = "audit-immutable"
    /// What belongs to nobody is changed by those who reach all patients (403).
    case sharedRecord = "shared-record"
    /// What is written would belong to a patient that the grant does not reach (403).
    case otherPatient = "other-patient"
    /// What is written would belong to no patient (403).
    case patientMissing = "patient-missing"
    /// What is written would not meet the query of the scope (403).
    case scopeQueryNotMet = "scope-query-not-met"
    /// What is written would be protected less than before (403).
    case labelsLowered = "labels-lowered"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence that a person can act on.
    public var message: String {
        switch self {
        case .grantEnded: "This access has ended; ask for a new one."
        case .insufficientScope: "The scopes of this access do not permit that; ask for one that does."
        case .auditImmutable: "The audit is written by the server alone."
        case .sharedRecord: "This record belongs to no patient; it takes access to all patients to change it."
        case .otherPatient: "The resource refers to a patient whom this access does not reach."
        case .patientMissing: "The resource must refer to a patient whom this access reaches, by the patient's id."
        case .scopeQueryNotMet: "The resource is outside of the search that the scope is limited to."
        case .labelsLowered: "The security labels may be raised; to lower them takes the scopes conf/V and sens/*."
        }
    }
}
