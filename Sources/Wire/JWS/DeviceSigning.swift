import Core
import Crypto
import Foundation

/// A device's key, which signs what the device sends. The private half never leaves the conforming type.
///
/// On Apple's systems the key is in the Secure Enclave (`SecureEnclaveKey` of the outbox); elsewhere it is a
/// ``P256SigningKey`` that is stored with the device's secrets.
public protocol DeviceSigning: Sendable {
    /// The public half.
    var publicKey: P256PublicKey { get }

    /// Returns the ES256 signature of the bytes (RFC 7518 section 3.4): r and s, 32 bytes each.
    func signature(of bytes: Data) throws -> Data
}

/// A private P-256 key in memory. Its description contains the key's id, not the key.
public struct P256SigningKey: DeviceSigning, CustomStringConvertible, CustomReflectable {
    /// The public half.
    public let publicKey: P256PublicKey
    private let key: P256.Signing.PrivateKey

    /// Generates a new key.
    public init() throws(WireError) { try self.init(P256.Signing.PrivateKey()) }

    /// Reads a key of 32 bytes, the number d of RFC 7518 section 6.2.2.1. Throws `key-malformed`.
    public init(rawRepresentation: Data) throws(WireError) {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: rawRepresentation) else {
            throw WireError(.keyMalformed, "The device's signing key is damaged.")
        }
        try self.init(key)
    }

    /// Reads a key from PEM: `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY`, not encrypted. Throws `key-malformed`.
    public init(pem: String) throws(WireError) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
            throw WireError(.keyMalformed, "The PEM text does not contain an unencrypted P-256 private key.")
        }
        try self.init(key)
    }

    /// The key as PKCS#8 in PEM. Secret.
    public var pem: String { key.pemRepresentation + "\n" }

    private init(_ key: P256.Signing.PrivateKey) throws(WireError) {
        self.key = key
        publicKey = try P256PublicKey(x963: key.publicKey.x963Representation)
    }

    /// The number d, 32 bytes. Secret.
    public var rawRepresentation: Data { key.rawRepresentation }

    public func signature(of bytes: Data) throws -> Data { try key.signature(for: bytes).rawRepresentation }

    public var description: String { "signing key \(publicKey.keyID)" }
    public var customMirror: Mirror { Mirror(self, children: ["keyID": publicKey.keyID]) }
}

extension P256PublicKey {
    /// The key as a JWK for checking signatures (RFC 7517 section 4): `use` `sig`, `alg` `ES256`, `kid` the thumbprint.
    public var signingJWK: Data {
        let members = PublicKey.ellipticMembers(self) + [("kid", keyID), ("use", "sig"), ("alg", "ES256")]
        return JSON(members.map { .init(key: $0.0, value: .string($0.1)) }).data()
    }

    /// Reads a JWK for checking signatures. Throws `key-malformed` if it is not a public P-256 key or if its `use` or
    /// `alg`, when present, is for something else; `key-is-private` if it contains the private half.
    public init(signingJWK: Data) throws(WireError) {
        guard signingJWK.count <= 4_096, let jwk = JSON(reading: signingJWK) else {
            throw WireError(.keyMalformed, "The signing key is not a JWK.")
        }
        guard jwk["d"] == nil else { throw WireError(.keyIsPrivate, "The signing key contains its private half.") }
        guard jwk["use"]?.string ?? "sig" == "sig", jwk["alg"]?.string ?? "ES256" == "ES256",
            case .p256(let key) = try PublicKey(jwk: jwk)
        else { throw WireError(.keyMalformed, "The signing key is not a P-256 key for ES256.") }
        self = key
    }
}
