import Core
import Crypto
import Foundation
import SwiftASN1

// Keys and signatures of csis in base64 with padding: SubjectPublicKeyInfo, and ECDSA in DER (ANSI X9.62).
extension P256PublicKey {
    /// Number of bytes of a SubjectPublicKeyInfo with an uncompressed point.
    private static let infoBytes = 91

    /// The key as base64 of its SubjectPublicKeyInfo: 124 characters.
    public var base64Info: String { subjectPublicKeyInfo.base64EncodedString() }

    /// Reads base64 of a SubjectPublicKeyInfo with an uncompressed point on the curve P-256.
    ///
    /// - Throws: ``PermissionError`` `bad_field` for any other encoding, curve or point.
    public init(base64Info text: String) throws(PermissionError) {
        guard text.utf8.count == (Self.infoBytes + 2) / 3 * 4, let info = Data(canonicalBase64: text),
            info.count == Self.infoBytes, let key = try? P256PublicKey(x963: info.suffix(65)),
            key.subjectPublicKeyInfo == info
        else {
            throw .field("publicKey", "must be base64 of a SubjectPublicKeyInfo with an uncompressed P-256 point")
        }
        self = key
    }

    /// Whether the key made a signature in base64 of DER, over SHA-256 of the bytes.
    func verifies(base64Signature text: String, of bytes: Data) -> Bool {
        guard text.utf8.count <= CsiSignature.maximumTextBytes, let der = Data(canonicalBase64: text) else {
            return false
        }
        return verifies(derSignature: der, of: bytes)
    }

    /// Whether the key made a signature in strict DER, over SHA-256 of the bytes. A high s is accepted, because Apple's
    /// keys make it.
    func verifies(derSignature der: Data, of bytes: Data) -> Bool {
        guard let signature = CsiSignature.rawSignature(der: der) else { return false }
        return SignatureKey.p256(self).holds(signature, of: bytes, by: .es256)
    }
}

extension DeviceSigning {
    /// Returns the signature of bytes in DER. Throws the errors of the key, and ``PermissionError`` `bad_signature` if
    /// the key returns no ES256 signature.
    func derSignature(of bytes: Data) throws -> Data {
        let raw = try signature(of: bytes)
        guard raw.count == 64, let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else {
            throw PermissionError(.badSignature, "The key did not sign with ES256.")
        }
        return signature.derRepresentation
    }
}

/// A signature in DER: SEQUENCE { INTEGER r, INTEGER s }.
enum CsiSignature {
    /// Maximum bytes of base64 of a signature: 72 bytes of DER.
    static let maximumTextBytes = 96
    /// The order n of the curve P-256 (SEC 2, section 2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Returns r and s, 32 bytes each; nil if the DER is not strict, or a number is not in 1..<n.
    static func rawSignature(der: Data) -> Data? {
        guard (8...72).contains(der.count), let node = try? DER.parse([UInt8](der)), node.identifier == .sequence,
            case .constructed(let nodes) = node.content
        else { return nil }
        let numbers = Array(nodes)
        guard numbers.count == 2, let r = scalar(numbers[0]), let s = scalar(numbers[1]) else { return nil }
        return r + s
    }

    /// Returns a positive number below n as 32 bytes.
    private static func scalar(_ node: ASN1Node) -> Data? {
        // An array of bytes is unsigned: a negative number, or one that is not minimal, is refused.
        guard let number = try? ArraySlice<UInt8>(derEncoded: node), number.count <= 32 else { return nil }
        let bytes = [UInt8](repeating: 0, count: 32 - number.count) + number
        guard bytes.contains(where: { $0 != 0 }), bytes.lexicographicallyPrecedes(order) else { return nil }
        return Data(bytes)
    }
}

extension Data {
    /// Decodes standard base64 with padding; nil for white space, other characters, and spellings that an encoder does
    /// not write.
    init?(canonicalBase64 text: String) {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        self = data
    }
}
