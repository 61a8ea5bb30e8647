import Foundation
import Wire

/// A device's enrolment at one study's server: its address, the device's credentials, and the keys to seal to. Secret.
public struct Enrolment: Codable, Sendable, Hashable {
    /// The study's base URL, without a trailing slash.
    public let baseURL: String
    /// The client's id.
    public let clientID: String
    /// The client's secret.
    public let clientSecret: String
    /// The study's shared antispam word.
    public let antispam: String
    /// The study's public keys, as the published JWK set.
    public let jwks: String
    /// The signature of the keys; `nil` if the root's fingerprint is unknown. Then any server at the study's address
    /// can substitute keys of its own.
    public let signedKeys: SignedKeys?

    /// The certificate, in PEM, of the private authority that issued the server's certificate; `nil` if the system
    /// trusts the server's certificate. The app must provide a transport that uses it: URLSession does not.
    public let certificateAuthority: String?

    /// The signature data of the study's keys.
    public struct SignedKeys: Codable, Sendable, Hashable {
        /// The fingerprint of the study's root key, from the app or the invitation.
        public let root: String
        /// When the keys were signed.
        public let issuedAt: Date
        /// When the signature expires.
        public let expiresAt: Date
        /// When the device fetched them.
        public let fetchedAt: Date

        /// Returns whether the keys must be fetched again: after their expiry, or a day after the last time, so that a
        /// rotation reaches the device.
        public func isDue(now: Date) -> Bool {
            now >= expiresAt || abs(now.timeIntervalSince(fetchedAt)) >= 86_400
        }
    }

    /// Creates an enrolment. Throws ``OutboxError`` `url-invalid`, or `WireError` for unusable keys.
    public init(
        baseURL: String, clientID: String, clientSecret: String, antispam: String, jwks: String,
        signedKeys: SignedKeys? = nil, certificateAuthority: String? = nil
    ) throws {
        self.certificateAuthority = certificateAuthority
        self.signedKeys = signedKeys
        self.baseURL = try Self.checked(baseURL)
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.antispam = antispam
        self.jwks = jwks
        _ = try publicKeys()
    }

    /// Returns the enrolment with another address of the study's server, or with another private authority.
    ///
    /// - Parameters:
    ///   - baseURL: the new address; nil keeps the present one.
    ///   - certificateAuthority: the authority's certificate in PEM; nil keeps the present one.
    /// - Throws: ``OutboxError`` `url-invalid`.
    public func changing(baseURL: String? = nil, certificateAuthority: String? = nil) throws -> Enrolment {
        try Enrolment(
            baseURL: baseURL ?? self.baseURL, clientID: clientID, clientSecret: clientSecret, antispam: antispam,
            jwks: jwks, signedKeys: signedKeys,
            certificateAuthority: certificateAuthority ?? self.certificateAuthority)
    }

    /// Returns the published keys.
    public func publishedKeys() throws(WireError) -> PublishedKeys { try PublishedKeys(reading: Data(jwks.utf8)) }

    /// Returns the study's own keys.
    public func publicKeys() throws(WireError) -> [PublicKey] { try publishedKeys().own }

    /// The id of the study in its published keys; `nil` for an older server, whose keys do not contain it.
    public var studyID: String? { PublicKey.study(ofKeys: Data(jwks.utf8)) }

    /// Returns the keys to seal a JWE to: one of the study's, and those of additional recipients, if the study names
    /// any.
    public func recipients() throws(WireError) -> [PublicKey] { try publishedKeys().recipients }

    /// Returns the key to seal a C3-PRO envelope to; `nil` if the study has no RSA key.
    public func rsaRecipient() throws(WireError) -> RSAPublicKey? { try publishedKeys().rsa }

    /// Returns a URL below the base URL. Throws `url-invalid`.
    public func url(_ path: String) throws(OutboxError) -> URL {
        guard let url = URL(string: baseURL + path) else {
            throw OutboxError(.urlInvalid, "The study's address is no URL.")
        }
        return url
    }

    /// Checks a base URL: https, or http to this machine only, because it carries secrets; no user, query or fragment.
    static func checked(_ text: String) throws(OutboxError) -> String {
        var text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        while text.hasSuffix("/") { text.removeLast() }
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil, let scheme = parts.scheme?.lowercased()
        else { throw OutboxError(.urlInvalid, "The study's address must look like https://study.example/path.") }
        let local = host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
        guard scheme == "https" || (scheme == "http" && local) else {
            throw OutboxError(.urlInvalid, "The study's address must begin with https, except on this machine.")
        }
        return text
    }
}

extension Enrolment: CustomStringConvertible, CustomReflectable {
    public var description: String { "enrolment \(clientID) at \(baseURL)" }
    public var customMirror: Mirror { Mirror(self, children: ["baseURL": baseURL, "clientID": clientID]) }
}
