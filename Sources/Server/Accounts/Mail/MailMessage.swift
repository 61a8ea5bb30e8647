import Core
import Foundation
import ResearchResults

/// A mail in the format of RFC 5322, with the encodings of MIME (RFC 2045, 2047).
///
/// The same message has the same bytes at each attempt to send it. Its `Message-ID` is made of its id, so that the
/// recipient's server can recognize a message that arrives twice.
package struct MailMessage: Sendable, Hashable {
    /// Letters, digits and `-`; at most 64. It is also the name of a file.
    package let id: String
    package let sender: EmailAddress
    package let content: MailContent
    package let date: Date

    /// - Throws: ``MailError`` `mail-id-invalid`.
    package init(id: String, from sender: EmailAddress, content: MailContent, date: Date) throws(MailError) {
        let isID = id.utf8.allSatisfy { Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        guard isID, (1...64).contains(id.utf8.count) else {
            throw MailError(
                code: "mail-id-invalid", message: "The id of a mail is 1 to 64 letters, digits and hyphens.")
        }
        self.id = id
        self.sender = sender
        self.content = content
        self.date = date
    }

    /// The header and the body. Lines end with CR LF and have at most 998 bytes.
    package var bytes: [UInt8] {
        let isPlain = Self.isPlain(content.text)
        let lines = [
            "Date: \(HTTPDate.text(date).replacing("GMT", with: "+0000"))",
            "From: <\(sender.text)>",
            "To: <\(content.recipient.text)>",
            "Message-ID: <\(id)@\(Self.domain(of: sender))>",
            "Subject: \(EncodedWords.text(content.subject))",
            // RFC 3834: programs do not answer it.
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: \(isPlain ? "7bit" : "quoted-printable")",
            "", "",
        ]
        let body = isPlain ? Self.lines(of: content.text).map { $0 + [13, 10] } : []
        return Array(lines.joined(separator: "\r\n").utf8)
            + (isPlain ? body.flatMap { $0 } : QuotedPrintable.bytes(Self.lines(of: content.text)))
    }

    /// Returns the lines of a text, without their line breaks (CR LF, CR or LF).
    static func lines(of text: String) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        var wasReturn = false
        for byte in text.utf8 {
            if byte == 10, wasReturn {
                wasReturn = false
                continue
            }
            wasReturn = byte == 13
            if byte == 13 || byte == 10 { lines.append([]) } else { lines[lines.count - 1].append(byte) }
        }
        if lines.last == [] { lines.removeLast() }
        return lines
    }

    /// Whether a text needs no encoding: short lines of visible ASCII characters and spaces.
    private static func isPlain(_ text: String) -> Bool {
        lines(of: text).allSatisfy { line in
            line.count <= QuotedPrintable.maximumLine && line.last != 32 && line.allSatisfy { (32..<127).contains($0) }
        }
    }

    /// Returns the domain of an address, for an identifier of ASCII characters.
    private static func domain(of address: EmailAddress) -> String {
        let domain = address.text.split(separator: "@").last ?? ""
        let isASCII = domain.utf8.allSatisfy {
            isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        return isASCII ? String(domain) : "mail.invalid"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
