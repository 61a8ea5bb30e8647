import Core
import Crypto
import Foundation

/// A JWS in compact serialisation (RFC 7515 section 7.1) signed with ES256 (RFC 7518 section 3.4) and nothing else.
///
/// A value of this type is well-formed: three parts of base64url in their one spelling, a header that names ES256 and
/// nothing that could bring a key or another meaning along, and a signature of 64 bytes. Whether the signature holds is
/// told by ``verify(with:)`` alone.
public struct JWS: Sendable, Hashable {
    /// The protected header.
    public let header: JSON
    /// The content that is signed, byte for byte.
    public let payload: Data
    /// The signature: r and s, 32 bytes each (RFC 7518 section 3.4).
    public let signature: Data
    /// The compact serialisation.
    public let bytes: Data
    /// SHA-256 of the compact serialisation, 64 hexadecimal digits in lower case.
    public let digest: String
    /// The bytes that are signed: header and payload as they are spelt (RFC 7515 section 5.1).
    private let signingInput: Data

    /// Bytes of the encoded header beyond which nobody's header is read.
    static let maximumHeaderBytes = 8_192

    /// Members that would bring a key along, ask for an extension, or change what is signed (RFC 7515 section 4.1,
    /// RFC 7797): none is followed, so none is let in.
    static let refusedMembers = ["crit", "b64", "jwk", "jku", "x5c", "x5u", "x5t", "x5t#S256", "zip"]

    /// Reads a compact serialisation. Throws `signature-invalid`.
    public init(compact: Data) throws(WireError) {
        // 1. Three parts; the payload may be empty, the others not.
        let compact = Data(compact)
        let dot = UInt8(ascii: ".")
        let dots = compact.withUnsafeBytes { bytes -> (first: Int, last: Int)? in
            guard let first = bytes.firstIndex(of: dot), let last = bytes.lastIndex(of: dot), first < last else {
                return nil
            }
            return (first, last)
        }
        // A dot more is found by the payload, which is base64url.
        guard let dots, dots.first <= Self.maximumHeaderBytes, compact.count - dots.last <= 129 else {
            throw WireError.signature("The signed message is not a compact JWS.")
        }
        let parts = [
            compact[..<dots.first], compact[(dots.first + 1)..<dots.last], compact[(dots.last + 1)...],
        ]
        guard let headerBytes = Data(base64URLText: parts[0]), let payload = Data(base64URLText: parts[1]),
            let signature = Data(base64URLText: parts[2]), signature.count == 64
        else {
            throw WireError.signature(
                "The parts of the signed message are not base64url, or its signature has not 64 bytes.")
        }
        // 2. The header. JSON with one name twice is no JSON here.
        guard let header = JSON(reading: headerBytes), header.object != nil else {
            throw WireError.signature("The header of the signed message is not a JSON object.")
        }
        guard header["alg"]?.string == "ES256" else {
            throw WireError.signature("The signed message must name ES256.")
        }
        guard !Self.refusedMembers.contains(where: { header[$0] != nil }) else {
            throw WireError.signature("The header of the signed message brings a key along, or an extension.")
        }
        self.init(
            header: header, payload: payload, signature: signature,
            signingInput: compact[..<dots.last], bytes: compact)
    }

    private init(header: JSON, payload: Data, signature: Data, signingInput: Data, bytes: Data) {
        self.header = header
        self.payload = payload
        self.signature = signature
        self.signingInput = signingInput
        self.bytes = bytes
        digest = Hexadecimal.text(SHA256.hash(data: bytes))
    }

    /// Signs a payload.
    ///
    /// - Parameter members: the members of the protected header beside `alg` and `kid`.
    /// - Throws: what the key throws; `signature-invalid` where it gives no signature of 64 bytes.
    public static func sign(
        _ payload: Data, members: [JSONObject.Member], with key: some DeviceSigning
    ) throws -> JWS {
        let own: [JSONObject.Member] = [
            .init(key: "alg", value: .string("ES256")), .init(key: "kid", value: .string(key.publicKey.keyID)),
        ]
        let header = JSON(own + members)
        let signingInput = Data((header.data().base64URL + "." + payload.base64URL).utf8)
        let signature = try key.signature(of: signingInput)
        guard signature.count == 64 else { throw WireError.signature("The device's key gives no ES256 signature.") }
        return JWS(
            header: header, payload: payload, signature: signature, signingInput: signingInput,
            bytes: signingInput + Data(("." + signature.base64URL).utf8))
    }

    /// The name of the key that signed, as the header says: `kid`.
    public var keyID: String? { header["kid"]?.string }

    /// Checks the signature (RFC 7515 section 5.2). Throws `signature-invalid`.
    public func verify(with key: P256PublicKey) throws(WireError) {
        guard let verifier = try? P256.Signing.PublicKey(x963Representation: key.x963),
            let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            verifier.isValidSignature(parsed, for: signingInput)
        else { throw WireError.signature("The signature is not one of the key that it names.") }
    }
}
