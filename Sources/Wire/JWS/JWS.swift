import Core
import Crypto
import Foundation

/// A JWS in compact serialisation (RFC 7515 section 7.1).
///
/// A value of this type is well-formed: three parts of base64url in their one spelling, a header that names an algorithm
/// its reader takes and nothing that could bring a key or another meaning along, and a signature of that algorithm's
/// length. Whether the signature holds is told by ``verify(with:)-(P256PublicKey)`` and
/// ``verify(with:)-(SignatureKey)`` alone.
public struct JWS: Sendable, Hashable {
    /// The protected header.
    public let header: JSON
    /// The algorithm that the header names.
    public let algorithm: SignatureAlgorithm
    /// The content that is signed, byte for byte.
    public let payload: Data
    /// The signature: of the elliptic curves r and s, each as long as a coordinate (RFC 7518 section 3.4).
    public let signature: Data
    /// The compact serialisation.
    public let bytes: Data
    /// SHA-256 of the compact serialisation, 64 hexadecimal digits in lower case.
    public let digest: String
    /// The bytes that are signed: header and payload as they are spelt (RFC 7515 section 5.1).
    let signingInput: Data

    /// Bytes of the encoded header beyond which nobody's header is read.
    static let maximumHeaderBytes = 8_192

    /// Members that would bring a key along, ask for an extension, or change what is signed (RFC 7515 section 4.1,
    /// RFC 7797): none is followed, so none is let in.
    static let refusedMembers = ["crit", "b64", "jwk", "jku", "x5c", "x5u", "x5t", "x5t#S256", "zip"]

    /// Reads a compact serialisation. Throws `signature-invalid`.
    ///
    /// - Parameters:
    ///   - algorithms: those that the reader takes; what devices, studies and links sign is ES256 and nothing else.
    ///   - permitted: members of ``refusedMembers`` that may stand in the header all the same, for a reader that holds them
    ///     against what it knows of the signer and follows none of them.
    public init(
        compact: Data, accepting algorithms: Set<SignatureAlgorithm> = [.es256], permitting permitted: Set<String> = []
    ) throws(WireError) {
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
        guard let dots, dots.first <= Self.maximumHeaderBytes, compact.count - dots.last <= Self.maximumSignatureText
        else {
            throw WireError.signature("The signed message is not a compact JWS.")
        }
        let parts = [
            compact[..<dots.first], compact[(dots.first + 1)..<dots.last], compact[(dots.last + 1)...],
        ]
        guard let headerBytes = Data(base64URLText: parts[0]), let payload = Data(base64URLText: parts[1]),
            let signature = Data(base64URLText: parts[2])
        else { throw WireError.signature("The parts of the signed message are not base64url.") }
        // 2. The header. JSON with one name twice is no JSON here.
        guard let header = JSON(reading: headerBytes), header.object != nil else {
            throw WireError.signature("The header of the signed message is not a JSON object.")
        }
        guard let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init(rawValue:)),
            algorithms.contains(algorithm)
        else {
            let names = algorithms.map(\.rawValue).sorted().joined(separator: ", ")
            throw WireError.signature("The signed message must name \(names).")
        }
        guard algorithm.signatureBytes.contains(signature.count) else {
            throw WireError.signature("The signature has not as many bytes as one of \(algorithm.rawValue).")
        }
        guard !Self.refusedMembers.contains(where: { header[$0] != nil && !permitted.contains($0) }) else {
            throw WireError.signature("The header of the signed message brings a key along, or an extension.")
        }
        self.init(
            header: header, algorithm: algorithm, payload: payload, signature: signature,
            signingInput: compact[..<dots.last], bytes: compact)
    }

    /// The base64url text of the longest signature there is, and the dot before it.
    private static let maximumSignatureText = 1 + (RSAPublicKey.maximumModulusBytes * 4 + 2) / 3

    private init(
        header: JSON, algorithm: SignatureAlgorithm, payload: Data, signature: Data, signingInput: Data, bytes: Data
    ) {
        self.header = header
        self.algorithm = algorithm
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
            header: header, algorithm: .es256, payload: payload, signature: signature, signingInput: signingInput,
            bytes: signingInput + Data(("." + signature.base64URL).utf8))
    }

    /// The name of the key that signed, as the header says: `kid`.
    public var keyID: String? { header["kid"]?.string }

    /// Checks the signature of an ES256 key (RFC 7515 section 5.2). Throws `signature-invalid`.
    public func verify(with key: P256PublicKey) throws(WireError) { try verify(with: .p256(key)) }

    /// Checks the signature (RFC 7515 section 5.2). A key of another kind than the header's algorithm asks for fits
    /// nothing. Throws `signature-invalid`.
    public func verify(with key: SignatureKey) throws(WireError) {
        guard key.holds(signature, of: signingInput, by: algorithm) else {
            throw WireError.signature("The signature is not one of the key that it names.")
        }
    }
}
