import Core
import Foundation

/// The encoding of text in header fields (RFC 2047).
enum EncodedWords {
    /// Maximum bytes of text in one word: 60 characters of Base64, and less than 75 with the frame.
    private static let maximumBytes = 45
    /// Maximum bytes of a text that needs no encoding. The name of the field is on the same line.
    private static let maximumPlain = 64

    /// Returns a text as the value of a field: unchanged if it is short and visible ASCII, otherwise as encoded words on
    /// lines of their own. The text has no line break.
    static func text(_ text: String) -> String {
        let isPlain =
            text.utf8.count <= maximumPlain && text.utf8.allSatisfy { (32..<127).contains($0) } && !text.contains("=?")
            && text.first != " " && text.last != " "
        if isPlain { return text }
        // A word has whole characters (section 5, rule 3).
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if word.utf8.count + UTF8.width(scalar) > maximumBytes {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        words.append(word)
        return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}

/// The encoding of a body (RFC 2045 section 6.7).
enum QuotedPrintable {
    /// Maximum bytes of an encoded line.
    static let maximumLine = 76

    /// Returns the lines of a text as encoded lines that end with CR LF.
    static func bytes(_ lines: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for line in lines {
            var length = 0
            for (index, byte) in line.enumerated() {
                let isLast = index == line.count - 1
                let token = token(byte, isLast: isLast)
                // The last byte of an encoded line can be the sign that the line continues.
                if length + token.count > maximumLine - (isLast ? 0 : 1) {
                    bytes += [UInt8(ascii: "="), 13, 10]
                    length = 0
                }
                bytes += token
                length += token.count
            }
            bytes += [13, 10]
        }
        return bytes
    }

    /// Returns a byte as it is, or as `=XX`. A space at the end of a line is encoded.
    private static func token(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "="), 0..<32, 127...: [UInt8(ascii: "=")] + Array(Hexadecimal.text([byte]).uppercased().utf8)
        case 32 where isLast: Array("=20".utf8)
        default: [byte]
        }
    }
}
