import Foundation
import ResearchResults
import TestSupport
import Testing

@testable import Accounts

@Suite struct MailFolderTests {
    private func message(_ id: String, from sender: EmailAddress, _ text: String = "Code: A1\n") throws -> MailMessage {
        try MailMessage(
            id: id, from: sender,
            content: MailContent(to: EmailAddress("ann@example.org"), subject: "S", text: text), date: Date())
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func aMailIsOneFileThatOnlyTheOwnerReads() async throws {
        try await withTemporaryFolder { path in
            let folder = "\(path)/data/mail"
            let sender = try MailFolder(URL(fileURLWithPath: folder, isDirectory: true))
            let message = try message("0001", from: sender.sender)
            #expect(await sender.send(message) == .accepted)
            #expect(await sender.send(message) == .accepted)
            #expect(FileManager.default.contents(atPath: "\(folder)/0001.eml").map(Array.init) == message.bytes)
            #expect(try mode("\(folder)/0001.eml") == 0o600 && mode(folder) == 0o700)
            #expect(try mails(in: folder) == ["0001.eml"])
        }
    }

    @Test func theRestOfAKilledWriterIsRemoved() async throws {
        try await withTemporaryFolder { folder in
            try Data("Code: A1".utf8).write(to: URL(fileURLWithPath: "\(folder)/.tmp-left"))
            let sender = try MailFolder(URL(fileURLWithPath: folder, isDirectory: true))
            #expect(await sender.send(try message("0001", from: sender.sender)) == .accepted)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [".lock", "0001.eml"])
        }
    }

    @Test func aFolderThatCannotBeMadeIsTemporary() async throws {
        try await withTemporaryFolder { path in
            try Data().write(to: URL(fileURLWithPath: "\(path)/mail"))
            let sender = try MailFolder(URL(fileURLWithPath: "\(path)/mail", isDirectory: true))
            guard case .unavailable = await sender.send(try message("0001", from: sender.sender)) else {
                Issue.record("the outcome is not temporary")
                return
            }
        }
    }

    #if os(Linux)
        @Test func aFullDiskLeavesNoHalfMail() async throws {
            try await withSmallDisk("64k") { disk in
                let sender = try MailFolder(URL(fileURLWithPath: disk.path, isDirectory: true))
                let long = String(repeating: "a\n", count: 30_000)
                var full = 0
                for number in 0..<4 {
                    let outcome = await sender.send(try message("\(number)", from: sender.sender, long))
                    if outcome == .unavailable(MailProblem("storage-full")) { full += 1 }
                }
                #expect(full > 0)
                #expect(try mails(in: disk.path).count == 4 - full)
                // The next small mail is written.
                try disk.resize(to: "1m")
                #expect(await sender.send(try message("next", from: sender.sender)) == .accepted)
            }
        }
    #endif

    private func mails(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".eml") }
    }
}
