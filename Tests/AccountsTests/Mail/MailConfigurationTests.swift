import Core
import Foundation
import TestSupport
import Testing

@testable import Accounts

@Suite struct MailConfigurationTests {
    private func configuration(_ text: String) throws -> MailConfiguration {
        try MailConfiguration(JSON(Data(text.utf8)))
    }

    @Test func aConfigurationIsWrittenAsItWasRead() throws {
        for text in [
            #"{"smtp":"mail.example.org:587","from":"study@example.org"}"#,
            #"{"smtp":"[2001:db8::1]:25","from":"study@example.org","user":"u","passwordFile":"p.txt","ca":"ca.pem"}"#,
        ] {
            #expect(try configuration(text).json.text() == text)
        }
    }

    @Test func onlyThisMachineIsReachedWithoutEncryption() throws {
        for (server, members, wanted) in [
            ("127.0.0.1:25", "", MailConfiguration.Encryption.none), ("localhost:1025", "", .none),
            ("[::1]:25", "", .none),
            ("127.0.0.1:25", #","ca":"ca.pem""#, .startTLS), ("127.0.0.1:465", "", .tls),
            ("mail.example.org:465", "", .tls), ("mail.example.org:25", "", .startTLS), ("10.0.0.1:587", "", .startTLS),
            ("localhost.example.org:25", "", .startTLS), ("127.0.0.1.example.org:25", "", .startTLS),
        ] {
            let text = #"{"smtp":"\#(server)","from":"study@example.org"\#(members)}"#
            #expect(try configuration(text).encryption == wanted, "\(server)")
        }
    }

    @Test func aFaultNamesItsMember() {
        for (text, path) in [
            (#"[]"#, "accounts.mail must"), (#"{}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h:0","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h:65536","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h:+5","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h/x:25","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"u@h:25","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"::1:25","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"[h]:25","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h:25\r\n","from":"a@b.example"}"#, "accounts.mail.smtp"),
            (#"{"smtp":"h:25"}"#, "accounts.mail.from"), (#"{"smtp":"h:25","from":"a"}"#, "accounts.mail.from"),
            (#"{"smtp":"h:25","from":"a@b.example\r\nBcc: c@d.example"}"#, "accounts.mail.from"),
            (#"{"smtp":"h:25","from":"a@b.example","user":"u"}"#, "accounts.mail.passwordFile"),
            (#"{"smtp":"h:25","from":"a@b.example","passwordFile":"u"}"#, "accounts.mail.user"),
            (#"{"smtp":"h:25","from":"a@b.example","user":"u\n","passwordFile":"u"}"#, "accounts.mail.user"),
            (#"{"smtp":"h:25","from":"a@b.example","ca":""}"#, "accounts.mail.ca"),
            (#"{"smtp":"h:25","from":"a@b.example","tls":false}"#, "accounts.mail.tls"),
        ] {
            let error = #expect(throws: MailError.self, "\(text)") { try configuration(text) }
            #expect(error?.code == "study-invalid" && error?.message.contains(path) ?? false, "\(text)")
        }
    }

    @Test func thePasswordIsTheFirstLineOfAFileOfTheOwner() async throws {
        try await withTemporaryFolder { folder in
            let root = URL(fileURLWithPath: folder, isDirectory: true)
            let file = root.appendingPathComponent("p.txt")
            let configuration = try configuration(
                #"{"smtp":"h:25","from":"a@b.example","user":"u","passwordFile":"p.txt"}"#)
            func code() -> String? {
                do throws(MailError) {
                    _ = try configuration.password(in: root)
                    return nil
                } catch {
                    return error.code
                }
            }
            #expect(code() == "mail-password-unreadable")
            for (text, wanted) in [("geheim ü\r\nsecond\n", "geheim ü"), ("x", "x")] {
                try Data(text.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                #expect(try configuration.password(in: root) == wanted)
            }
            for text in ["", "\n", "a\u{1}b", String(repeating: "a", count: 1_025)] {
                try Data(text.utf8).write(to: file)
                #expect(code() == "mail-password-unfit")
            }
            for mode in [0o644, 0o640, 0o602] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                #expect(code() == "mail-password-open")
            }
        }
    }
}
