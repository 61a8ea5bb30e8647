import Foundation
import Storage

/// What a client may do: what a person approved, or what it has on its own. All its tokens hang on it.
public struct AccessAuthorization: Sendable, Hashable {
    public let id: String
    public let clientID: String
    /// The account of the person who approved; nil where the client acts on its own.
    public let accountID: String?
    /// The patient that was chosen for the app.
    public let patient: String?
    public let scopes: AccessScopes
    /// When the person signed in.
    public let authenticatedAt: Date?
    public let createdAt: Date
    /// When it ends, whatever is asked for again until then.
    public let expiresAt: Date

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        clientID = try row.text("client_id")
        accountID = row.textIfPresent("account_id")
        patient = row.textIfPresent("participant")
        scopes = try AccessScopes(row.text("scopes"))
        authenticatedAt = row.dateIfPresent("authenticated_at")
        createdAt = try row.date("created_at")
        expiresAt = try row.date("expires_at")
    }
}

/// Tokens that were given out, the only time they are seen.
public struct IssuedTokens: Sendable, Hashable {
    public let accessToken: String
    /// When the access token ends.
    public let expiresAt: Date
    /// What the access token may do.
    public let scopes: AccessScopes
    public let refreshToken: String?
    public let authorization: AccessAuthorization
    /// The value by which the app knows the answer to its own request (OpenID Connect Core 1.0 section 3.1.2.1).
    public let nonce: String?
    /// The person for whom the app acts.
    public let account: UserAccount?
}

/// What is told of a token to whom it was given to (RFC 7662 section 2.2).
public struct TokenInformation: Sendable, Hashable {
    public let scopes: AccessScopes
    public let createdAt: Date
    public let expiresAt: Date
    public let authorization: AccessAuthorization
    public let account: UserAccount?
}

extension AccessScopes {
    /// The most that somebody in a role may let a client have, or a client has on its own: the study team reads.
    public static func most(of role: Role) -> AccessScopes {
        let person = "launch/patient openid fhirUser profile offline_access online_access conf/V sens/*"
        let text =
            switch role {
            case .participant, .practitioner: "patient/*.cruds user/*.cruds " + person
            case .staff: "patient/*.rs user/*.rs " + person
            case .service: "system/*.cruds conf/V sens/*"
            case .device, .site: ""
            }
        return AccessScopes(known: text.split(separator: " ").map { AccessScope($0) })
    }

    /// Whether a patient has to be chosen for the app.
    public var needPatient: Bool {
        contains(.launchPatient) || resources.contains { $0.context == .patient }
    }

    /// Whether it may ask for new tokens after the first has ended.
    public var permitRefreshing: Bool { contains(.offlineAccess) || contains(.onlineAccess) }

    /// Those that some texts name, in the order of these scopes.
    public func keeping(_ texts: Set<String>) -> AccessScopes {
        AccessScopes(known: scopes.filter { texts.contains($0.text) })
    }
}
