import AccessPolicy
import Foundation
import Storage

/// Authorization of a client: what a person approved, or what the client has by itself. All its tokens depend on it.
package struct AccessAuthorization: Sendable, Hashable {
    package let id: String
    package let clientID: String
    /// Account of the person who approved; nil for a client without a person.
    package let accountID: String?
    /// Patient that was selected for the app.
    package let patient: String?
    package let scopes: AccessScopes
    /// Time at which the person signed in.
    package let authenticatedAt: Date?
    package let createdAt: Date
    /// Time at which it ends, regardless of refreshes.
    package let expiresAt: Date
    /// Whether its tokens carry permissions of people.
    let carriesPermissions: Bool

    init(_ row: SQLRow) throws {
        id = try row.text("id")
        clientID = try row.text("client_id")
        accountID = row.textIfPresent("account_id")
        patient = row.textIfPresent("participant")
        scopes = try AccessScopes(row.text("scopes"))
        authenticatedAt = row.dateIfPresent("authenticated_at")
        createdAt = try row.date("created_at")
        expiresAt = try row.date("expires_at")
        carriesPermissions = row["permission_changes"] != .null
    }
}

/// Issued tokens; the only time they are returned.
package struct IssuedTokens: Sendable, Hashable {
    package let accessToken: String
    /// Expiry of the access token.
    package let expiresAt: Date
    /// Scopes of the access token.
    package let scopes: AccessScopes
    package let refreshToken: String?
    package let authorization: AccessAuthorization
    /// Value that connects the response with the app's request (OpenID Connect Core 1.0 section 3.1.2.1).
    package let nonce: String?
    /// Account of the person for whom the app acts.
    package let account: UserAccount?
}

/// Token information for introspection by its client (RFC 7662 section 2.2).
package struct TokenInformation: Sendable, Hashable {
    package let scopes: AccessScopes
    package let createdAt: Date
    package let expiresAt: Date
    package let authorization: AccessAuthorization
    package let account: UserAccount?
}

extension AccessScopes {
    /// Returns the maximum scopes that a role can give to a client, or that a client has by itself. The study team has
    /// read access only.
    package static func maximum(of role: Role) -> AccessScopes {
        let person = "launch/patient openid fhirUser profile offline_access online_access conf/V sens/*"
        let text =
            switch role {
            case .participant, .practitioner: "patient/*.cruds user/*.cruds " + person
            case .staff: "patient/*.rs user/*.rs " + person
            case .service: "system/*.cruds conf/V sens/*"
            case .device, .site, .accountHolder: ""
            }
        return AccessScopes(known: text.split(separator: " ").map { AccessScope($0) })
    }

    /// Whether a patient must be selected for the app.
    package var needPatient: Bool {
        contains(.launchPatient) || resources.contains { $0.context == .patient }
    }

    /// Whether the client may request new access tokens after the first one has expired.
    package var permitRefreshing: Bool { contains(.offlineAccess) || contains(.onlineAccess) }

    /// Returns the scopes with the given texts, in the order of these scopes.
    package func keeping(_ texts: Set<String>) -> AccessScopes {
        AccessScopes(known: scopes.filter { texts.contains($0.text) }).withholding(withheldTypes)
    }
}
