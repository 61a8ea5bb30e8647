import Core
import Crypto
import Foundation

/// A JWS in compact serialisation (RFC 7515 section 7.1).
///
/// A value of this type is well-formed: three parts of base64url in their only encoding, a header with an accepted
/// algorithm and without members that bring a key or change the meaning, and a signature of that algorithm's length.
/// Only ``verify(with:)-(P256PublicKey)`` and ``verify(with:)-(SignatureKey)`` verify the signature.
public struct JWS: Sendable, Hashable {
    /// The protected header.
    public let header: JSON
    /// The algorithm that the header names.
    public let algorithm: SignatureAlgorithm
    /// The signed content, byte for byte.
    public let payload: Data
    /// The signature. For elliptic curves: r and s, each as long as a coordinate (RFC 7518 section 3.4).
    public let signature: Data
    /// The compact serialisation.
    public let bytes: Data
    /// SHA-256 of the compact serialisation, 64 hexadecimal digits in lower case.
    public let digest: String
    /// The signed bytes: the encoded header and payload (RFC 7515 section 5.1).
    let signingInput: Data

    /// Maximum length of the encoded header in bytes.
    static let maximumHeaderBytes = 8_192

    /// Members that bring a key, require an extension, or change the signed content (RFC 7515 section 4.1, RFC 7797).
    /// None is supported, so a header with one of them is refused.
    static let refusedMembers = ["crit", "b64", "jwk", "jku", "x5c", "x5u", "x5t", "x5t#S256", "zip"]

    /// Reads a compact serialisation. Throws `signature-invalid`.
    ///
    /// - Parameters:
    /// - algorithms: accepted algorithms; signatures of devices, studies and links are always ES256.
    /// - permitted: members of ``refusedMembers`` that are permitted, for a caller that compares them with what it
    ///   knows of the signer and follows none of them.
    public init(
        compact: Data, accepting algorithms: Set<SignatureAlgorithm> = [.es256], permitting permitted: Set<String> = []
    ) throws(WireError) {
        // 1. Three parts; only the payload may be empty.
        let compact = Data(compact)
        let dot = UInt8(ascii: ".")
        let dots = compact.withUnsafeBytes { bytes -> (first: Int, last: Int)? in
            guard let first = bytes.firstIndex(of: dot), let last = bytes.lastIndex(of: dot), first < last else {
                return nil
            }
            return (first, last)
        }
        // An additional dot would be in the payload, which is then not base64url.
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
        // 2. The header. JSON with a duplicate name is refused.
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
            throw WireError.signature("The signature does not have the length of an \(algorithm.rawValue) signature.")
        }
        guard !Self.refusedMembers.contains(where: { header[$0] != nil && !permitted.contains($0) }) else {
            throw WireError.signature("The header of the signed message contains a key or an extension.")
        }
        self.init(
            header: header, algorithm: algorithm, payload: payload, signature: signature,
            signingInput: compact[..<dots.last], bytes: compact)
    }

    /// Length of the base64url text of the longest possible signature, and the dot before it.
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
    /// - Parameters:
    /// - members: the members of the protected header other than `alg` and `kid`.
    /// - keyID: `kid`; nil for the key's thumbprint.
    /// - Throws: the errors of the key; `signature-invalid` if the signature does not have 64 bytes.
    public static func sign(
        _ payload: Data, members: [JSONObject.Member], keyID: String? = nil, with key: some DeviceSigning
    ) throws -> JWS {
        let own: [JSONObject.Member] = [
            .init(key: "alg", value: .string("ES256")),
            .init(key: "kid", value: .string(keyID ?? key.publicKey.keyID)),
        ]
        let header = JSON(own + members)
        let signingInput = Data((header.data().base64URL + "." + payload.base64URL).utf8)
        let signature = try key.signature(of: signingInput)
        guard signature.count == 64 else { throw WireError.signature("The device's key did not sign with ES256.") }
        return JWS(
            header: header, algorithm: .es256, payload: payload, signature: signature, signingInput: signingInput,
            bytes: signingInput + Data(("." + signature.base64URL).utf8))
    }

    /// The id of the signing key as stated in the header: `kid`.
    public var keyID: String? { header["kid"]?.string }

    /// Verifies the signature with an ES256 key (RFC 7515 section 5.2). Throws `signature-invalid`.
    public func verify(with key: P256PublicKey) throws(WireError) { try verify(with: .p256(key)) }

    /// Verifies the signature (RFC 7515 section 5.2). A key of another kind than the header's algorithm requires does
    /// not match. Throws `signature-invalid`.
    public func verify(with key: SignatureKey) throws(WireError) {
        guard key.holds(signature, of: signingInput, by: algorithm) else {
            throw WireError.signature("The signature was not made with the key that it names.")
        }
    }
}
