import Foundation
import Identity
import ServerHTTP

/// The configuration of the authorization server: the study, and the parts of the server that it uses.
package struct AuthorizationConfiguration: Sendable {
    /// The public address of the server: the issuer of its tokens.
    let address: PublicAddress
    /// The keys of its id tokens; the first one signs.
    let keys: [SigningKey]
    /// The study's title, for people.
    let title: String
    /// Whether keys of clients may be fetched from loopback addresses.
    let allowsLoopback: Bool
    /// Returns whether a Patient with this id exists.
    let hasPatient: @Sendable (String) async throws -> Bool
    /// The cost of a password hash.
    var passwordCost = PasswordHash.Cost.standard

    /// - Throws: ``SigningKeyError`` if there is no key.
    package init(
        address: PublicAddress, keys: [SigningKey], title: String, allowsLoopback: Bool = false,
        hasPatient: @escaping @Sendable (String) async throws -> Bool
    ) throws {
        guard !keys.isEmpty else { throw SigningKeyError() }
        self.address = address
        self.keys = keys
        self.title = title
        self.allowsLoopback = allowsLoopback
        self.hasPatient = hasPatient
    }

    /// The addresses that are published now.
    var addresses: AuthorizationAddresses { AuthorizationAddresses(base: address.url) }

    /// Lifetime of an app's access token, in seconds.
    static let tokenLifetime: TimeInterval = 3_600
    /// Lifetime of the access token of a client that acts on its own (SMART Backend Services), in seconds.
    static let serviceTokenLifetime: TimeInterval = 300
    /// Lifetime of a person's session, in seconds.
    static let sessionLifetime: TimeInterval = 8 * 3_600
    /// Lifetime of an app's access while the person is not signed in, in seconds.
    static let offlineLifetime: TimeInterval = 90 * 86_400
}

/// The addresses of the authorization server and of the FHIR server that it protects.
package struct AuthorizationAddresses: Sendable, Hashable {
    /// Scheme, host, port and path, without a slash at the end: the issuer.
    let base: String

    /// - Parameter base: without a slash at the end.
    package init(base: String) { self.base = base }

    var fhir: String { base + "/fhir" }
    var authorize: String { base + "/oauth2/authorize" }
    var token: String { base + "/oauth2/token" }
    var introspect: String { base + "/oauth2/introspect" }
    var revoke: String { base + "/oauth2/revoke" }
    var keys: String { base + "/oauth2/jwks.json" }
    /// The page on which people see and end the access of apps.
    var ownAccess: String { base + "/wallet" }
    /// The path below which browsers send the cookies of the pages: that of the server, because pages of several modules
    /// have the session in common.
    var cookiePath: String { RegisteredURL(base).map(\.target) ?? "/" }
    var isSecure: Bool { base.hasPrefix("https:") }
}
