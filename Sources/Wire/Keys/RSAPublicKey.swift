import Core
import Crypto
import CryptoExtras
import Foundation

/// An RSA public key of at least 2048 bits.
public struct RSAPublicKey: Sendable, Hashable {
    /// The modulus, big endian, without leading zeros.
    public let modulus: Data
    /// The public exponent, big endian, without leading zeros.
    public let exponent: Data
    /// The key as SubjectPublicKeyInfo in DER.
    public let subjectPublicKeyInfo: Data

    /// Maximum length of a modulus in bytes. A larger one would only cost time.
    static let maximumModulusBytes = 1024

    /// Creates a key from its numbers, big endian. Throws `key-unsupported` below 2048 or above 8192 bits, or if the
    /// numbers are not an RSA key.
    public init(modulus: Data, exponent: Data) throws(WireError) {
        let modulus = Data(modulus.drop { $0 == 0 })
        let exponent = Data(exponent.drop { $0 == 0 })
        let refusal = WireError(.keyUnsupported, "An RSA key must have 2048 to 8192 bits and a proper exponent.")
        // BoringSSL has the same limit for the exponent (33 bits): larger ones cost time without benefit.
        guard modulus.count >= 256, modulus.count <= Self.maximumModulusBytes, (1...5).contains(exponent.count) else {
            throw refusal
        }
        guard let key = try? _RSA.Encryption.PublicKey(n: modulus, e: exponent), key.keySizeInBits >= 2048,
            key.keySizeInBits % 8 == 0
        else { throw refusal }
        subjectPublicKeyInfo = key.derRepresentation
        self.modulus = modulus
        self.exponent = exponent
    }

    /// The JWK thumbprint (RFC 7638), base64url.
    public var keyID: String {
        // RFC 7638 section 3.2: only the required members, in lexicographic order, without white space.
        let members = "{\"e\":\"\(exponent.base64URL)\",\"kty\":\"RSA\",\"n\":\"\(modulus.base64URL)\"}"
        return Data(SHA256.hash(data: Data(members.utf8))).base64URL
    }

    /// Wraps a content key by RSAES-OAEP (RFC 8017 section 7.1).
    func wrap(_ contentKey: SymmetricKey, hash: OAEPHash) throws(WireError) -> Data {
        do {
            let key = try _RSA.Encryption.PublicKey(derRepresentation: subjectPublicKeyInfo)
            return try key.encrypt(contentKey.withUnsafeBytes { Data($0) }, padding: hash.padding)
        } catch { throw .sealingFailed }
    }
}

/// The hash of RSAES-OAEP and of its mask generation function.
public enum OAEPHash: String, Sendable, Hashable, CaseIterable {
    /// SHA-1, used by C3-PRO's envelope.
    case sha1
    /// SHA-256, JOSE's `RSA-OAEP-256`.
    case sha256

    var padding: _RSA.Encryption.Padding {
        switch self {
        case .sha1: .PKCS1_OAEP
        case .sha256: .PKCS1_OAEP_SHA256
        }
    }
}
