import Core
import Crypto
import Foundation

/// A public key on the curve P-256: for key agreement, or for checking signatures.
public struct P256PublicKey: Sendable, Hashable {
    /// The uncompressed point of ANSI X9.63: 04, x and y, 65 bytes.
    public let x963: Data

    /// Creates a key from an X9.63 point, uncompressed or compressed. Throws `key-malformed` if it is not on the curve.
    public init(x963: Data) throws(WireError) {
        let key: P256.KeyAgreement.PublicKey
        do {
            key =
                x963.count == 33
                ? try P256.KeyAgreement.PublicKey(compressedRepresentation: x963)
                : try P256.KeyAgreement.PublicKey(x963Representation: x963)
        } catch {
            throw WireError(.keyMalformed, "The point is not on the curve P-256.")
        }
        self.x963 = x963.count == 65 ? Data(x963) : key.x963Representation
    }

    /// The x coordinate, 32 bytes.
    public var x: Data { Data(x963.dropFirst().prefix(32)) }

    /// The y coordinate, 32 bytes.
    public var y: Data { Data(x963.suffix(32)) }

    /// The JWK thumbprint (RFC 7638), base64url.
    public var keyID: String {
        let members = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x.base64URL)\",\"y\":\"\(y.base64URL)\"}"
        return Data(SHA256.hash(data: Data(members.utf8))).base64URL
    }

    /// The key as SubjectPublicKeyInfo in DER (RFC 5480).
    public var subjectPublicKeyInfo: Data {
        // Only the point varies for this curve: SEQUENCE { SEQUENCE { ecPublicKey, prime256v1 }, BIT STRING }.
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        return Data(prefix) + x963
    }
}
