import Core
import Crypto
import Foundation
import Storage

/// Makes the ids of the Devices and Observations that the gateway writes: a digest of the identifier, keyed with a
/// secret of the study. The same device has the same id within a study, and no app can compute an id before the
/// resource exists.
struct GatewayIdentity: Sendable {
    private let key: SymmetricKey

    /// Reads the identity of a study. The first call makes its secret.
    ///
    /// - Parameter transaction: a transaction that may write.
    init(makingIn transaction: any SQLTransaction) throws {
        if let known = try Self(in: transaction) {
            self = known
            return
        }
        let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        try transaction.execute("INSERT INTO gateway_secret (id, secret) VALUES (1, ?)", [.blob(secret)])
        guard let made = try Self(in: transaction) else { throw Self.missing }
        self = made
    }

    /// Reads the identity of a study; nil if there is none yet.
    init?(in transaction: any SQLTransaction) throws {
        guard let row = try transaction.first("SELECT secret FROM gateway_secret WHERE id = 1") else { return nil }
        key = SymmetricKey(data: try row.blob("secret"))
    }

    private static let missing = GatewayError(
        "gateway-secret-missing", "The secret of the gateway's ids cannot be read; restore the store.")

    /// Returns the id of a resource.
    ///
    /// - Parameters:
    ///   - type: the type of the resource, so that no two types share an id.
    ///   - identifier: the identifier of the resource.
    func id(of type: String, _ identifier: String) -> String {
        Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: Data("\(type)\n\(identifier)".utf8), using: key))
    }
}
