import Core
import ResearchResults

/// The account holder, as the server knows them.
public struct AccountHolder: Sendable, Hashable {
    /// The id of the account.
    public let account: String
    /// The e-mail address.
    public let email: String
    /// Whether the code of the mail to this address has come back. Grants of the account take effect afterwards.
    public let isVerified: Bool
    /// The names of the groups of the account.
    public let groups: [String]
    /// Whether roles may read the data of the account.
    public let isSharing: Bool

    init(account: String, email: String, isVerified: Bool = false, groups: [String] = [], isSharing: Bool = true) {
        self.account = account
        self.email = email
        self.isVerified = isVerified
        self.groups = groups
        self.isSharing = isSharing
    }

    /// Reads the body of `GET me`; nil if it is none.
    init?(json: JSON) {
        guard let account = json["account"]?.string, AccountText.isID(account), let email = json["email"]?.string,
            email.utf8.count <= EmailAddress.maximumBytes
        else { return nil }
        self.init(
            account: account, email: email, isVerified: json["verified"]?.bool ?? false,
            groups: (json["groups"]?.array ?? []).compactMap(\.string), isSharing: json["sharing"]?.bool ?? true)
    }

    /// `{account,email,verified,groups,sharing}`, as in `GET me`.
    public var json: JSON {
        [
            "account": .string(account), "email": .string(email), "verified": .bool(isVerified),
            "groups": .array(groups.map { .string($0) }), "sharing": .bool(isSharing),
        ]
    }
}

/// A profile with the tag of its version.
///
/// ```swift
/// var stored = try await client.profile()
/// stored.profile.givenName = "Ann"
/// stored = try await client.save(stored)
/// ```
public struct StoredProfile: Sendable, Hashable {
    /// The profile.
    public var profile: AccountProfile
    /// The entity tag of the version that was read (RFC 9110 section 8.8.3).
    public let tag: String

    /// Creates a profile of a version.
    public init(profile: AccountProfile, tag: String) {
        self.profile = profile
        self.tag = tag
    }
}

/// The state of the phone's user.
public enum AccountState: Sendable, Hashable {
    /// No account is signed in.
    case signedOut
    /// An account is signed in, with the profile as it was last read; nil if it was not read yet.
    case signedIn(AccountHolder, profile: AccountProfile?)

    /// The account that is signed in; nil for none.
    public var holder: AccountHolder? { if case .signedIn(let holder, _) = self { holder } else { nil } }

    /// The profile as it was last read; nil if no account is signed in or the profile was not read yet.
    public var profile: AccountProfile? { if case .signedIn(_, let profile) = self { profile } else { nil } }
}
