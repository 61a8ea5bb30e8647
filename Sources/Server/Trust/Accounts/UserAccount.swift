import Foundation
import Storage

/// A person who signs in.
public struct UserAccount: Sendable, Hashable {
    public let id: String
    /// The name by which they sign in, in small letters.
    public let username: String
    /// `participant`, `practitioner` or `staff`.
    public let role: Role
    /// The Patient who a participant is; they see nobody else.
    public let patient: String?
    /// The Practitioner who they are.
    public let practitioner: String?
    public let createdAt: Date
    public let disabledAt: Date?

    /// The roles of people who sign in.
    public static let roles: [Role] = [.participant, .practitioner, .staff]

    /// Which resource they are (`fhirUser`), below the FHIR base; nil where there is none.
    public var resource: String? { ownResource.map { "\($0.type)/\($0.id)" } }

    /// The same by its type and its id.
    var ownResource: OwnResource? {
        patient.map { OwnResource(type: "Patient", id: $0) }
            ?? practitioner.map { OwnResource(type: "Practitioner", id: $0) }
    }

    /// Who acts.
    public var actor: Actor { Actor(id: id, role: role, participant: patient) }

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        username = try row.text("username")
        guard let role = Role(rawValue: try row.text("role")), Self.roles.contains(role) else {
            throw StorageError(code: "storage-column", message: "An account has a role that nobody who signs in has.")
        }
        self.role = role
        patient = row.textIfPresent("participant")
        practitioner = row.textIfPresent("practitioner")
        createdAt = try row.date("created_at")
        disabledAt = row.dateIfPresent("disabled_at")
    }

    /// The name as it is looked up; nil for what is none: 1 to 64 letters and digits of ASCII and `.`, `-`, `_`, `@`, `+`,
    /// so that no two names look the same.
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

/// A person at a browser, from when they signed in.
public struct UserSession: Sendable, Hashable {
    public let account: UserAccount
    public let createdAt: Date
    public let expiresAt: Date
    /// What is kept of its secret.
    let digest: String
}
