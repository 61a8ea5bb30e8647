import Core
import Crypto
import Foundation

/// SHA-256 of a secret, the only form in which secrets are stored.
///
/// Secrets are 32 random bytes and cannot be guessed, so a slow derivation is not needed.
package struct SecretDigest: Sendable, Hashable {
    /// Lowercase hexadecimal, 64 characters.
    package let hex: String

    /// Computes the digest of a secret's UTF-8 bytes.
    package init(of secret: String) {
        hex = SecretDigest.hex(of: Data(secret.utf8))
    }

    /// Creates a digest from its stored form; nil if it is not 64 lowercase hexadecimal digits.
    package init?(hex: String) {
        let digits = hex.utf8
        guard digits.count == 64,
            digits.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        self.hex = hex
    }

    /// Whether this is the digest of `secret`, compared in constant time.
    package func matches(_ secret: String) -> Bool {
        SecretDigest.equal(hex.utf8, SecretDigest(of: secret).hex.utf8)
    }

    /// Returns the SHA-256 of bytes in lowercase hexadecimal.
    package static func hex(of bytes: Data) -> String {
        Hexadecimal.text(SHA256.hash(data: bytes))
    }

    /// Compares in a time that depends only on the lengths.
    static func equal(_ left: String.UTF8View, _ right: String.UTF8View) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension String {
    /// Returns a new secret: 32 random bytes as base64url without padding (RFC 4648 section 5), 43 characters.
    package static func newSecret(_ random: @Sendable (Int) -> [UInt8]) -> String {
        Data(random(32)).base64URL
    }
}
