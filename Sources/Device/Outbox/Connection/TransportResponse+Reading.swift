import Foundation
import Wire

extension TransportResponse {
    /// The stable code in the body: that of a problem (RFC 9457), otherwise OAuth's. Only a plain word is accepted,
    /// because it is written to a file and to terminals.
    var errorCode: String? {
        let code = ProblemDetails(reading: body)?.code ?? OAuthError(reading: body)?.error
        guard let code, Self.isPlainWord(code) else { return nil }
        return code
    }

    /// Returns whether a server's code is safe for files and terminals: lower-case letters, digits, `-` and `_`, up to
    /// 64 characters.
    static func isPlainWord(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
            }
    }

    /// Returns this response as an error: temporary failures as `server-unavailable`, others as the given kind.
    func failure(_ reason: OutboxError.Reason, _ message: String, now: Date) -> OutboxError {
        switch status {
        case 400..<500 where ![408, 425, 429].contains(status): OutboxError(reason, message, status: status)
        default:
            OutboxError(
                .serverUnavailable, "The server cannot answer now (status \(status)): try again later.", status: status,
                retryAfter: retryAfter(now: now))
        }
    }
}
