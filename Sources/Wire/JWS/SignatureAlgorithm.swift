/// Algorithms of a JWS that are accepted (RFC 7518 section 3.1): those that SMART requires of servers and clients
/// (<https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#registering-a-client-communicating-public-keys>).
///
/// Algorithms with a shared secret and `none` are not accepted.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA on the curve P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on the curve P-384 with SHA-384.
    case es384 = "ES384"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"

    /// The key type of the JWK that the algorithm requires (RFC 7518 section 6.1).
    public var keyType: String {
        switch self {
        case .es256, .es384: "EC"
        case .rs256, .rs384: "RSA"
        }
    }

    /// Valid lengths of a signature in bytes; for RSA, the length of the key.
    var signatureBytes: ClosedRange<Int> {
        switch self {
        case .es256: 64...64
        case .es384: 96...96
        case .rs256, .rs384: 256...RSAPublicKey.maximumModulusBytes
        }
    }
}
