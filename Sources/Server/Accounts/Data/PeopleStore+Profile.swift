import AccessPolicy
import Audit
import Core
import Foundation
import Identity
import ResearchResults
import Storage

/// The outcome of a change of a profile.
enum ProfileOutcome: Sendable, Hashable {
    /// The entity tag of the new profile.
    case changed(tag: String)
    /// The profile has changed since the caller read it.
    case stale
}

/// The text of a profile and its entity tag (RFC 9110 section 8.8.3).
struct ProfileText: Sendable, Hashable {
    let text: String

    /// The tag with its quotation marks: half of the SHA-256 of the text.
    var tag: String { Self.tag(of: text) }

    static func tag(of text: String) -> String { "\"\(SecretDigest(of: text).hex.prefix(32))\"" }
}

extension PeopleStore {
    /// Replaces the profile of an account.
    ///
    /// - Parameter tags: tags of profiles that the caller read; nil for any (`If-Match: *`).
    func setProfile(_ profile: AccountProfile, of account: String, ifMatch tags: [String]?) async throws
        -> ProfileOutcome
    {
        let text = profile.json.text()
        return try await database.write { transaction in
            guard let person = try Person.find(account, in: transaction) else { throw AccessError.accountUnknown }
            let current = ProfileText(text: person.profile)
            guard tags?.contains(current.tag) ?? true else { return .stale }
            try record(account, "profile", in: transaction)
            if text != person.profile { try Self.write(profile: text, of: account, in: transaction) }
            return .changed(tag: ProfileText.tag(of: text))
        }
    }

    /// Writes the text of a profile, and records the change.
    static func write(profile text: String, of account: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "UPDATE person SET profile = ? WHERE account_id = ?", [SQLValue(text), SQLValue(account)])
        try MembershipStore.record(.profile, of: account, in: transaction)
    }

    /// Replaces the photo of an account.
    ///
    /// - Throws: ``AccountDataError`` `account-full`.
    func setPhoto(_ content: Data, of account: String) async throws {
        let digest = SecretDigest.hex(of: content)
        try await database.write { transaction in
            guard let person = try Person.find(account, in: transaction) else { throw AccessError.accountUnknown }
            try record(account, "photo", in: transaction)
            guard person.photo != digest else { return }
            try Self.insertBlob(content, digest: digest, of: person, at: clock(), in: transaction)
            try transaction.execute(
                "UPDATE person SET photo = ? WHERE account_id = ?", [SQLValue(digest), SQLValue(account)])
            if let former = person.photo { try Self.removeBlobIfUnused(former, of: account, in: transaction) }
            try MembershipStore.record(.photo, of: account, in: transaction)
        }
    }
}
