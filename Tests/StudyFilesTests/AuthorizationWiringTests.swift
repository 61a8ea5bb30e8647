import Core
import Foundation
import TestSupport
import Testing

@testable import StudyFiles

/// The configuration that the authorization server gets from a study.
@Suite struct AuthorizationWiringTests {
    private func configuration(_ url: String, development: Bool = false) throws -> StudyConfiguration {
        try StudyConfiguration(
            json: Data(
                """
                {"id":"s","title":"S","bundleIdentifier":"b","publicURL":"\(url)","development":\(development)}
                """.utf8))
    }

    @Test func thePublicURLIsReadStrictlyAndWithoutASlashAtItsEnd() throws {
        let read = try configuration("https://study.example:8443/base//")
        #expect(read.publicURL == "https://study.example:8443/base")
        #expect(try StudyConfiguration(json: read.json.data()) == read)
        #expect(try configuration("http://127.0.0.1:8080").publicURL == "http://127.0.0.1:8080")
        #expect(try configuration("http://study.example", development: true).publicURL == "http://study.example")
        for url in [
            "http://study.example", "https://study.example?x", "https://study.example#x", "https://user@study.example",
            "HTTPS://study.example", "study.example", "ftp://study.example", "https://", "https:study", "/",
        ] {
            let error = #expect(throws: ServerError.self, "\(url)") { try configuration(url) }
            #expect(error?.code == "public-url-invalid", "\(url)")
        }
    }

    @Test func signingKeysAreMadeOnceAndReadableOnlyByTheirOwner() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("signing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = StudyFolder(path: root.path)
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let first = try folder.signingKeys(now: now)
        #expect(first.count == 1)
        #expect(try folder.signingKeys(now: now).map(\.keyID) == first.map(\.keyID))
        func permissions(_ file: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.signingKeysURL.path)
        let file = folder.signingKeysURL.appendingPathComponent(try #require(names.first))
        #expect(try permissions(folder.signingKeysURL) == 0o700 && permissions(file) == 0o600)
        for opened in [file, folder.signingKeysURL] {
            let before = try #require(try permissions(opened))
            try FileManager.default.setAttributes([.posixPermissions: before | 0o040], ofItemAtPath: opened.path)
            let error = #expect(throws: ServerError.self) { try folder.signingKeys(now: now) }
            #expect(error?.code == "signing-keys-open")
            try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: opened.path)
        }
        // A newer key in the folder is used for signing, and the older one is still published.
        try FileManager.default.copyItem(
            at: file, to: folder.signingKeysURL.appendingPathComponent("1800000000-copy.private.pem"))
        #expect(try folder.signingKeys(now: now).count == 2)
        try Data("no key".utf8).write(to: file)
        #expect(throws: (any Error).self) { try folder.signingKeys(now: now) }
    }
}
