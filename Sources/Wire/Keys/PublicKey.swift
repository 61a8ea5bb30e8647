import Foundation
import SwiftASN1

/// A public key for sealing: RSA for C3-PRO and for JWE, P-256 for JWE.
public enum PublicKey: Sendable, Hashable {
    /// An RSA key of at least 2048 bits.
    case rsa(RSAPublicKey)
    /// A key on the curve P-256.
    case p256(P256PublicKey)

    /// The kind of key.
    public var kind: KeyKind {
        switch self {
        case .rsa: .rsa
        case .p256: .p256
        }
    }

    /// The key's id: its SHA-256 JWK thumbprint (RFC 7638), base64url. Anyone with the public key can compute it.
    public var keyID: String {
        switch self {
        case .rsa(let key): key.keyID
        case .p256(let key): key.keyID
        }
    }

    /// The key as SubjectPublicKeyInfo in DER (RFC 5280 section 4.1.2.7).
    public var subjectPublicKeyInfo: Data {
        switch self {
        case .rsa(let key): key.subjectPublicKeyInfo
        case .p256(let key): key.subjectPublicKeyInfo
        }
    }

    /// The SubjectPublicKeyInfo as PEM, label `PUBLIC KEY` (RFC 7468 section 13).
    public var pem: String { Self.pem("PUBLIC KEY", subjectPublicKeyInfo) }

    /// Returns one PEM document that ends with a newline.
    static func pem(_ label: String, _ bytes: Data) -> String {
        PEMDocument(type: label, derBytes: [UInt8](bytes)).pemString + "\n"
    }
}

/// Kind of key that envelopes use.
public enum KeyKind: String, Sendable, Hashable, CaseIterable {
    /// RSA, at least 2048 bits.
    case rsa
    /// Elliptic curve P-256.
    case p256
}
