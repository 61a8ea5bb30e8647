import Core
import Crypto
import Foundation

/// The cookie that proves an earlier sign-in from a browser (OWASP's device cookie). It gives no access. Attempts with
/// it are checked first and counted separately, so that a flood of wrong passwords from elsewhere does not lock out the
/// owner of the account.
///
/// Its 32 bytes are 12 random ones, the expiry, and an authentication code over both and the username, with a key
/// derived from the server's signing key. Nothing is stored.
struct KnownBrowser: Sendable {
    /// Lifetime of the cookie, in seconds.
    static let lifetime: TimeInterval = 180 * 86_400
    private static let randomBytes = 12
    private static let payloadBytes = 16

    private let keys: [SymmetricKey]

    /// - Parameter keys: the server's signing keys; the first one signs.
    init(_ keys: [SigningKey]) {
        self.keys = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("tributary known browser".utf8),
                using: SymmetricKey(data: SHA256.hash(data: Data(key.pem.utf8))))
            return SymmetricKey(data: Data(code))
        }
    }

    /// Returns the value of the cookie after a sign-in.
    func value(for username: String, random: (Int) -> [UInt8], now: Date) -> String? {
        guard let key = keys.first else { return nil }
        let end = UInt32(clamping: Int(now.addingTimeInterval(Self.lifetime).timeIntervalSince1970))
        let payload = Data(random(Self.randomBytes)) + withUnsafeBytes(of: end.bigEndian) { Data($0) }
        return (payload + code(payload, username: username, key: key)).base64URL
    }

    /// Returns the name of the browser; nil if the cookie is for another account or has expired.
    func browser(_ value: String?, username: String, now: Date) -> String? {
        guard let bytes = value.flatMap({ Data(base64URL: $0) }), bytes.count == 2 * Self.payloadBytes else {
            return nil
        }
        let payload = Data(bytes.prefix(Self.payloadBytes))
        let end = payload.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard TimeInterval(end) > now.timeIntervalSince1970 else { return nil }
        let isOurs = keys.contains { key in
            zip(code(payload, username: username, key: key), bytes.suffix(Self.payloadBytes)).reduce(UInt8(0)) {
                $0 | ($1.0 ^ $1.1)
            }
                == 0
        }
        return isOurs ? payload.base64URL : nil
    }

    private func code(_ payload: Data, username: String, key: SymmetricKey) -> Data {
        let text = Data(username.lowercased().utf8)
        return Data(HMAC<SHA256>.authenticationCode(for: payload + text, using: key)).prefix(Self.payloadBytes)
    }
}
