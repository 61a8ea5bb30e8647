import AccessPolicy
import Audit
import Consumer
import Foundation
import Storage
import TestSupport
import Testing
import Wire

@testable import StudyFiles
@testable import StudyOperations

@Suite struct StudyLinksTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let registrar = Actor(id: "account:registrar", role: .site)

    private func withStudy(_ body: (StudyFolder, StudyStores) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "b"), antispam: "a-secret-word", now: now)
        let stores = try StudyStores(folder)
        _ = try await stores.migrate()
        try await body(folder, stores)
    }

    private func mode(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber).intValue
    }

    private func setMode(_ mode: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    @Test func linkIsReadableOnlyByItsOwnerAndListedWithItsRecord() async throws {
        try await withStudy { folder, stores in
            #expect(!FileManager.default.fileExists(atPath: folder.linksURL.path))
            #expect(try await stores.migrate().links == nil)
            let links = StudyLinks(stores, actor: registrar, clock: { now })
            #expect(try await links.all().isEmpty)
            let made = try await links.create(record: "record-4711")
            #expect(try mode(folder.linksURL) == 0o700)
            #expect(try mode(folder.linkStoreURL) == 0o600)
            #expect(try mode(folder.keys.linkKeyURL) == 0o600)
            let ignored = try String(contentsOf: folder.linksURL.appendingPathComponent(".gitignore"), encoding: .utf8)
            #expect(ignored == "*\n")
            let key = try #require(try folder.keys.linkKey()).publicKey
            let token = try LinkToken(reading: Data(made.token.utf8), signedBy: key, study: "s")
            #expect(token.id == made.id && token.expiresAt == now.addingTimeInterval(86_400))
            let payload = try JWS(compact: Data(made.token.utf8)).payload
            #expect(payload.range(of: Data("4711".utf8)) == nil)
            let listed = try await links.all()
            #expect(listed.map(\.record) == ["record-4711"] && listed.map(\.id) == [made.id])
            #expect(listed.first?.participant == nil)
            // The key stays, the ids change.
            let second = try await links.create(record: "record-4711")
            #expect(second.id != made.id)
            #expect(try folder.keys.linkKey()?.publicKey == key)
            // The key opens no envelope, and is not a key to which phones seal.
            #expect(try folder.keys.entries().count == 2)
            #expect(try await stores.migrate().links?.steps == [])
            try await stores.withRecords { records in
                let rows = try await AuditLog(database: records, clock: { now }).entries()
                #expect(Set(rows.map(\.action)) == ["create-link", "list-links"])
                #expect(Set(rows.compactMap(\.resourceID)) == [made.id, second.id])
                #expect(rows.allSatisfy { $0.actor == "account:registrar" && !"\($0)".contains("4711") })
            }
        }
    }

    @Test(arguments: ["", " ", "\t", "a\nb", "a\u{1B}[31m", String(repeating: "x", count: 201), "\u{7F}", "\u{85}"])
    func nameOfARecordIsAShortLine(_ record: String) async throws {
        try await withStudy { folder, stores in
            let links = StudyLinks(stores, actor: registrar, clock: { now })
            let refused = await #expect(throws: ServerError.self) { try await links.create(record: record) }
            #expect(refused?.code == "record-invalid")
            #expect(!FileManager.default.fileExists(atPath: folder.linksURL.path))
        }
    }

    @Test func devicesAndStaffCannotCreateOrListLinks() async throws {
        try await withStudy { folder, stores in
            for role in [Role.device, .staff] {
                let links = StudyLinks(stores, actor: Actor(id: "x", role: role), clock: { now })
                await #expect(throws: AccessError.self) { try await links.create(record: "r") }
                await #expect(throws: AccessError.self) { try await links.all() }
            }
            #expect(!FileManager.default.fileExists(atPath: folder.linkStoreURL.path))
        }
    }

    @Test func checkFindsOpenOrMissingLinkFiles() async throws {
        try await withStudy { folder, stores in
            _ = try await StudyLinks(stores, actor: registrar, clock: { now }).create(record: "r")
            func codes() -> [String] { StudyCheck(folder).linkFindings().map(\.code) }
            #expect(codes() == [])
            try setMode(0o750, of: folder.linksURL)
            #expect(codes() == ["links-open"])
            try setMode(0o640, of: folder.linkStoreURL)
            #expect(codes() == ["links-open", "links-open"])
            try setMode(0o700, of: folder.linksURL)
            try setMode(0o600, of: folder.linkStoreURL)
            try setMode(0o644, of: folder.keys.linkKeyURL)
            #expect(codes() == ["key-file-open"])
            try FileManager.default.removeItem(at: folder.keys.linkKeyURL)
            #expect(codes() == ["link-key-missing"])
        }
    }

    @Test func backupContainsNeitherLinksNorTheirKey() async throws {
        try await withStudy { folder, stores in
            _ = try await stores.migrate()
            let queue = try await stores.openQueue()
            let records = try await stores.openRecords()
            _ = try await StudyStores.claim(queue: queue, records: records, studyID: "s")
            try await queue.close()
            try await records.close()
            _ = try await StudyLinks(stores, actor: registrar, clock: { now }).create(record: "planted-record-name")
            let file = folder.url.deletingLastPathComponent().appendingPathComponent("study.backup")
            _ = try await StudyBackup.write(stores, to: file.path, at: now)
            let data = try Data(contentsOf: file)
            for word in ["planted-record-name", "links.sqlite", "links.pem", "PRIVATE KEY"] {
                #expect(data.range(of: Data(word.utf8)) == nil, "\(word)")
            }
            #expect(!StudyBackupManifest.isAllowed("study/links/links.sqlite"))
        }
    }

    @Test func qrCodeContainsTheWholeTextOrFails() throws {
        let png = try QRCode.png(of: String(repeating: "eyJhbGciOiJFUzI1NiJ9.", count: 30))
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        for text in [String(repeating: "x", count: 2_001), "ä", "a\nb"] {
            let refused = #expect(throws: ServerError.self) { try QRCode.png(of: text) }
            #expect(refused?.code == "qr-code-failed")
        }
    }
}
