import AccessPolicy
import Foundation
import Storage

/// Account of a person who signs in.
package struct UserAccount: Sendable, Hashable {
    package let id: String
    /// Name for signing in, normalized by the store's ``UsernameRule``.
    package let username: String
    /// `participant`, `practitioner` or `staff`; in the people store `account-holder`.
    package let role: Role
    /// Patient of a participant, who can access no other.
    package let patient: String?
    /// Practitioner of the account.
    package let practitioner: String?
    package let createdAt: Date
    package let disabledAt: Date?

    /// Roles that can sign in.
    package static let roles: [Role] = [.participant, .practitioner, .staff, .accountHolder]

    /// Reference to the account's own resource (`fhirUser`), relative to the FHIR base; nil if there is none.
    package var resource: String? { ownResource.map { "\($0.type)/\($0.id)" } }

    /// Type and id of the account's own resource.
    var ownResource: OwnResource? {
        patient.map { OwnResource(type: "Patient", id: $0) }
            ?? practitioner.map { OwnResource(type: "Practitioner", id: $0) }
    }

    /// Actor for the account.
    package var actor: Actor { Actor(id: id, role: role, participant: patient) }

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        username = try row.text("username")
        guard let role = Role(rawValue: try row.text("role")), Self.roles.contains(role) else {
            throw StorageError(code: "storage-column", message: "An account has a role that cannot sign in.")
        }
        self.role = role
        patient = row.textIfPresent("participant")
        practitioner = row.textIfPresent("practitioner")
        createdAt = try row.date("created_at")
        disabledAt = row.dateIfPresent("disabled_at")
    }
}

/// Session of a person in a browser after signing in.
package struct UserSession: Sendable, Hashable {
    package let account: UserAccount
    package let createdAt: Date
    package let expiresAt: Date
    /// Stored digest of its secret.
    let digest: String
}
