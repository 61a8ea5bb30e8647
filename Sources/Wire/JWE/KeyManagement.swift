/// Method by which a recipient gets a JWE's content key (RFC 7518 section 4.1). Other methods are refused: `dir` has no
/// recipient, `RSA1_5` has a padding oracle.
enum KeyManagement: String, Sendable, Hashable, CaseIterable {
    /// RSAES-OAEP with SHA-256 (RFC 7518 section 4.3).
    case rsaOAEP256 = "RSA-OAEP-256"
    /// Ephemeral-static ECDH, Concat KDF, AES-256 key wrap (RFC 7518 section 4.6).
    case ecdhESA256KW = "ECDH-ES+A256KW"
}

extension PublicKey {
    /// The key management of a JWE for this kind of key.
    var keyManagement: KeyManagement {
        switch self {
        case .rsa: .rsaOAEP256
        case .p256: .ecdhESA256KW
        }
    }
}
