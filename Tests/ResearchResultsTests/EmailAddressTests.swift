import Foundation
import ResearchResults
import TestSupport
import Testing

/// The rule of e-mail addresses, and the folding of usernames.
@Suite struct EmailAddressTests {
    private func code(_ text: String) -> String? {
        do throws(EmailAddressError) {
            _ = try EmailAddress(text)
            return nil
        } catch { return error.code }
    }

    /// The cases of CMHealth's rule.
    @Test(arguments: [
        ("", false), ("a@.c", false), ("a@b.", false), ("a@b.c", true), ("ab.cd", false), ("a@b@c.d", false),
        ("@ab.cd", false), ("ab.cd@", false), ("abc@d", false), ("abc@.de", false), ("abc@de.", false),
        ("ann@example.org", true), ("ann.b+c@mail.example.org", true), ("a@@b.c", false),
    ])
    func anAddressFollowsCMHealthsRule(text: String, isAddress: Bool) {
        #expect((code(text) == nil) == isAddress)
        #expect(isAddress || code(text) == "email-invalid")
    }

    @Test(arguments: [
        "ann@example.org\r\nBcc: x@y.zz", "ann@example.org\n", "\rann@example.org", "ann@exa mple.org",
        " ann@example.org",
        "<ann@example.org>", "ann@example.org>", "ann\t@example.org", "ann\u{0}@example.org", "ann\u{7F}@example.org",
        "ann\u{85}@example.org", "ann\u{A0}@example.org", "ann\u{200B}@example.org", "ann\u{202E}@example.org",
        "ann\u{2028}@example.org", "ann@example.org,eve@example.org", "ann;eve@example.org", "\"ann\"@example.org",
        "ann(x)@example.org", "ann\\x@example.org", "ann\u{FEFF}@example.org",
        // Form C makes a semicolon of it.
        "ann\u{37E}@example.org",
    ])
    func anAddressThatCouldChangeAMailIsRefused(text: String) {
        #expect(code(text) == "email-invalid")
    }

    @Test func anAddressHasUpTo254Bytes() throws {
        let domain = "@example.org"
        let longest = String(repeating: "a", count: 254 - domain.utf8.count) + domain
        #expect(try EmailAddress(longest).username == longest)
        #expect(code("a" + longest) != nil)
        // Two bytes a letter, and a lowercase mapping that is longer than the letter.
        #expect(code(String(repeating: "é", count: 121) + domain) == nil)
        #expect(code(String(repeating: "é", count: 122) + domain) != nil)
        #expect(code(String(repeating: "İ", count: 100) + domain) != nil)
        #expect(code(String(repeating: "a", count: 50_000_000)) != nil)
    }

    @Test(arguments: [
        ("Ann@Example.ORG", "ann@example.org"), ("ÄNN@example.org", "änn@example.org"),
        ("A\u{308}nn@example.org", "\u{E4}nn@example.org"), ("ΣΑΣ@example.org", "σασ@example.org"),
        ("straße@example.org", "straße@example.org"), ("STRASSE@example.org", "strasse@example.org"),
        ("Ivan@example.org", "ivan@example.org"), ("ıvan@example.org", "ıvan@example.org"),
    ])
    func aUsernameIsCaseFolded(text: String, username: String) throws {
        let address = try EmailAddress(text)
        #expect(address.username.utf8.elementsEqual(username.utf8) && address.text == text)
        #expect(EmailAddress.username(of: text) == username)
    }

    @Test func foldingAgainDoesNotChangeAUsername() throws {
        var random = Seeded.fresh()
        for _ in 0..<2_000 {
            var local = ""
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let value = UInt32.random(in: 0x41...(Bool.random(using: &random) ? 0x24F : 0x1_F9FF), using: &random)
                if let scalar = Unicode.Scalar(value) { local.unicodeScalars.append(scalar) }
            }
            guard let address = try? EmailAddress(local + "@example.org") else { continue }
            let again = try EmailAddress(address.username).username
            #expect(again.utf8.elementsEqual(address.username.utf8), "\(address.username)")
        }
    }

    @Test func anInvalidAddressHasCMHealthsNumber() {
        #expect(EmailAddressError().cmhealth.number == 712)
        #expect(EmailAddress.username(of: "ann") == nil)
    }
}
