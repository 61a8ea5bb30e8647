import Core
import Foundation
import HTTPTransport

/// A session of an account: the tokens, and the end of the access token.
struct AccountSession: Sendable, Hashable {
    let account: String
    let accessToken: String
    let refreshToken: String
    /// The instant at which the access token is replaced. The token must outlive its request.
    let renewal: Date

    /// Maximum bytes of a token.
    private static let maximumTokenBytes = 4_096
    /// Maximum seconds between the renewal of an access token and its end.
    private static let margin = 60.0

    /// Reads an answer with a session; nil if it is none.
    init?(answer json: JSON, now: Date) {
        guard let seconds = json["expiresIn"]?.number?.double else { return nil }
        let lifetime = ServerDelay.clamped(seconds)
        self.init(json, renewal: now.addingTimeInterval(lifetime - min(Self.margin, lifetime / 10)))
    }

    /// Reads a stored session; nil if it is none.
    init?(stored bytes: Data) {
        guard let json = JSON(reading: bytes), let text = json["renewal"]?.string, let renewal = DateTime(text) else {
            return nil
        }
        self.init(json, renewal: renewal.start())
    }

    private init?(_ json: JSON, renewal: Date) {
        guard let account = json["account"]?.string, AccountText.isID(account),
            let access = json["accessToken"]?.string, let refresh = json["refreshToken"]?.string,
            [access, refresh].allSatisfy({
                $0.utf8.count <= Self.maximumTokenBytes && AccountText.isHeaderValue($0)
            })
        else { return nil }
        (self.account, accessToken, refreshToken, self.renewal) = (account, access, refresh, renewal)
    }

    /// The bytes that are stored as a secret.
    var stored: Data {
        let json: JSON = [
            "account": .string(account), "accessToken": .string(accessToken), "refreshToken": .string(refreshToken),
            "renewal": .string(DateTime(renewal).text),
        ]
        return json.data()
    }

    /// Whether the access token is replaced before it is used again.
    func isDue(now: Date) -> Bool { now >= renewal }
}
