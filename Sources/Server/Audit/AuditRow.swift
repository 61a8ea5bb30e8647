import AccessPolicy
import Foundation
import Storage

/// A row of the audit table.
struct AuditRow {
    let at: Date
    let actor: Actor?
    let action: Action
    let decision: Decision
    let target: Target
    /// Pseudonym of the participant; nil if there is none.
    let pseudonym: String?
    /// Number of resources; nil for one.
    let amount: Int?
    /// Salt and digest of the target's id; nil if the row has no id.
    let removable: RemovableID?

    static let insertion = SQLInsertion<AuditRow, Void>(
        into: "audit",
        columns: [
            SQLColumn("at") { SQLValue($0.at) },
            SQLColumn("actor_id") { SQLValue($0.actor?.id) },
            SQLColumn("client") { SQLValue($0.actor?.client) },
            SQLColumn("role") { SQLValue($0.actor?.role.rawValue) },
            SQLColumn("action") { SQLValue($0.action.rawValue) },
            SQLColumn("resource_type") { SQLValue($0.target.resourceType) },
            SQLColumn("resource_id") { SQLValue($0.target.auditedID) },
            SQLColumn("id_salt") { SQLValue($0.removable?.salt) },
            SQLColumn("id_digest") { SQLValue($0.removable?.digest) },
            SQLColumn("subject") { SQLValue($0.pseudonym) },
            SQLColumn("allowed") { SQLValue($0.decision.allowed) },
            SQLColumn("reason") { SQLValue($0.decision.reason) },
            SQLColumn("amount") { SQLValue($0.amount) },
        ])
    /// Inserts a row and returns its number.
    static let numberedSQL = insertion.target.sql + " RETURNING number"
}
