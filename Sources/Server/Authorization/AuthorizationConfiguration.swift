import Foundation
import ServerHTTP
import Trust

/// What the authorization server is told of the study and of the rest of the house.
public struct AuthorizationConfiguration: Sendable {
    /// Where others reach the server: the issuer of its tokens.
    let address: PublicAddress
    /// The keys of its id tokens, the one that signs first.
    let keys: [SigningKey]
    /// The study's title, for people.
    let title: String
    /// Whether keys of clients may be fetched from the machine itself.
    let allowsLoopback: Bool
    /// Whether there is a Patient of an id.
    let hasPatient: @Sendable (String) async throws -> Bool
    /// How much work a guess of a password is.
    var passwordCost = PasswordHash.Cost.standard

    /// - Throws: ``SigningKeyError`` where there is no key.
    public init(
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

    /// Seconds that an access token of an app lives.
    static let tokenLifetime: TimeInterval = 3_600
    /// Seconds that one of a client that acts on its own lives (SMART Backend Services).
    static let serviceTokenLifetime: TimeInterval = 300
    /// Seconds that a person stays signed in.
    static let sessionLifetime: TimeInterval = 8 * 3_600
    /// Seconds that an app keeps access when nobody is signed in.
    static let offlineLifetime: TimeInterval = 90 * 86_400
}

/// The addresses of the authorization server and of what it protects.
public struct AuthorizationAddresses: Sendable, Hashable {
    /// Scheme, host, port and path, without a slash at the end: the issuer.
    let base: String

    /// - Parameter base: without a slash at the end.
    public init(base: String) { self.base = base }

    var fhir: String { base + "/fhir" }
    var authorize: String { base + "/oauth2/authorize" }
    var token: String { base + "/oauth2/token" }
    var introspect: String { base + "/oauth2/introspect" }
    var revoke: String { base + "/oauth2/revoke" }
    var keys: String { base + "/oauth2/jwks.json" }
    /// The path below which browsers send the cookies of the pages.
    var cookiePath: String {
        let path = RegisteredURL(base).map(\.target) ?? "/"
        return (path == "/" ? "" : path) + "/oauth2"
    }
    var isSecure: Bool { base.hasPrefix("https:") }
}
