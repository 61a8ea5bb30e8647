import Audit
import Consumer
import Core
import Crypto
import Foundation
import Storage
import TestSupport
import Testing

@testable import StudyFiles
@testable import StudyOperations

@Suite struct StudyDeletionTests {
    private let date = Date(timeIntervalSince1970: 1_790_000_000)

    @Test func writtenListIsReadUnchanged() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let file = temporary.url.appendingPathComponent("list.json")
        var list = StudyDeletionList(studyID: "s", key: Data(repeating: 5, count: 32))
        let digest = DeletionRegister.digest(of: "p", key: list.key)
        list.add(digest, at: date)
        // The first time counts.
        list.add(digest, at: date.addingTimeInterval(60))
        try list.write(to: file)
        #expect(try StudyDeletionList.read(file, studyID: "s") == list)
        #expect(list.deletions == [digest: date])
        #expect(try StudyDeletionList.read(temporary.url.appendingPathComponent("none"), studyID: "s") == nil)
        let refused = #expect(throws: ServerError.self) { try StudyDeletionList.read(file, studyID: "t") }
        #expect(refused?.code == "deletions-mismatch")
    }

    @Test(arguments: [
        "", "{}", #"{"format":"tributary-deletions","version":2,"study":"s","digestKey":"","participants":[]}"#,
        #"{"format":"tributary-deletions","version":1,"study":"s","digestKey":"AAAA","participants":[]}"#,
        #"{"format":"tributary-deletions","version":1,"study":"s","digestKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","participants":[{"digest":"x","deletedAt":"2026-01-01T00:00:00.000Z"}]}"#,
    ])
    func invalidListIsRefused(text: String) throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let file = temporary.url.appendingPathComponent("list.json")
        try Data(text.utf8).write(to: file)
        let refused = #expect(throws: ServerError.self) { try StudyDeletionList.read(file, studyID: "s") }
        #expect(refused?.code == "deletions-invalid")
    }

    private func report(_ reason: String?) throws -> StudyDeletionReport {
        let reasonMember = reason.map { #","reason":"\#($0)""# } ?? ""
        let account = try ParticipantDeletion.Account(
            text: """
                {"stretches":[],"removed":{"record":{"count":2,"sha256":"b"},"fact":{"count":0,"sha256":"d"}},\
                "kept":{"submission":{"count":1,"sha256":"c"}},"actor":"account:team"\(reasonMember),"deletedAt":800000000}
                """)
        #expect(try ParticipantDeletion.Account(text: account.text) == account)
        return StudyDeletionReport(
            digest: String(repeating: "a", count: 64), studyID: "s", account: account,
            copies: ["records.sqlite.before-1"])
    }

    @Test func reportIsCanonicalAndHasItsOwnSignature() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        let study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study")
        try folder.make(study, antispam: "a-secret-word", now: date)
        try StudyBackupFiles.makeFolder(folder.deletionsURL.path, permissions: 0o700)
        let file = try StudyDeletionSigner(folder).write(report("asked"), into: folder.deletionsURL)
        let json = try JSON(Data(contentsOf: file))
        #expect(json["removed"]?["record"]?["count"]?.integer == 2)
        #expect(json["reason"]?.string == "asked")
        let names = try #require(json.object).members.map(\.key)
        #expect(names == names.sorted())
        #expect(try report(nil).data.range(of: Data("reason".utf8)) == nil)
        #expect(try StudyDeletionReport.isGenuine(file, key: folder.deletionPublicKeyURL))
        // The key is generated once, and the same data writes the same report.
        let again = try StudyDeletionSigner(folder).write(report("asked"), into: folder.deletionsURL)
        #expect(again == file)
        #expect(try StudyDeletionReport.isGenuine(file, key: folder.deletionPublicKeyURL))
        try Data("{}".utf8).write(to: file)
        #expect(try !StudyDeletionReport.isGenuine(file, key: folder.deletionPublicKeyURL))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.deletionKeyURL.path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test func keepOnDeleteAcceptsOnlyKnownValues() throws {
        func configuration(_ kept: String) throws -> StudyConfiguration {
            try StudyConfiguration(
                json: Data(#"{"id":"s","title":"S","bundleIdentifier":"b","keepOnDelete":\#(kept)}"#.utf8))
        }
        #expect(try configuration(#"["consent","audit"]"#).keepOnDelete == [.consent, .audit])
        #expect(try configuration("[]").keepOnDelete == [])
        for kept in [#""consent""#, #"["facts"]"#, "[1]", "null"] {
            #expect(throws: ServerError.self, "\(kept)") { try configuration(kept) }
        }
        let study = try configuration(#"["audit","consent"]"#)
        #expect(try StudyConfiguration(json: study.json.data()) == study)
    }
}
