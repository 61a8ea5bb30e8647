import Foundation
import ResearchResults
import TestSupport
import Testing

@testable import Accounts

@Suite struct MailMessageTests {
    private func message(
        _ subject: String, _ text: String, to recipient: String = "ann@example.org", from: String = "study@example.org"
    ) throws -> MailMessage {
        try MailMessage(
            id: "0001", from: EmailAddress(from),
            content: MailContent(to: EmailAddress(recipient), subject: subject, text: text),
            date: Date(timeIntervalSince1970: 1_795_910_400))
    }

    @Test func aShortTextOfASCIIIsSentAsItIs() throws {
        let text = String(decoding: try message("Confirm", "Enter this.\nCode: A1\n\n.dot").bytes, as: UTF8.self)
        #expect(
            text == """
                Date: Sun, 29 Nov 2026 00:00:00 +0000\r
                From: <study@example.org>\r
                To: <ann@example.org>\r
                Message-ID: <0001@example.org>\r
                Subject: Confirm\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: 7bit\r
                \r
                Enter this.\r
                Code: A1\r
                \r
                .dot\r

                """)
    }

    @Test func otherTextIsQuotedPrintable() throws {
        let bytes = try message("S", "Größe = 1 \r\nx\ry\u{0}").bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("Content-Transfer-Encoding: quoted-printable\r\n\r\n"))
        #expect(text.hasSuffix("\r\n\r\nGr=C3=B6=C3=9Fe =3D 1=20\r\nx\r\ny=00\r\n"))
    }

    @Test func aSubjectIsEncodedWordsWithWholeCharacters() throws {
        let subject = String(repeating: "Schlaf für Ältere 👩‍🔬 ", count: 12)
        let bytes = try message(subject.trimmingCharacters(in: .whitespaces), "x").bytes
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.matches(of: /=\?utf-8\?B\?([A-Za-z0-9+\/=]+)\?=/)
        #expect(words.allSatisfy { $0.0.utf8.count <= 75 } && words.count > 3)
        let decoded = words.compactMap { word in
            Data(base64Encoded: String(word.1)).flatMap { String(data: $0, encoding: .utf8) }
        }
        #expect(decoded.joined() == subject.trimmingCharacters(in: .whitespaces))
    }

    @Test func aSubjectThatLooksEncodedIsEncoded() throws {
        let text = String(decoding: try message("=?utf-8?Q?x?=", "x").bytes, as: UTF8.self)
        #expect(text.contains("Subject: =?utf-8?B?PT91dGYtOD9RP3g/PQ==?=\r\n"))
    }

    @Test func anAddressThatEndsACommandIsRefused() {
        let addresses = [
            "ann@example.org\r\nRCPT TO:<eve@example.org>", "ann@example.org\n", "a\rnn@example.org",
            "<ann@example.org",
            "ann@example.org>", "an n@example.org", "ann@example.org,eve@example.org",
            String(repeating: "a", count: 243) + "@example.org", "ann@example.org\u{2028}x", "ann@example.org\u{0}",
        ]
        for text in addresses {
            let error = #expect(throws: EmailAddressError.self) { try EmailAddress(text) }
            #expect(error?.code == "email-invalid")
        }
    }

    @Test func aSubjectOfTwoLinesIsRefused() throws {
        for subject in [
            "a\r\nBcc: eve@example.org", "a\nb", "a\rb", "a\u{2028}b", String(repeating: "a", count: 1_001),
        ] {
            let error = #expect(throws: MailError.self) { try message(subject, "x") }
            #expect(error?.code == "mail-subject-invalid")
        }
        let error = #expect(throws: MailError.self) { try message("x", String(repeating: "a", count: 65_537)) }
        #expect(error?.code == "mail-text-too-long")
    }

    @Test func anIDThatIsNoFileNameIsRefused() throws {
        let content = try MailContent(to: EmailAddress("ann@example.org"), subject: "S", text: "x")
        for id in ["", "../x", "a.b", "a>b", String(repeating: "a", count: 65)] {
            let error = #expect(throws: MailError.self) {
                try MailMessage(id: id, from: content.recipient, content: content, date: Date())
            }
            #expect(error?.code == "mail-id-invalid")
        }
    }

    @Test func randomTextsComeBackAndLinesAreShort() throws {
        var random = Seeded.fresh()
        let alphabet: [Character] = ["a", "=", " ", "\t", ".", "ü", "👩‍🔬", "\n", "\r", "\r\n", "\u{0}", "z", "F"]
        for _ in 0..<300 {
            let count = Int.random(in: 0...400, using: &random)
            let text = String((0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
            let bytes = try message("S", text).bytes
            let lines = MailMessage.lines(of: String(decoding: bytes, as: UTF8.self))
            #expect(lines.allSatisfy { $0.count <= 78 })
            #expect(!zip(bytes, bytes.dropFirst()).contains { $0 != 13 && $1 == 10 })
            let wanted = MailMessage.lines(of: text).map { $0 + [13, 10] }.flatMap { $0 }
            #expect(try body(of: bytes) == wanted)
        }
    }

    /// Decodes a body, by rules of its own.
    private func body(of bytes: [UInt8]) throws -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(Array(text.utf8).firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        let body = Array(bytes[end...])
        guard text.contains("quoted-printable") else { return body }
        var decoded: [UInt8] = []
        var index = 0
        while index < body.count {
            if body[index] != UInt8(ascii: "=") {
                decoded.append(body[index])
                index += 1
            } else {
                let pair = String(decoding: body[(index + 1)...(index + 2)], as: UTF8.self)
                if pair != "\r\n" { decoded.append(try #require(UInt8(pair, radix: 16))) }
                index += 3
            }
        }
        return decoded
    }
}
