import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct PublishedKeysTests {
    private let p256: PublicKey
    private let rsa: PublicKey
    private let centre: PrivateKey

    init() throws {
        p256 = try TestKeys.p256.get().publicKey
        rsa = try TestKeys.rsa.get().publicKey
        centre = try PrivateKey.generateP256()
    }

    @Test func publishedSetIsReadUnchanged() throws {
        let keys = try PublishedKeys(own: [rsa, p256], others: [centre.publicKey], study: "s")
        #expect(keys.own == [p256, rsa])
        #expect(try PublishedKeys(reading: keys.jwks) == keys)
        #expect(try PublicKey.read(from: keys.jwks) == [p256, rsa, centre.publicKey])
        let alone = try PublishedKeys(reading: PublicKey.jwks([rsa, p256]))
        #expect(alone.others.isEmpty && alone.study == nil)
    }

    @Test func submissionIsSealedToOneOwnKeyAndToEachOtherKey() throws {
        let keys = try PublishedKeys(own: [rsa, p256], others: [centre.publicKey])
        #expect(keys.recipients == [p256, centre.publicKey])
        let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
        let sealed = try SealedEnvelope.seal(Data("{}".utf8), as: header, to: keys.recipients)
        for key in [try TestKeys.p256.get(), centre] {
            #expect(try OpenedEnvelope.open(sealed.bytes, with: KeySet([key])).payload == Data("{}".utf8))
        }
    }

    @Test func setWithoutAnOwnKeyOrWithTooManyOthersIsRefused() throws {
        var set = try #require(JSON(reading: PublicKey.jwks([p256])))
        set["also"] = .array([.string(p256.keyID)])
        #expect(code { _ = try PublishedKeys(reading: set.data()) } == "recipients-invalid")
        let many = try (0...PublishedKeys.maximumOthers).map { _ in try PrivateKey.generateP256().publicKey }
        #expect(code { _ = try PublishedKeys(own: [p256], others: many) } == "recipients-invalid")
        // A key of the study itself is not another recipient's key as well.
        #expect(try PublishedKeys(own: [p256], others: [p256]).recipients == [p256])
    }

    @Test func fingerprintDependsOnlyOnTheKeys() throws {
        let keys = try PublishedKeys(own: [rsa, p256])
        #expect(keys.fingerprint.utf8.count == 43)
        #expect(try PublishedKeys(own: [p256, rsa], study: "s").fingerprint == keys.fingerprint)
        #expect(try PublishedKeys(own: [p256]).fingerprint != keys.fingerprint)
        #expect(try PublishedKeys(own: [p256, rsa], others: [centre.publicKey]).fingerprint != keys.fingerprint)
    }
}
