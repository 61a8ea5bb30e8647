import Core
import Crypto
import Foundation

extension DeviceStore {
    /// Returns the secret of this installation, and creates it if there is none: 256 random bits as base64url.
    ///
    /// It is stored with the device's secrets before an invitation is used. The study then accepts the same invitation
    /// again from this installation, for instance if it did not receive the response, and from no other one.
    ///
    /// - Throws: ``OutboxError`` if the secrets cannot be read or written.
    public func installationSecret() throws -> String {
        // Two processes that start at the same time must not create two secrets.
        let lock = try outbox.changingLock()
        defer { withExtendedLifetime(lock) {} }
        if let secret = try secrets.secret(named: Self.installationName) {
            return String(decoding: secret, as: UTF8.self)
        }
        let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64URL
        try secrets.save(Data(secret.utf8), named: Self.installationName)
        return secret
    }

    private static let installationName = "installation"
}
