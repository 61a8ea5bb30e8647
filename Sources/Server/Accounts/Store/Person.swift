import Foundation
import Storage

/// The row of an account holder.
struct Person: Sendable {
    let id: String
    /// The e-mail address as the person wrote it.
    let email: String
    let verifiedAt: Date?
    let isSharing: Bool
    /// JSON of the profile.
    let profile: String
    /// Digest of the photo.
    let photo: String?
    let storedBytes: Int64
    let deletionRequestedAt: Date?

    var isVerified: Bool { verifiedAt != nil }

    init(_ row: SQLRow) throws {
        id = try row.text("account_id")
        email = try row.text("email")
        verifiedAt = row.dateIfPresent("verified_at")
        isSharing = try row.integer("sharing") != 0
        profile = try row.text("profile")
        photo = row.textIfPresent("photo")
        storedBytes = try row.integer("stored_bytes")
        deletionRequestedAt = row.dateIfPresent("deletion_requested_at")
    }

    /// Returns the person with an account's id; nil if there is none, or their deletion was requested.
    static func find(_ id: String, in transaction: any SQLTransaction) throws -> Person? {
        let person = try transaction.first(personSQL, [SQLValue(id)]).map { try Person($0) }
        return person?.deletionRequestedAt == nil ? person : nil
    }

    /// Returns the groups of an account.
    static func groups(of id: String, in transaction: any SQLTransaction) throws -> [String] {
        try transaction.query(groupsSQL, [SQLValue(id)]).map { try $0.text("group_name") }
    }

    /// Parameter: account.
    static let personSQL = "SELECT * FROM person WHERE account_id = ?"
    static let groupsSQL = "SELECT group_name FROM person_group WHERE account_id = ? ORDER BY group_name"
}
