import Foundation
import ResearchResults
import Testing

@testable import Accounts

@Suite struct AccountMailTests {
    private func content(_ mail: AccountMail, study: String = "Sleep study") throws -> MailContent {
        try mail.content(to: EmailAddress("ann@example.org"), study: study)
    }

    @Test func aMailWithACodeHasItOnALineOfItsOwn() throws {
        for mail in [
            AccountMail.verification(code: "A1B2-C3", lifetime: 3_600),
            .passwordReset(code: "A1B2-C3", lifetime: 3_600),
        ] {
            let content = try content(mail)
            #expect(content.text.split(separator: "\n").filter { $0 == "Code: A1B2-C3" }.count == 1)
            #expect(content.text.contains("valid for 1 hour and") && content.subject.hasPrefix("Sleep study: "))
            // The code is also a line of the message that is sent.
            let message = try MailMessage(id: "1", from: content.recipient, content: content, date: Date())
            #expect(String(decoding: message.bytes, as: UTF8.self).contains("\r\nCode: A1B2-C3\r\n"))
        }
    }

    @Test func aNoticeHasNoCode() throws {
        for mail in [AccountMail.emailChanged, .passwordChanged, .accountDeleted] {
            let content = try content(mail)
            #expect(!content.text.contains("Code:") && content.text.contains("Sleep study"))
        }
    }

    @Test func noMailContainsTheAddress() throws {
        for mail in [AccountMail.verification(code: "1", lifetime: 60), .emailChanged, .accountDeleted] {
            #expect(try !content(mail).text.contains("@"))
        }
    }

    @Test func aTitleIsOneLine() throws {
        let content = try content(
            .passwordChanged, study: "Sleep\r\nBcc: eve@example.org \u{2028}" + String(repeating: "ü", count: 900))
        #expect(content.subject.hasPrefix("Sleep Bcc: eve@example.org ü"))
        #expect(!content.subject.unicodeScalars.contains(where: MailContent.breaksLine))
    }

    @Test func aTimeIsInItsLargestWholeUnit() throws {
        for (seconds, text) in [(1, "1 second"), (90, "90 seconds"), (1_800, "30 minutes"), (172_800, "2 days")] {
            #expect(try content(.verification(code: "1", lifetime: seconds)).text.contains("for \(text) and"))
        }
    }
}
