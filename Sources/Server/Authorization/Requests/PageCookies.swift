import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The cookies of the pages: the session, and before sign-in the browser that a form was sent to.
enum PageCookies {
    /// The secret of a person's session.
    static let session = "tributary-session"
    /// A random value for a browser that is not signed in yet.
    static let visit = "tributary-visit"

    /// Proof of an earlier sign-in from this browser (``KnownBrowser``).
    static let known = "tributary-known"

    private static let longestValue = 64

    /// Returns the value of a cookie; nil if it is missing or not one of ours.
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

    /// Returns a cookie that scripts cannot read and that other sites' requests carry only if a person follows a link.
    static func field(_ name: String, value: String, seconds: Int, addresses: AuthorizationAddresses) -> String {
        "\(name)=\(value); Path=\(addresses.cookiePath); Max-Age=\(seconds); HttpOnly; SameSite=Lax"
            + (addresses.isSecure ? "; Secure" : "")
    }

    /// Returns the value with which a form proves that it was sent to this browser. It cannot be made without the
    /// cookie.
    static func proof(of secret: String) -> String {
        Data(SHA256.hash(data: Data(("form:" + secret).utf8))).base64URL
    }

    /// Whether a form carries this proof, compared in constant time.
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
