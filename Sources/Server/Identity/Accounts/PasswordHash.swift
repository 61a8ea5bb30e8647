import AccessPolicy
import Core
import Crypto
import CryptoExtras
import Foundation

/// Stored form of a password: scrypt (RFC 7914) with a salt and the cost parameters.
package struct PasswordHash: Sendable, Hashable {
    /// Work of one check.
    package struct Cost: Sendable, Hashable {
        /// Binary logarithm of scrypt's N; each increment doubles time and memory.
        let exponent: Int
        /// scrypt's p: computations of one hash, one after the other. It multiplies the time and not the memory.
        let parallelism: Int

        /// 32 MiB and some tens of milliseconds: N = 2^15, r = 8, p = 3, which OWASP's Password Storage Cheat Sheet lists
        /// as equivalent to N = 2^17 with p = 1.
        package static let standard = Cost(exponent: 15, parallelism: 3)
        /// For tests only; gives no protection.
        static let least = Cost(exponent: 4, parallelism: 1)
        static let allowedExponents = 4...17
        static let allowedParallelism = 1...16

        /// Work in units of one computation with N = 1.
        var work: Int { parallelism << exponent }

        /// Returns the cost that, together with this one, is as much work as another; nil if this one is enough.
        ///
        /// It takes half of the memory: to make all of it available a second time would take a tenth of the time of
        /// the whole check.
        func remainder(to other: Cost) -> Cost? {
            let exponent = max(Self.allowedExponents.lowerBound, min(exponent, other.exponent) - 1)
            let parallelism = (other.work - work) >> exponent
            return parallelism > 0 ? Cost(exponent: exponent, parallelism: parallelism) : nil
        }
    }

    /// Stored text: `scrypt$EXPONENT$8$PARALLELISM$SALT$HASH`, where 8 is scrypt's r, and salt and hash are base64url
    /// without padding. The old format `scrypt$EXPONENT$SALT$HASH` has p = 1 and is read too.
    package let text: String
    private let cost: Cost
    private let isOldFormat: Bool
    private let salt: Data
    private let hash: Data

    /// Permitted lengths of a password in characters.
    package static let passwordLength = 8...256
    private static let blockSize = 8
    private static let hashBytes = 32

    /// - Throws: ``AccessError`` `password-invalid` if the password is too short or too long.
    init(of password: String, salt: Data, cost: Cost) throws {
        try Self.require(password)
        self.cost = cost
        isOldFormat = false
        self.salt = salt
        hash = try Self.derive(password, salt: salt, cost: cost)
        text = Self.text(cost, salt: salt, hash: hash)
    }

    /// Checks the length of a new password.
    ///
    /// - Throws: ``AccessError`` `password-invalid` if the password is too short or too long.
    static func require(_ password: String) throws(AccessError) {
        guard passwordLength.contains(password.count), password.utf8.count <= 1_024 else {
            throw AccessError(
                code: "password-invalid",
                message: "A password has \(passwordLength.lowerBound) to \(passwordLength.upperBound) characters.")
        }
    }

    /// Parses a stored text.
    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 || parts.count == 6, parts[0] == "scrypt",
            let exponent = Self.number(parts[1]), Cost.allowedExponents.contains(exponent),
            let salt = Data(base64URL: parts[parts.count - 2]),
            let hash = Data(base64URL: parts[parts.count - 1]), hash.count == Self.hashBytes
        else { return nil }
        var parallelism = 1
        if parts.count == 6 {
            guard Self.number(parts[2]) == Self.blockSize, let number = Self.number(parts[3]),
                Cost.allowedParallelism.contains(number)
            else { return nil }
            parallelism = number
        }
        self.text = text
        cost = Cost(exponent: exponent, parallelism: parallelism)
        isOldFormat = parts.count == 4
        self.salt = salt
        self.hash = hash
    }

    /// Returns a hash that no password has, whose check takes as long as that of a stored one.
    static func unmatchable(_ cost: Cost) -> PasswordHash? {
        PasswordHash(text: text(cost, salt: Data(count: 16), hash: Data(count: hashBytes)))
    }

    /// Whether a sign-in replaces this hash by one of a cost: it is less work, or as much in the old format.
    func isOlder(than current: Cost) -> Bool {
        cost.work < current.work || (isOldFormat && cost.work == current.work)
    }

    /// Returns whether a password has this hash, in constant time.
    ///
    /// - Parameter current: the cost of new hashes. The check of an older hash does the missing work too, so that the
    ///   time does not reveal an account that has one.
    func matches(_ password: String, spending current: Cost) -> Bool {
        guard password.utf8.count <= 1_024, let derived = try? Self.derive(password, salt: salt, cost: cost) else {
            return false
        }
        if let remainder = cost.remainder(to: current) { _ = try? Self.derive(password, salt: salt, cost: remainder) }
        return zip(derived, hash).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func text(_ cost: Cost, salt: Data, hash: Data) -> String {
        "scrypt$\(cost.exponent)$\(blockSize)$\(cost.parallelism)$\(salt.base64URL)$\(hash.base64URL)"
    }

    /// Reads a number of digits without sign and leading zero.
    private static func number(_ text: String) -> Int? { Int(text).flatMap { String($0) == text ? $0 : nil } }

    /// Normalizes the password, because keyboards produce different code points for the same text.
    private static func derive(_ password: String, salt: Data, cost: Cost) throws -> Data {
        // The computations of one hash share the memory of one: BoringSSL runs them one after the other.
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.precomposedStringWithCanonicalMapping.utf8), salt: salt, outputByteCount: hashBytes,
            rounds: 1 << cost.exponent, blockSize: blockSize, parallelism: cost.parallelism)
        return key.withUnsafeBytes { Data($0) }
    }
}
