import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import StudyKeys

@Suite struct KeyRevokingTests {
    private func code(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? any CodedError)?.code ?? "other: \(error)" }
        return nil
    }

    private func withFolder(_ body: (KeyFolder) throws -> Void) throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        try body(
            KeyFolder(
                url: temporary.url.appendingPathComponent("keys"),
                publicSetURL: temporary.url.appendingPathComponent("jwks.json")))
    }

    private let first = Date(timeIntervalSince1970: 1_000)
    private let second = Date(timeIntervalSince1970: 2_000)

    @Test func revokingTheCurrentKeyMakesANewOneAndNeverAnOlderOneCurrent() throws {
        try withFolder { folder in
            let old = try folder.generate(now: first)
            let new = try folder.generate(now: second)
            let current = try #require(new.first { $0.kind == .p256 })
            try folder.revoke(current.keyID, now: second.addingTimeInterval(1))
            let published = try PublishedKeys(reading: Data(contentsOf: folder.publicSetURL))
            #expect(!published.own.contains(current.publicKey))
            #expect(Set(published.own).isDisjoint(with: old.map(\.publicKey)))
            #expect(Set(published.own.map(\.kind)) == [.p256, .rsa])
            #expect(try folder.entries().filter { $0.state == .revoked }.map(\.key.keyID) == [current.keyID])
            // The key opens an envelope that was sealed to it.
            let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
            let sealed = try SealedEnvelope.seal(Data("{}".utf8), as: header, to: [current.publicKey])
            _ = try OpenedEnvelope.open(sealed.bytes, with: OpenSSLKeyOpener(folder.privateKeys()))
        }
    }

    @Test func anOlderKeyIsRevokedWithoutTouchingTheCurrentOnes() throws {
        try withFolder { folder in
            let old = try folder.generate(now: first)
            let new = try folder.generate(now: second)
            for key in old { try folder.revoke(String(key.keyID.prefix(12)), now: second) }
            #expect(Set(try folder.currentPublicKeys()) == Set(new.map(\.publicKey)))
            #expect(try folder.entries().count == 4)
            #expect(code { _ = try folder.revoke("nothing-like-it", now: second) } == "key-not-found")
            #expect(code { _ = try folder.revoke("", now: second) } == "key-not-found")
        }
    }

    @Test func keyIDNeverBeginsWithAHyphen() throws {
        try withFolder { folder in
            _ = try folder.generate(now: first)
            let made = try (0..<200).flatMap { _ in try folder.make([.p256], now: second) }
            #expect(!made.contains { $0.keyID.hasPrefix("-") })
        }
    }

    @Test func protectedKeysNeedTheirPassphrase() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let file = temporary.url.appendingPathComponent("passphrase")
        try Data("three grey herons\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let url = temporary.url.appendingPathComponent("keys")
        let set = temporary.url.appendingPathComponent("jwks.json")
        let protected = KeyFolder(url: url, publicSetURL: set, passphrase: KeyPassphrase(file: file))
        let made = try protected.generate(now: first)
        let root = try protected.makeRootKey()
        #expect(Set(try protected.privateKeys().map(\.keyID)) == Set(made.map(\.keyID)))
        #expect(try protected.rootKey()?.publicKey == root.publicKey)
        let plain = KeyFolder(url: url, publicSetURL: set)
        #expect(code { _ = try plain.entries() } == "key-passphrase-missing")
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            let text = try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
            #expect(PrivateKey.isProtected(pem: text))
            #expect(ProtectedPrivateKey.open(text, passphrase: "three grey heron") == nil)
            #expect(ProtectedPrivateKey.open(text, passphrase: "") == nil)
        }
    }

    @Test func textThatIsNotAKeyIsNotProtected() {
        #expect(ProtectedPrivateKey.protect("nothing", passphrase: "three grey herons") == nil)
        #expect(ProtectedPrivateKey.open("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n", passphrase: "x") == nil)
    }
}
