import Foundation
import TestSupport
import Testing
import Wire

@testable import StudyKeys

@Suite struct KeyFolderTests {
    private func withFolder(_ body: (KeyFolder) throws -> Void) throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url
        try body(
            KeyFolder(
                url: root.appendingPathComponent("keys"), publicSetURL: root.appendingPathComponent("jwks.json")))
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func keysAreReadableOnlyByTheirOwner() throws {
        try withFolder { folder in
            _ = try folder.generate(now: Date())
            #expect(try mode(folder.url.path) == 0o700)
            for entry in try folder.entries() {
                #expect(try mode(folder.url.appendingPathComponent(entry.file).path) == 0o600)
            }
        }
    }

    @Test func aKeyFileOthersCanReadIsRefused() throws {
        try withFolder { folder in
            _ = try folder.generate(now: Date())
            let file = folder.url.appendingPathComponent(try #require(folder.entries().first).file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            #expect(throws: StudyKeyError.self) { try folder.entries() }
        }
    }

    @Test func rotatingMakesNewKeysCurrentAndKeepsTheOldOnesForOpening() throws {
        try withFolder { folder in
            let first = try folder.generate(now: Date(timeIntervalSince1970: 1000))
            let sealed = try SealedEnvelope.seal(
                Data("old".utf8), as: SubmissionHeader(submissionID: UUID().uuidString, sequence: 1),
                to: first.map(\.publicKey))
            let second = try folder.generate(now: Date(timeIntervalSince1970: 1000.002))
            #expect(Set(try folder.currentPublicKeys().map(\.keyID)) == Set(second.map(\.keyID)))
            let published = try PublicKey.read(from: Data(contentsOf: folder.publicSetURL))
            #expect(Set(published.map(\.keyID)) == Set(second.map(\.keyID)))
            let opener = try OpenSSLKeyOpener(folder.privateKeys())
            #expect(try OpenedEnvelope.open(sealed.bytes, with: opener).payload == Data("old".utf8))
        }
    }

    @Test func openSSLOpensBothEnvelopeFormatsOfTheRSAKey() throws {
        let key = try PrivateKey.generateRSA()
        let opener = try OpenSSLKeyOpener([key])
        let payload = Data(#"{"resourceType":"Patient"}"#.utf8)
        guard case .rsa(let publicKey) = key.publicKey else {
            Issue.record("not an RSA key")
            return
        }
        let jwe = try SealedEnvelope.seal(
            payload, as: SubmissionHeader(submissionID: UUID().uuidString, sequence: 1), to: [key.publicKey])
        #expect(try OpenedEnvelope.open(jwe.bytes, with: opener).payload == payload)
        let c3pro = try C3PROEnvelope.seal(payload, to: publicKey, keyID: "")
        #expect(try OpenedEnvelope.open(c3pro.bytes, with: opener).payload == payload)
        let other = try OpenSSLKeyOpener([try PrivateKey.generateRSA()])
        #expect(throws: WireError.self) { try OpenedEnvelope.open(jwe.bytes, with: other) }
    }

    @Test func theCertificateCarriesTheRSAKey() throws {
        let key = try PrivateKey.generateRSA()
        let certificate = try SelfSignedCertificate.make(for: key, commonName: "study", now: Date())
        #expect(try PublicKey.read(from: certificate).map(\.keyID) == [key.keyID])
    }
}

@Suite struct KeyOpenerCacheTests {
    @Test func keysRotatedMeanwhileOpenAtOnce() async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url
        let folder = KeyFolder(
            url: root.appendingPathComponent("keys"), publicSetURL: root.appendingPathComponent("jwks.json"))
        let cache = KeyOpenerCache(folder: folder)
        for time in [1000.0, 2000.0] {
            let keys = try folder.generate(now: Date(timeIntervalSince1970: time))
            let sealed = try SealedEnvelope.seal(
                Data("x".utf8), as: SubmissionHeader(submissionID: UUID().uuidString, sequence: 1),
                to: keys.map(\.publicKey))
            #expect(try OpenedEnvelope.open(sealed.bytes, with: try await cache.opener()).payload == Data("x".utf8))
        }
    }
}
