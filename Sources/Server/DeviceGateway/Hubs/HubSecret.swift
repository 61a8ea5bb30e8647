import Core
import Crypto
import Foundation

/// The secret from which the keys of all hubs of a study are derived. It is stored in a file of the study, never in
/// the store, so that a reader of the store cannot sign.
package struct HubSecret: Sendable {
    private let key: SymmetricKey

    /// Length of the secret in bytes.
    package static let length = 32

    /// - Parameter text: the content of the file: the secret in hexadecimal digits.
    /// - Throws: ``GatewayError`` `hub-secret-invalid`.
    package init(_ text: String) throws(GatewayError) {
        guard let bytes = Hexadecimal.bytes(String(text.prefix { !$0.isNewline })), bytes.count == Self.length else {
            throw GatewayError("hub-secret-invalid", "The file of the hubs' secret holds no secret; restore it.")
        }
        key = SymmetricKey(data: bytes)
    }

    /// Returns a new secret as the content of its file.
    ///
    /// - Parameter random: ``length`` random bytes, fit for a secret.
    package static func text(random: [UInt8]) -> String { Hexadecimal.text(random) + "\n" }

    /// Returns the key of a hub.
    func key(hub: String, name: String) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: Data("\(hub)\n\(name)".utf8), using: key)).base64EncodedString()
    }
}
