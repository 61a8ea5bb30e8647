import Audit
import Foundation
import Storage
import TestSupport
import Wire

@testable import Consumer

/// A consumer with a store of links, and the study that makes the links.
struct LinkFixture {
    /// A whole second of today, since the messages of a test phone arrive now.
    static let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

    let consumer: ConsumerFixture
    let links: LinkStore
    let key: P256SigningKey
    let clock: TestClock
    private let folder: TemporaryFolder

    init(
        signatures: SignaturePolicy = .init(study: "s", acceptsUnsigned: true),
        intake: (@Sendable (LinkStore, P256SigningKey) -> LinkIntake)? = nil
    ) async throws {
        let folder = try TemporaryFolder()
        let key = try P256SigningKey()
        let clock = TestClock(Self.start)
        let path = folder.url.appendingPathComponent("links.sqlite").path
        let links = LinkStore(try await SQLiteDatabase.open(path: path, migrations: LinkSchema.migrations))
        let standard: @Sendable (LinkStore, P256SigningKey) -> LinkIntake = { _, key in
            LinkIntake(
                store: {
                    LinkStore(
                        try await SQLiteDatabase.open(path: path, migrations: LinkSchema.migrations, schema: .exact))
                },
                key: { key.publicKey })
        }
        self.folder = folder
        self.key = key
        self.clock = clock
        self.links = links
        consumer = try await ConsumerFixture(
            signatures: signatures, links: (intake ?? standard)(links, key), clock: { clock.now })
    }

    func close() async throws {
        try await links.close()
        try await consumer.close()
        folder.remove()
    }

    /// Returns a link to a record, as the study makes it.
    func link(to record: String = "record-4711") async throws -> Data {
        let token = LinkToken(random: SystemRandom.bytes(32), study: "s", now: clock.now)
        try await links.add(token.id, record: record, createdAt: token.issuedAt, expiresAt: token.expiresAt)
        return try token.signed(with: key)
    }

    /// Registers a device whose participant's consent is stored.
    func member(_ participant: String) async throws -> String {
        let client = try await consumer.client()
        _ = try await consumer.send(ConsumerFixture.contract(participant), from: client)
        return client
    }

    /// Sends a link without a signature.
    func hand(
        _ token: Data, from client: String, submissionID: String = UUID().uuidString.lowercased()
    ) async throws -> String {
        let header = try SubmissionHeader(submissionID: submissionID, sequence: 9, contentType: .link)
        let sealed = try SealedEnvelope.seal(token, as: header, to: consumer.recipients)
        let outcome = try await consumer.enqueue(sealed.bytes, client: client, submissionID: submissionID)
        return outcome.map { $0.reasonCode ?? $0.status.rawValue } ?? "nothing"
    }

    /// Returns the participants by record.
    func pairs() async throws -> [String: String] {
        try await links.all().reduce(into: [:]) { $0[$1.record] = $1.participant }
    }
}
