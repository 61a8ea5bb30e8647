import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The cookies of the pages: who is signed in, and before that whose browser a form was given to.
enum PageCookies {
    /// The secret of a person's session.
    static let session = "tributary-session"
    /// A random text of a browser at which nobody is signed in yet.
    static let visit = "tributary-visit"

    /// What shows that a person signed in from this browser before (``KnownBrowser``).
    static let known = "tributary-known"

    private static let longestValue = 64

    /// The value of a cookie; nil where there is none, or one that is none of ours.
    static func value(_ name: String, in request: Request) -> String? {
        for field in request.headers[values: .cookie] {
            for part in field.split(separator: ";") {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, pair[0] == name else { continue }
                let value = String(pair[1])
                guard (20...longestValue).contains(value.utf8.count), Data(base64URL: value) != nil else { return nil }
                return value
            }
        }
        return nil
    }

    /// A cookie that scripts do not see and that comes along from elsewhere only where a person follows a link.
    static func field(_ name: String, _ value: String, seconds: Int, _ addresses: AuthorizationAddresses) -> String {
        "\(name)=\(value); Path=\(addresses.cookiePath); Max-Age=\(seconds); HttpOnly; SameSite=Lax"
            + (addresses.isSecure ? "; Secure" : "")
    }

    /// The text that a form carries to show that it was given to this browser: whoever does not see the cookie cannot
    /// make it.
    static func proof(of secret: String) -> String {
        Data(SHA256.hash(data: Data(("form:" + secret).utf8))).base64URL
    }

    /// Whether a form shows it, in a time that does not depend on where they differ.
    static func isProof(_ text: String?, of secret: String?) -> Bool {
        guard let text, let secret else { return false }
        let right = proof(of: secret).utf8
        guard text.utf8.count == right.count else { return false }
        return zip(text.utf8, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name(validated: "pragma")
}
