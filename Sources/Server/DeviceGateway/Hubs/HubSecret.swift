import Core
import Crypto
import Foundation

/// What the keys of all hubs of a study are made of: it stands in a file of the study, never in the store, so that
/// who reads the store signs nothing.
public struct HubSecret: Sendable {
    private let key: SymmetricKey

    /// Bytes of the secret.
    public static let length = 32

    /// - Parameter text: the secret in hexadecimal digits, as the file has it.
    /// - Throws: ``GatewayError`` `hub-secret-invalid`.
    public init(_ text: String) throws(GatewayError) {
        guard let bytes = Hexadecimal.bytes(String(text.prefix { !$0.isNewline })), bytes.count == Self.length else {
            throw GatewayError("hub-secret-invalid", "The file of the hubs' secret holds no secret; restore it.")
        }
        key = SymmetricKey(data: bytes)
    }

    /// A new secret, as the file has it.
    ///
    /// - Parameter random: ``length`` random bytes, fit for a secret.
    public static func text(random: [UInt8]) -> String { Hexadecimal.text(random) + "\n" }

    /// The text of a hub's key.
    func key(hub: String, name: String) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: Data("\(hub)\n\(name)".utf8), using: key)).base64EncodedString()
    }
}
