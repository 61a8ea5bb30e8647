import Core
import Foundation
import TestSupport
import Testing

@testable import StudyFiles

/// The findings about accounts, their store and their mail server.
@Suite struct StudyCheckPeopleTests {
    /// Returns the findings for a study with these members in study.json.
    private func findings(
        _ members: String, _ prepare: (StudyFolder) throws -> Void = { _ in }
    ) throws -> [StudyFinding] {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        try FileManager.default.createDirectory(at: folder.dataURL, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(at: folder.keys.url, withIntermediateDirectories: true)
        try Data(#"{"id":"s","title":"S","bundleIdentifier":"b",\#(members)}"#.utf8).write(to: folder.configurationURL)
        try prepare(folder)
        let known: Set = ["people", "accounts", "mail", "member", "study"]
        return StudyCheck(folder).findings().filter { finding in
            known.contains(String(finding.code.prefix { $0 != "-" })) || finding.path.hasPrefix("accounts")
        }
    }

    private func write(_ text: String, to url: URL, mode: Int) throws {
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    private func member(_ mail: String) -> String { #""accounts":{"groups":["main"],"mail":\#(mail)}"# }

    @Test func accountsWithAndWithoutMailHaveNoFindings() throws {
        #expect(try findings(#""accounts":{"groups":["main","other"]}"#) == [])
        #expect(try findings(member(#"{"smtp":"localhost:25","from":"s@example.org"}"#)) == [])
        let stored = try findings(#""accounts":{"groups":["main"]},"people":"data/p.sqlite""#) { folder in
            try write("", to: folder.dataURL.appendingPathComponent("p.sqlite"), mode: 0o600)
        }
        #expect(stored == [])
        #expect(try findings(#""accounts":{"groups":["main"]},"people":"postgresql://u@127.0.0.1/d""#) == [])
    }

    @Test(arguments: [
        (#""accounts":{"groups":["main"],"group":1}"#, "member-unknown", "accounts.group"),
        (#""accounts":{"groups":[]}"#, "study-invalid", ""),
        (#""accounts":{"groups":["main"],"mail":{"smtp":"x","from":"s@example.org"}}"#, "study-invalid", ""),
        (
            #""accounts":{"groups":["main"],"mail":{"smtp":"x:1","from":"s@example.org","port":1}}"#, "study-invalid",
            ""
        ),
    ])
    func unknownOrInvalidMembersAreErrors(members: String, code: String, path: String) throws {
        let found = try findings(members)
        #expect(found.map(\.code) == [code] && found.map(\.path) == [path], "\(found)")
        #expect(found.first?.severity == .error)
        // A message names the member once.
        #expect(found.first?.message.components(separatedBy: "study.json:").count ?? 3 <= 2, "\(found)")
    }

    @Test func passwordFileMustExistForItsOwnerAlone() throws {
        let mail = member(
            #"{"smtp":"mail.example.org:587","from":"s@example.org","user":"u","passwordFile":"keys/mail.txt"}"#)
        func code(_ text: String?, mode: Int = 0o600) throws -> [String] {
            try findings(mail) { folder in
                guard let text else { return }
                try write(text, to: folder.keys.url.appendingPathComponent("mail.txt"), mode: mode)
            }.map { finding in
                #expect(finding.path == "accounts.mail.passwordFile" && finding.file == "study.json")
                #expect(finding.severity == .error)
                return finding.code
            }
        }
        #expect(try code(nil) == ["mail-password-unreadable"])
        #expect(try code("secret\n", mode: 0o640) == ["mail-password-open"])
        #expect(try code("\n") == ["mail-password-unfit"])
        #expect(try code("secret\n") == [])
    }

    @Test func fileOfAuthoritiesMustExist() throws {
        let mail = member(#"{"smtp":"mail.example.org:587","from":"s@example.org","ca":"ca.pem"}"#)
        let found = try findings(mail)
        #expect(found.map(\.path) == ["accounts.mail.ca"], "\(found)")
        #expect(try findings(mail) { try write("x", to: $0.url.appendingPathComponent("ca.pem"), mode: 0o644) } == [])
    }

    @Test func peopleStoreIsOpenToItsOwnerAlone() throws {
        let found = try findings(#""accounts":{"groups":["main"]}"#) { folder in
            try write("", to: folder.defaultPeopleURL, mode: 0o640)
        }
        #expect(found.map(\.code) == ["people-open"] && found.map(\.file) == ["data/people.sqlite"])
        #expect(found.map(\.severity) == [.error])
    }

    @Test func peopleStoreOfAStudyWithoutAccountsIsReported() throws {
        let found = try findings(#""people":"p.sqlite""#) { folder in
            try write("", to: folder.defaultPeopleURL, mode: 0o600)
        }
        #expect(found.map(\.code) == ["people-without-accounts", "people-without-accounts"])
        #expect(found.map(\.file) == ["study.json", "data/people.sqlite"])
        #expect(found.allSatisfy { $0.severity == .warning })
    }
}
