import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

/// A study whose responses name the keys that it publishes.
private actor KeyRotatingStudy: Transport {
    let root: P256SigningKey
    private(set) var keys: PublishedKeys
    private(set) var issuedAt = Date(timeIntervalSince1970: 1_800_000_000)
    private(set) var askedForKeys = 0
    var reported: String?

    init(_ keys: PublishedKeys) throws {
        self.keys = keys
        root = try P256SigningKey()
    }

    func rotate(to keys: PublishedKeys) {
        self.keys = keys
        issuedAt += 10
    }

    func report(_ reported: String?) { self.reported = reported }

    func signed() throws -> Data {
        try SignedKeySet.sign(keys, issuedAt: issuedAt, expiresAt: issuedAt.addingTimeInterval(30 * 86_400), with: root)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let headers = [StudyPath.keysHeader: reported ?? keys.fingerprint]
        switch request.url.path {
        case "/s/study/keys":
            askedForKeys += 1
            return TransportResponse(status: 200, body: try signed())
        case "/s/oauth/token":
            let response = TokenResponse(accessToken: "token", expiresIn: 1800)
            return TransportResponse(status: 200, body: try JSONEncoder().encode(response))
        case "/s/deliveries":
            let page = DeliveriesPage(deliveries: [], next: "1-0", epoch: 1)
            return TransportResponse(status: 200, headers: headers, body: try JSONEncoder().encode(page))
        default: return TransportResponse(status: 404)
        }
    }
}

@Suite struct KeyRenewalTests {
    private let folder: TemporaryFolder
    private let store: DeviceStore
    private let study: KeyRotatingStudy
    private let first: PublishedKeys

    init() async throws {
        folder = try TemporaryFolder()
        store = try DeviceStore.open(folder.url)
        first = try PublishedKeys(own: [PrivateKey.generateP256().publicKey], study: "s")
        study = try KeyRotatingStudy(first)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let set = try await SignedKeySet(reading: study.signed(), root: study.root.publicKey.keyID, now: now)
        try store.save(
            Enrolment(
                baseURL: "https://study.example/s", clientID: "id", clientSecret: "s", antispam: "word",
                jwks: String(decoding: set.jwks, as: UTF8.self),
                signedKeys: .init(
                    root: study.root.publicKey.keyID, issuedAt: set.issuedAt, expiresAt: set.expiresAt, fetchedAt: now))
        )
    }

    private func synchronize(after seconds: Double = 60) async throws -> KeyRenewal {
        let now = Date(timeIntervalSince1970: 1_800_000_000 + seconds)
        let connection = StudyConnection(
            enrolment: try store.enrolment(), transport: study,
            environment: DeviceEnvironment(now: { now }, sleep: { _ in }, random: { 0.5 }))
        return try await connection.synchronize(store).keys
    }

    private func other() throws -> PublishedKeys {
        try PublishedKeys(own: [PrivateKey.generateP256().publicKey], study: "s")
    }

    @Test func keysAreFetchedOnceAfterTheStudyAnnouncesOthers() async throws {
        defer { folder.remove() }
        #expect(try await synchronize() == .current)
        #expect(await study.askedForKeys == 0)
        let new = try other()
        await study.rotate(to: new)
        #expect(try await synchronize() == .renewed)
        #expect(try store.enrolment().recipients() == new.recipients)
        #expect(try await synchronize() == .current)
        #expect(await study.askedForKeys == 1)
    }

    @Test func keysAreFetchedADayAfterTheLastTime() async throws {
        defer { folder.remove() }
        #expect(try await synchronize(after: 86_399) == .current)
        #expect(await study.askedForKeys == 0)
        #expect(try await synchronize(after: 86_400) == .current)
        #expect(await study.askedForKeys == 1)
        #expect(try store.enrolment().signedKeys?.fetchedAt == Date(timeIntervalSince1970: 1_800_086_400))
    }

    @Test func announcementOfOtherKeysDoesNotReplaceKeys() async throws {
        defer { folder.remove() }
        await study.report(String(repeating: "A", count: 43))
        #expect(try await synchronize() == .current)
        #expect(try store.enrolment().recipients() == first.recipients)
        await study.report("nothing")
        _ = try await synchronize()
        #expect(await study.askedForKeys == 1)
    }

    @Test func failureToFetchKeysIsReportedAndChangesNothing() async throws {
        defer { folder.remove() }
        await study.rotate(to: try PublishedKeys(own: [PrivateKey.generateP256().publicKey], study: "another"))
        #expect(try await synchronize() == .failed(code: "key-set-invalid"))
        #expect(try store.enrolment().recipients() == first.recipients)
    }
}
