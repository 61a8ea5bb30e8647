import Foundation
import Storage

/// Authorization of a client: what a person approved, or what the client has by itself. All its tokens depend on it.
public struct AccessAuthorization: Sendable, Hashable {
    public let id: String
    public let clientID: String
    /// Account of the person who approved; nil for a client without a person.
    public let accountID: String?
    /// Patient that was selected for the app.
    public let patient: String?
    public let scopes: AccessScopes
    /// Time at which the person signed in.
    public let authenticatedAt: Date?
    public let createdAt: Date
    /// Time at which it ends, regardless of refreshes.
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

/// Issued tokens; the only time they are returned.
public struct IssuedTokens: Sendable, Hashable {
    public let accessToken: String
    /// Expiry of the access token.
    public let expiresAt: Date
    /// Scopes of the access token.
    public let scopes: AccessScopes
    public let refreshToken: String?
    public let authorization: AccessAuthorization
    /// Value that connects the response with the app's request (OpenID Connect Core 1.0 section 3.1.2.1).
    public let nonce: String?
    /// Account of the person for whom the app acts.
    public let account: UserAccount?
}

/// Token information for introspection by its client (RFC 7662 section 2.2).
public struct TokenInformation: Sendable, Hashable {
    public let scopes: AccessScopes
    public let createdAt: Date
    public let expiresAt: Date
    public let authorization: AccessAuthorization
    public let account: UserAccount?
}

extension AccessScopes {
    /// Returns the maximum scopes that a role can give to a client, or that a client has by itself. The study team has
    /// read access only.
    public static func maximum(of role: Role) -> AccessScopes {
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

    /// Whether a patient must be selected for the app.
    public var needPatient: Bool {
        contains(.launchPatient) || resources.contains { $0.context == .patient }
    }

    /// Whether the client may request new access tokens after the first one has expired.
    public var permitRefreshing: Bool { contains(.offlineAccess) || contains(.onlineAccess) }

    /// Returns the scopes with the given texts, in the order of these scopes.
    public func keeping(_ texts: Set<String>) -> AccessScopes {
        AccessScopes(known: scopes.filter { texts.contains($0.text) })
    }
}
