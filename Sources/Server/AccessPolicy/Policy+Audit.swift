import Foundation

/// Rows of the audit that a caller may read.
package enum AuditAccess: Sendable, Hashable {
    /// All rows.
    case all
    /// Rows about this participant.
    case participant(String)
    /// No rows: the interaction is refused (401 for an expired grant, otherwise 403).
    case refused(RecordRefusal)

    /// Decision for the audit.
    package var decision: Decision {
        switch self {
        case .all, .participant: .permitted
        case .refused(let refusal): .denied(refusal.code)
        }
    }
}

extension Policy {
    /// Decides which rows of the audit a grant may read: staff read all of them, a participant's own grant those about
    /// this participant, and all other grants none. An app that acts for either one also needs a scope for AuditEvent.
    package func decideAudit(_ grant: AccessGrant, _ interaction: RecordInteraction, at now: Date) -> AuditAccess {
        if case .refused(let refusal) = decide(grant, interaction, type: Policy.audit, at: now) {
            return .refused(refusal)
        }
        switch (grant.role, grant.onlyPart?.patients) {
        case (.staff, .all): return .all
        case (.participant, .only(let patients)):
            guard patients.count == 1, let participant = patients.first else { return .refused(.insufficientScope) }
            return .participant(participant)
        default: return .refused(.insufficientScope)
        }
    }
}
