import AccessPolicy
import Core
import Crypto
import Foundation

/// Salt and digest of the id in a row of the audit. A seal covers the digest, so that the id and the salt can be removed
/// later.
struct RemovableID: Sendable, Hashable {
    let salt: Data
    let digest: Data

    /// Creates the values for a target; nil if its row contains no id.
    ///
    /// - Parameter random: returns a number of random bytes that are suitable for secrets.
    init?(of target: Target, random: (Int) -> [UInt8]) {
        guard let id = target.auditedID else { return nil }
        let salt = Data(random(16))
        self.salt = salt
        digest = Self.digest(of: id, salt: salt)
    }

    /// Returns the digest of an id.
    static func digest(of id: String, salt: Data) -> Data {
        var encoding = CanonicalEncoding("tributary audit id 1")
        encoding.append(.blob(salt))
        encoding.append(.text(id))
        return Data(SHA256.hash(data: encoding.bytes))
    }
}
