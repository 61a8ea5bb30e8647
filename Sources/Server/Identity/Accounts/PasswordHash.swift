import AccessPolicy
import Core
import Crypto
import CryptoExtras
import Foundation

/// Stored form of a password: scrypt (RFC 7914) with a salt and the cost parameter.
package struct PasswordHash: Sendable, Hashable {
    /// Work of one check.
    package struct Cost: Sendable, Hashable {
        /// Binary logarithm of scrypt's N; each increment doubles time and memory.
        let exponent: Int

        /// 32 MB and some tens of milliseconds.
        package static let standard = Cost(exponent: 15)
        /// For tests only; gives no protection.
        static let least = Cost(exponent: 4)
        static let allowed = 4...17
    }

    /// Stored text: `scrypt$EXPONENT$SALT$HASH`.
    package let text: String
    private let cost: Cost
    private let salt: Data
    private let hash: Data

    /// Permitted lengths of a password in characters.
    package static let passwordLength = 8...256
    private static let blockSize = 8
    private static let hashBytes = 32

    /// - Throws: ``AccessError`` `password-invalid` if the password is too short or too long.
    init(of password: String, salt: Data, cost: Cost) throws {
        guard Self.passwordLength.contains(password.count), password.utf8.count <= 1_024 else {
            throw AccessError(
                code: "password-invalid",
                message:
                    "A password has \(Self.passwordLength.lowerBound) to \(Self.passwordLength.upperBound) characters."
            )
        }
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, salt: salt, cost: cost)
        text = "scrypt$\(cost.exponent)$\(salt.base64URL)$\(hash.base64URL)"
    }

    /// Parses a stored text.
    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == "scrypt", let exponent = Int(parts[1]), Cost.allowed.contains(exponent),
            let salt = Data(base64URL: parts[2]), let hash = Data(base64URL: parts[3]), hash.count == Self.hashBytes
        else { return nil }
        self.text = text
        cost = Cost(exponent: exponent)
        self.salt = salt
        self.hash = hash
    }

    /// Returns a hash that no password has, whose check takes as long as that of a stored one.
    static func unmatchable(_ cost: Cost) -> PasswordHash? {
        let nothing = Data(count: hashBytes).base64URL
        return PasswordHash(text: "scrypt$\(cost.exponent)$\(Data(count: 16).base64URL)$\(nothing)")
    }

    /// Returns whether a password has this hash, in constant time.
    func matches(_ password: String) -> Bool {
        guard password.utf8.count <= 1_024, let derived = try? Self.derive(password, salt: salt, cost: cost) else {
            return false
        }
        return zip(derived, hash).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Normalizes the password, because keyboards produce different code points for the same text.
    private static func derive(_ password: String, salt: Data, cost: Cost) throws -> Data {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.precomposedStringWithCanonicalMapping.utf8), salt: salt, outputByteCount: hashBytes,
            rounds: 1 << cost.exponent, blockSize: blockSize, parallelism: 1)
        return key.withUnsafeBytes { Data($0) }
    }
}
