import Core
import Crypto
import Foundation

/// The cookie by which a browser shows that a person signed in there before (OWASP's device cookie). It gives no access: its
/// attempts are checked first and counted apart, so that a flood of wrong passwords from elsewhere does not lock out its
/// owner.
///
/// Its 32 bytes are 12 random ones, the time of its end, and a code over both and the username under a key derived from the server's
/// signing key. Nothing is stored.
struct KnownBrowser: Sendable {
    /// Seconds that a browser is known.
    static let lifetime: TimeInterval = 180 * 86_400
    private static let randomBytes = 12
    private static let payloadBytes = 16

    private let keys: [SymmetricKey]

    /// - Parameter keys: the server's signing keys, the one that signs first.
    init(_ keys: [SigningKey]) {
        self.keys = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("tributary known browser".utf8),
                using: SymmetricKey(data: SHA256.hash(data: Data(key.pem.utf8))))
            return SymmetricKey(data: Data(code))
        }
    }

    /// The value of the cookie after a person signed in.
    func value(for username: String, random: (Int) -> [UInt8], now: Date) -> String? {
        guard let key = keys.first else { return nil }
        let end = UInt32(clamping: Int(now.addingTimeInterval(Self.lifetime).timeIntervalSince1970))
        let payload = Data(random(Self.randomBytes)) + withUnsafeBytes(of: end.bigEndian) { Data($0) }
        return (payload + code(payload, username, key)).base64URL
    }

    /// The name of the browser; nil where the cookie is not one for this account, or has ended.
    func browser(_ value: String?, username: String, now: Date) -> String? {
        guard let bytes = value.flatMap({ Data(base64URL: $0) }), bytes.count == 2 * Self.payloadBytes else {
            return nil
        }
        let payload = Data(bytes.prefix(Self.payloadBytes))
        let end = payload.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard TimeInterval(end) > now.timeIntervalSince1970 else { return nil }
        let isOurs = keys.contains { key in
            zip(code(payload, username, key), bytes.suffix(Self.payloadBytes)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
                == 0
        }
        return isOurs ? payload.base64URL : nil
    }

    private func code(_ payload: Data, _ username: String, _ key: SymmetricKey) -> Data {
        let text = Data(username.lowercased().utf8)
        return Data(HMAC<SHA256>.authenticationCode(for: payload + text, using: key)).prefix(Self.payloadBytes)
    }
}
