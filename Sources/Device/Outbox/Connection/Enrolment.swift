import Foundation
import Wire

/// A device's membership of one study's server: where it is, what it knows us by, and the keys to seal to. Secret.
public struct Enrolment: Codable, Sendable, Hashable {
    /// The study's base URL, without a slash at the end.
    public let baseURL: String
    /// The client's id.
    public let clientID: String
    /// The client's secret.
    public let clientSecret: String
    /// The study's shared word.
    public let antispam: String
    /// The study's public keys as the JWK set it published.
    public let jwks: String
    /// The signature of the keys; `nil` where nobody gave the root's fingerprint, and then whoever answers under the
    /// study's address can give keys of their own.
    public let signedKeys: SignedKeys?

    /// The certificate of the private authority that the server's certificate is of, in PEM; `nil` where the system trusts the
    /// server's. A transport that honours it is the app's to give: URLSession takes none.
    public let certificateAuthority: String?

    /// What is known of the signature of the study's keys.
    public struct SignedKeys: Codable, Sendable, Hashable {
        /// The fingerprint of the study's root key, as the app or the invitation brought it.
        public let root: String
        /// When the keys were signed.
        public let issuedAt: Date
        /// When they end.
        public let expiresAt: Date
        /// When the device fetched them.
        public let fetchedAt: Date

        /// Whether they are to be fetched again: a day after the last time, so that a rotation reaches the device.
        public func isDue(now: Date) -> Bool {
            now >= expiresAt || abs(now.timeIntervalSince(fetchedAt)) >= 86_400
        }
    }

    /// Puts an enrolment together. Throws ``OutboxError`` `url-invalid`, or `WireError` for keys that cannot be used.
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

    /// The same enrolment at another address of the study's server, or with another private authority.
    ///
    /// - Parameters:
    ///   - baseURL: the new address; nil for the one that it has.
    ///   - certificateAuthority: the authority's certificate in PEM; nil for the one that it has.
    /// - Throws: ``OutboxError`` `url-invalid`.
    public func changing(baseURL: String? = nil, certificateAuthority: String? = nil) throws -> Enrolment {
        try Enrolment(
            baseURL: baseURL ?? self.baseURL, clientID: clientID, clientSecret: clientSecret, antispam: antispam,
            jwks: jwks, signedKeys: signedKeys,
            certificateAuthority: certificateAuthority ?? self.certificateAuthority)
    }

    /// The published keys.
    public func publishedKeys() throws(WireError) -> PublishedKeys { try PublishedKeys(reading: Data(jwks.utf8)) }

    /// The study's own keys.
    public func publicKeys() throws(WireError) -> [PublicKey] { try publishedKeys().own }

    /// The id of the study, as its published keys name it; `nil` where they do not, as those of an older server.
    public var studyID: String? { PublicKey.study(ofKeys: Data(jwks.utf8)) }

    /// The keys to seal a JWE to: one of the study's, and those of others who open it alone, if the study names any.
    public func recipients() throws(WireError) -> [PublicKey] { try publishedKeys().recipients }

    /// The key to seal a C3-PRO envelope to; `nil` if the study has no RSA key.
    public func rsaRecipient() throws(WireError) -> RSAPublicKey? { try publishedKeys().rsa }

    /// An address below the base URL. Throws `url-invalid`.
    public func url(_ path: String) throws(OutboxError) -> URL {
        guard let url = URL(string: baseURL + path) else {
            throw OutboxError(.urlInvalid, "The study's address is no URL.")
        }
        return url
    }

    /// Checks a base URL: https, or http to this machine only, since secrets go over it; no user, query or fragment.
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
