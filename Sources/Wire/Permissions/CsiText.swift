import Foundation

/// The rules of texts in signed requests.
///
/// The payloads of version 1 join their fields by `|` without escapes, so a text must not contain `|`, quotation marks
/// or characters that are not visible. A text in one Unicode form has one spelling.
public enum CsiText {
    /// Maximum bytes of a device id, an application class and a one-time code.
    public static let maximumNameBytes = 128
    /// Maximum bytes of the value of a claim.
    public static let maximumClaimBytes = 256

    /// Whether a text may be a field: no `|`, no `"`, no control, format, private or unassigned character, no line or
    /// paragraph separator, and Unicode's normalization form C.
    public static func isField(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                return false
            default: if scalar == "|" || scalar == "\"" { return false }
            }
        }
        // Swift compares texts by canonical equivalence, so the code points are compared.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        return text.precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(text.unicodeScalars)
    }

    /// Whether a text may be a device id, an application class or a one-time code: a field of 1 to 128 bytes that
    /// neither begins nor ends with a space.
    public static func isName(_ text: String) -> Bool {
        (1...maximumNameBytes).contains(text.utf8.count) && text.utf8.first != 0x20 && text.utf8.last != 0x20
            && isField(text)
    }

    /// Whether a text may be a nonce: 16 to 64 letters, digits and `-` of ASCII.
    public static func isNonce(_ text: String) -> Bool {
        (16...64).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
    }

    /// Whether a text of a server is the code of an error, which may be logged: 1 to 64 small letters of ASCII and `_`.
    public static func isErrorCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether a byte is a letter or digit of ASCII, or `-`.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
        default: false
        }
    }
}
