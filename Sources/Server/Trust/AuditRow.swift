import Foundation
import Storage

/// A row of the audit about one of several resources that one decision is about.
struct AuditRow {
    let target: Target
    /// The name that the audit has for the participant whose it is.
    let pseudonym: String?

    /// What the rows of one decision have in common.
    struct Shared {
        let at: Date
        let actor: Actor?
        let action: Action
        let decision: Decision
    }

    /// The participant whom a target is about: a Patient's id is the participant's.
    static func participant(of target: Target) -> String? {
        target.subject ?? (isPatient(target) ? target.resourceID : nil)
    }

    /// The id of the resource as the audit has it: none that is a participant's.
    static func resourceID(of target: Target) -> String? { isPatient(target) ? nil : target.resourceID }

    private static func isPatient(_ target: Target) -> Bool { target.resourceType == "Patient" }

    static let insertion = SQLInsertion<AuditRow, Shared>(
        into: "audit",
        columns: [
            SQLColumn("resource_type") { SQLValue($0.target.resourceType) },
            SQLColumn("resource_id") { SQLValue(resourceID(of: $0.target)) },
            SQLColumn("subject") { SQLValue($0.pseudonym) },
        ],
        shared: [
            SQLColumn("at") { SQLValue($0.at) }, SQLColumn("actor_id") { SQLValue($0.actor?.id) },
            SQLColumn("role") { SQLValue($0.actor?.role.rawValue) },
            SQLColumn("action") { SQLValue($0.action.rawValue) },
            SQLColumn("allowed") { SQLValue($0.decision.allowed) },
            SQLColumn("reason") { SQLValue($0.decision.reason) },
        ])
}
