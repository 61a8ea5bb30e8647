import Core
import Crypto
import CryptoExtras
import Foundation

/// A public key that verifies signatures.
public enum SignatureKey: Sendable, Hashable {
    /// A key on the curve P-256, for ES256.
    case p256(P256PublicKey)
    /// A key on the curve P-384, for ES384: the uncompressed point of ANSI X9.63, 97 bytes.
    case p384(P384PublicKey)
    /// An RSA key of at least 2048 bits, for RS256 and RS384.
    case rsa(RSAPublicKey)

    /// Reads the public members of a JWK (RFC 7517 section 4, RFC 7518 section 6).
    ///
    /// - Throws: ``WireError`` `key-malformed`, `key-unsupported` for another kind or size, and `key-is-private` if it
    ///   contains the private half: a private key that was disclosed proves nothing.
    public init(jwk: JSON) throws(WireError) {
        // The private members of RSA and of elliptic curves, and a secret (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1).
        guard !["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains(where: { jwk[$0] != nil }) else {
            throw WireError(.keyIsPrivate, "The JWK contains its private half.")
        }
        if jwk["kty"]?.string == "EC", jwk["crv"]?.string == "P-384" {
            self = .p384(try P384PublicKey(x963: PublicKey.point(jwk, coordinateBytes: 48)))
            return
        }
        switch try PublicKey(jwk: jwk) {
        case .p256(let key): self = .p256(key)
        case .rsa(let key): self = .rsa(key)
        }
    }

    /// The algorithms whose signatures the key can verify.
    public var algorithms: Set<SignatureAlgorithm> {
        switch self {
        case .p256: [.es256]
        case .p384: [.es384]
        case .rsa: [.rs256, .rs384]
        }
    }

    /// The type of the key in a JWK (RFC 7518 section 6.1).
    var keyType: String {
        switch self {
        case .p256, .p384: "EC"
        case .rsa: "RSA"
        }
    }

    /// Whether the key made a signature by an algorithm. A signature of zeros is refused (CVE-2022-21449), and so is
    /// one in DER.
    func holds(_ signature: Data, of bytes: Data, by algorithm: SignatureAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.p256(let key), .es256):
            guard let verifier = try? P256.Signing.PublicKey(x963Representation: key.x963),
                let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return verifier.isValidSignature(parsed, for: bytes)
        case (.p384(let key), .es384):
            guard let verifier = try? P384.Signing.PublicKey(x963Representation: key.x963),
                let parsed = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return verifier.isValidSignature(parsed, for: bytes)
        case (.rsa(let key), .rs256):
            return key.holds(signature, of: SHA256.hash(data: bytes))
        case (.rsa(let key), .rs384):
            return key.holds(signature, of: SHA384.hash(data: bytes))
        case (.p256, _), (.p384, _), (.rsa, _): return false
        }
    }
}

/// A public key on the curve P-384 that checks signatures.
public struct P384PublicKey: Sendable, Hashable {
    /// The uncompressed point of ANSI X9.63: 04, x and y, 97 bytes.
    public let x963: Data

    /// Creates a key from an uncompressed X9.63 point. Throws `key-malformed` if it is not on the curve.
    public init(x963: Data) throws(WireError) {
        guard (try? P384.Signing.PublicKey(x963Representation: x963)) != nil else {
            throw WireError(.keyMalformed, "The point is not on the curve P-384.")
        }
        self.x963 = Data(x963)
    }
}

extension RSAPublicKey {
    /// Whether the key made an RSASSA-PKCS1-v1_5 signature of a digest (RFC 8017 section 8.2), which is as long as the
    /// modulus.
    fileprivate func holds(_ signature: Data, of digest: some Digest) -> Bool {
        guard signature.count == modulus.count,
            let verifier = try? _RSA.Signing.PublicKey(derRepresentation: subjectPublicKeyInfo)
        else { return false }
        return verifier.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
    }
}
