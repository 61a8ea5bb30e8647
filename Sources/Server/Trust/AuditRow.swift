import Foundation
import Storage

/// A row of the audit, as its table has it.
struct AuditRow {
    let at: Date
    let actor: Actor?
    let action: Action
    let decision: Decision
    let target: Target
    /// The name that the audit has for the participant; nil where it is nobody.
    let pseudonym: String?
    /// How many resources it was; nil where it was one.
    let amount: Int?

    static let insertion = SQLInsertion<AuditRow, Void>(
        into: "audit",
        columns: [
            SQLColumn("at") { SQLValue($0.at) },
            SQLColumn("actor_id") { SQLValue($0.actor?.id) },
            SQLColumn("role") { SQLValue($0.actor?.role.rawValue) },
            SQLColumn("action") { SQLValue($0.action.rawValue) },
            SQLColumn("resource_type") { SQLValue($0.target.resourceType) },
            SQLColumn("resource_id") { SQLValue($0.target.auditedID) },
            SQLColumn("subject") { SQLValue($0.pseudonym) },
            SQLColumn("allowed") { SQLValue($0.decision.allowed) },
            SQLColumn("reason") { SQLValue($0.decision.reason) },
            SQLColumn("amount") { SQLValue($0.amount) },
        ])
    /// Tells the number of the row that it inserts.
    static let numberedSQL = insertion.target.sql + " RETURNING number"
}
