import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct SignedKeySetTests {
    private let root: P256SigningKey
    private let keys: [PublicKey]
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        root = try P256SigningKey()
        keys = [try TestKeys.p256.get().publicKey, try TestKeys.rsa.get().publicKey]
    }

    private func signed(by key: P256SigningKey? = nil, study: String = "s", age: Double = 0) throws -> Data {
        try SignedKeySet.sign(
            PublishedKeys(own: keys, study: study), issuedAt: now.addingTimeInterval(-age),
            expiresAt: now.addingTimeInterval(3_600 - age),
            with: key ?? root)
    }

    @Test func keysThatTheRootSignedAreRead() throws {
        let set = try SignedKeySet(reading: signed(), root: root.publicKey.keyID, study: "s", now: now)
        #expect(try PublicKey.read(from: set.jwks) == keys)
        #expect(PublicKey.study(ofKeys: set.jwks) == "s")
        #expect(set.expiresAt == now.addingTimeInterval(3_600))
    }

    @Test func keysOfAnotherRootOrStudyAreRefused() throws {
        let other = try P256SigningKey()
        let fingerprint = root.publicKey.keyID
        #expect(
            code { _ = try SignedKeySet(reading: signed(by: other), root: fingerprint, now: now) } == "key-set-invalid")
        #expect(
            code { _ = try SignedKeySet(reading: signed(study: "t"), root: fingerprint, study: "s", now: now) }
                == "key-set-invalid")
        #expect(
            code { _ = try SignedKeySet(reading: Data("{}".utf8), root: fingerprint, now: now) } == "key-set-invalid")
        #expect(code { _ = try SignedKeySet(reading: PublicKey.jwks(keys), root: "", now: now) } == "key-set-invalid")
    }

    @Test func keysOutsideTheirPeriodAndOlderOnesAreRefused() throws {
        let fingerprint = root.publicKey.keyID
        func codeAt(_ now: Date, newest: Date? = nil) throws -> String? {
            let bytes = try signed()
            return code { _ = try SignedKeySet(reading: bytes, root: fingerprint, newest: newest, now: now) }
        }
        #expect(try codeAt(now.addingTimeInterval(3_599)) == nil)
        #expect(try codeAt(now.addingTimeInterval(3_600)) == "key-set-expired")
        #expect(try codeAt(now.addingTimeInterval(-86_000)) == nil)
        #expect(try codeAt(now.addingTimeInterval(-400 * 86_400)) == "key-set-expired")
        #expect(try codeAt(now, newest: now) == nil)
        #expect(try codeAt(now, newest: now.addingTimeInterval(1)) == "key-set-expired")
    }

    @Test func everyChangeIsSeen() throws {
        var random = Seeded.fresh()
        let bytes = try signed()
        for _ in 0..<200 {
            var changed = bytes
            changed[Int.random(in: 0..<changed.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            #expect(
                code { _ = try SignedKeySet(reading: changed, root: root.publicKey.keyID, now: now) }
                    == "key-set-invalid")
        }
    }
}
