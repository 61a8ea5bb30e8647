import Foundation
import Storage

/// Account of a person who signs in.
public struct UserAccount: Sendable, Hashable {
    public let id: String
    /// Name for signing in, in lowercase.
    public let username: String
    /// `participant`, `practitioner` or `staff`.
    public let role: Role
    /// Patient of a participant, who can access no other.
    public let patient: String?
    /// Practitioner of the account.
    public let practitioner: String?
    public let createdAt: Date
    public let disabledAt: Date?

    /// Roles that can sign in.
    public static let roles: [Role] = [.participant, .practitioner, .staff]

    /// Reference to the account's own resource (`fhirUser`), relative to the FHIR base; nil if there is none.
    public var resource: String? { ownResource.map { "\($0.type)/\($0.id)" } }

    /// Type and id of the account's own resource.
    var ownResource: OwnResource? {
        patient.map { OwnResource(type: "Patient", id: $0) }
            ?? practitioner.map { OwnResource(type: "Practitioner", id: $0) }
    }

    /// Actor for the account.
    public var actor: Actor { Actor(id: id, role: role, participant: patient) }

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

    /// Returns the normalized name; nil for an invalid one. A name has 1 to 64 ASCII letters and digits and `.`, `-`,
    /// `_`, `@`, `+`, so that no two names look alike.
    static func name(_ text: String) -> String? {
        let folded = text.lowercased()
        guard (1...64).contains(text.utf8.count), folded.utf8.count == text.utf8.count,
            folded.utf8.allSatisfy({
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || ".-_@+".utf8.contains($0)
            })
        else { return nil }
        return folded
    }
}

/// Session of a person in a browser after signing in.
public struct UserSession: Sendable, Hashable {
    public let account: UserAccount
    public let createdAt: Date
    public let expiresAt: Date
    /// Stored digest of its secret.
    let digest: String
}
