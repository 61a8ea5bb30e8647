import Core
import Foundation

/// C3-PRO's envelope: a JSON object with four text members.
///
/// The message is encrypted with AES-CBC, an initialisation vector of zeros and PKCS#7 padding; its key is encrypted
/// with RSA-OAEP (SHA-1). Neither the message nor the other members are authenticated: the format is accepted for
/// existing apps, and used for sending only on request. A new key for each message makes the constant vector harmless.
public struct C3PROEnvelope: Sendable, Hashable {
    /// The receiver's key as the app names it: often empty or a fixed word.
    public let keyID: String
    /// The message's key, wrapped, base64.
    public let symmetricKey: String
    /// The message's ciphertext, base64. This text identifies the submission.
    public let message: String
    /// The FHIR version of the message as the app names it: `1.0.2`, `stu3-3.0.0`, `dstu 3`.
    public let version: String

    /// Creates an envelope from its four members.
    public init(keyID: String, symmetricKey: String, message: String, version: String) {
        self.keyID = keyID
        self.symmetricKey = symmetricKey
        self.message = message
        self.version = version
    }

    /// Reads the four members; others are ignored. Throws `envelope-malformed` if one is missing or not a text.
    public init(_ bytes: Data) throws(WireError) {
        guard let json = JSON(reading: bytes) else { throw WireError.malformed("The envelope is not JSON.") }
        try self.init(json)
    }

    init(_ json: JSON) throws(WireError) {
        func text(_ name: String) throws(WireError) -> String {
            guard let text = json[name]?.string else {
                throw WireError.malformed("A C3-PRO envelope needs the text member \(name).")
            }
            return text
        }
        keyID = try text("key_id")
        symmetricKey = try text("symmetric_key")
        message = try text("message")
        version = try text("version")
    }

    /// Checks that key and message are base64, so that a message that can never be opened is refused on receipt. Throws
    /// `envelope-malformed`.
    func checkEncoding() throws(WireError) {
        for text in [symmetricKey, message] {
            guard let bytes = Data(mimeBase64: text), !bytes.isEmpty else {
                throw WireError.malformed("symmetric_key and message must be base64.")
            }
        }
    }

    /// The envelope as JSON text.
    public var bytes: Data {
        let members = [
            ("key_id", keyID), ("symmetric_key", symmetricKey), ("message", message), ("version", version),
        ]
        return JSON(members.map { .init(key: $0.0, value: .string($0.1)) }).data()
    }
}
