import Crypto
import CryptoExtras
import Foundation
import SwiftASN1

/// A private key that opens envelopes. Its description contains the key's id, not the key.
public enum PrivateKey: Sendable {
    /// An RSA key of at least 2048 bits.
    case rsa(RSAPrivateKey)
    /// A key on the curve P-256.
    case p256(P256PrivateKey)

    /// Generates an RSA key of 2048 bits, the size that C3-PRO's apps expect.
    public static func generateRSA() throws(WireError) -> PrivateKey { .rsa(try RSAPrivateKey.generate()) }

    /// Generates a P-256 key.
    public static func generateP256() throws(WireError) -> PrivateKey {
        .p256(try P256PrivateKey(P256.KeyAgreement.PrivateKey()))
    }

    /// Reads a private key from PEM: `PRIVATE KEY` (PKCS#8), `RSA PRIVATE KEY` or `EC PRIVATE KEY`, not encrypted.
    /// Throws `key-malformed` or `key-unsupported`.
    public init(pem: String) throws(WireError) {
        let refusal = WireError(.keyMalformed, "The PEM text does not contain an unencrypted RSA or P-256 private key.")
        guard let documents = try? PEMDocument.parseMultiple(pemString: pem),
            let text = documents.first(where: { $0.discriminator.hasSuffix("PRIVATE KEY") })?.pemString
        else { throw refusal }
        if let key = try? P256.KeyAgreement.PrivateKey(pemRepresentation: text) {
            self = .p256(try P256PrivateKey(key))
        } else if let key = try? _RSA.Encryption.PrivateKey(pemRepresentation: text) {
            self = .rsa(try RSAPrivateKey(key))
        } else {
            throw refusal
        }
    }

    /// Whether a PEM text contains a private key under a passphrase (RFC 7468 section 11), which ``init(pem:)`` does
    /// not read.
    public static func isProtected(pem: String) -> Bool {
        ((try? PEMDocument.parseMultiple(pemString: pem)) ?? []).contains {
            $0.discriminator == "ENCRYPTED PRIVATE KEY"
        }
    }

    /// The key as PKCS#8 in DER (RFC 5208), as OpenSSL's `d2i_AutoPrivateKey` reads it. Secret.
    public var pkcs8: Data {
        switch self {
        case .rsa(let key): key.pkcs8
        case .p256(let key): key.pkcs8
        }
    }

    /// The key as PKCS#8 in PEM, label `PRIVATE KEY`. Secret.
    public var pem: String { PublicKey.pem("PRIVATE KEY", pkcs8) }

    /// The public half.
    public var publicKey: PublicKey {
        switch self {
        case .rsa(let key): .rsa(key.publicKey)
        case .p256(let key): .p256(key.publicKey)
        }
    }

    /// The id of the public half.
    public var keyID: String { publicKey.keyID }

    /// The kind of key.
    public var kind: KeyKind { publicKey.kind }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(kind.rawValue) private key \(keyID)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID]) }
}

/// An RSA private key of at least 2048 bits.
public struct RSAPrivateKey: Sendable, CustomReflectable {
    /// The public half.
    public let publicKey: RSAPublicKey
    /// The key as PKCS#8 in DER. Secret.
    public let pkcs8: Data

    static func generate() throws(WireError) -> RSAPrivateKey {
        guard let key = try? _RSA.Encryption.PrivateKey(keySize: .bits2048) else {
            throw WireError(.keyUnsupported, "An RSA key could not be generated.")
        }
        return try RSAPrivateKey(key)
    }

    init(_ key: _RSA.Encryption.PrivateKey) throws(WireError) {
        guard let numbers = try? key.publicKey.getKeyPrimitives() else {
            throw WireError(.keyMalformed, "The numbers of the RSA key cannot be read.")
        }
        publicKey = try RSAPublicKey(modulus: numbers.modulus, exponent: numbers.publicExponent)
        guard let document = try? PEMDocument(pemString: key.pkcs8PEMRepresentation) else {
            throw WireError(.keyMalformed, "The RSA key has no PKCS#8 form.")
        }
        pkcs8 = Data(document.derBytes)
    }

    /// Unwraps a content key by RSAES-OAEP. Throws for any ciphertext that was not encrypted for this key.
    func unwrap(_ wrappedKey: Data, hash: OAEPHash) throws -> Data {
        let text = PublicKey.pem("PRIVATE KEY", pkcs8)
        return try _RSA.Encryption.PrivateKey(pemRepresentation: text).decrypt(wrappedKey, padding: hash.padding)
    }

    public var customMirror: Mirror { Mirror(self, children: ["keyID": publicKey.keyID]) }
}

/// A private key on the curve P-256.
public struct P256PrivateKey: Sendable, CustomReflectable {
    /// The public half.
    public let publicKey: P256PublicKey
    private let key: P256.KeyAgreement.PrivateKey

    init(_ key: P256.KeyAgreement.PrivateKey) throws(WireError) {
        self.key = key
        publicKey = try P256PublicKey(x963: key.publicKey.x963Representation)
    }

    /// The key as PKCS#8 in DER. Secret.
    public var pkcs8: Data { key.derRepresentation }

    /// Returns the secret Z shared with this public key: the x coordinate, 32 bytes (RFC 7518 section 4.6).
    func agree(with other: P256PublicKey) throws(WireError) -> Data {
        guard let other = try? P256.KeyAgreement.PublicKey(x963Representation: other.x963),
            let secret = try? key.sharedSecretFromKeyAgreement(with: other)
        else { throw WireError(.keyMalformed, "No shared secret can be derived from the point on the curve P-256.") }
        return secret.withUnsafeBytes { Data($0) }
    }

    public var customMirror: Mirror { Mirror(self, children: ["keyID": publicKey.keyID]) }
}
