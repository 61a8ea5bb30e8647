import Core
import Crypto
import CryptoExtras
import Foundation

/// What is kept of a password: scrypt (RFC 7914) with a salt of its own, and what it cost.
public struct PasswordHash: Sendable, Hashable {
    /// How much work a guess is.
    public struct Cost: Sendable, Hashable {
        /// The logarithm of scrypt's N; each step doubles time and memory.
        let exponent: Int

        /// 32 MB and some tens of milliseconds.
        public static let standard = Cost(exponent: 15)
        /// For tests alone: no protection.
        static let least = Cost(exponent: 4)
        static let allowed = 4...17
    }

    /// As it is stored: `scrypt$EXPONENT$SALT$HASH`.
    public let text: String
    private let cost: Cost
    private let salt: Data
    private let hash: Data

    /// The lengths of a password in characters.
    public static let passwordLength = 8...256
    private static let blockSize = 8
    private static let hashBytes = 32

    /// - Throws: ``TrustError`` `password-invalid` for one that is too short or too long.
    init(of password: String, salt: Data, cost: Cost) throws {
        guard Self.passwordLength.contains(password.count), password.utf8.count <= 1_024 else {
            throw TrustError(
                code: "password-invalid",
                message:
                    "A password has \(Self.passwordLength.lowerBound) to \(Self.passwordLength.upperBound) characters."
            )
        }
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, salt, cost)
        text = "scrypt$\(cost.exponent)$\(salt.base64URL)$\(hash.base64URL)"
    }

    /// Reads what was stored.
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

    /// A hash that no password has, at which as long is worked as at one that is stored.
    static func ofNobody(_ cost: Cost) -> PasswordHash? {
        let nothing = Data(count: hashBytes).base64URL
        return PasswordHash(text: "scrypt$\(cost.exponent)$\(Data(count: 16).base64URL)$\(nothing)")
    }

    /// Whether it is the password's, in a time that depends on neither.
    func matches(_ password: String) -> Bool {
        guard password.utf8.count <= 1_024, let derived = try? Self.derive(password, salt, cost) else { return false }
        return zip(derived, hash).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Of a text that is typed with other code points on another keyboard, the same.
    private static func derive(_ password: String, _ salt: Data, _ cost: Cost) throws -> Data {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.precomposedStringWithCanonicalMapping.utf8), salt: salt, outputByteCount: hashBytes,
            rounds: 1 << cost.exponent, blockSize: blockSize, parallelism: 1)
        return key.withUnsafeBytes { Data($0) }
    }
}
