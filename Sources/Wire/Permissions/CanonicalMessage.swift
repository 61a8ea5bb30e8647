import Core
import Crypto
import Foundation

/// The canonical form of the bodies that are signed (RFC 8785), for texts, booleans, lists and objects.
public enum CanonicalMessage {
    /// Returns the canonical bytes. Throws ``PermissionError`` `malformed` for a number or a null at any depth.
    public static func data(_ message: JSON) throws(PermissionError) -> Data {
        guard isPlain(message) else { throw .malformed("A signed body contains no numbers and no null.") }
        return message.canonicalData()
    }

    /// Returns the SHA-256 of the canonical bytes, 64 hexadecimal digits in lower case.
    static func digest(_ message: JSON) throws(PermissionError) -> String {
        Hexadecimal.text(SHA256.hash(data: try data(message)))
    }

    private static func isPlain(_ value: JSON) -> Bool {
        switch value {
        case .null, .number: false
        case .bool, .string: true
        case .array(let elements): elements.allSatisfy(isPlain)
        case .object(let object): object.members.allSatisfy { isPlain($0.value) }
        }
    }
}
