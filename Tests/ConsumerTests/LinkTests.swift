import Audit
import Core
import Foundation
import Identity
import Storage
import StorageTestSupport
import Submissions
import TestSupport
import Testing
import Wire

@testable import Consumer

@Suite struct LinkTests {
    @Test func linkBelongsToItsFirstSender() async throws {
        let fixture = try await LinkFixture()
        let (first, second) = (try await fixture.member("p1"), try await fixture.member("p2"))
        let token = try await fixture.link()
        #expect(try await fixture.hand(token, from: first) == "stored")
        #expect(try await fixture.hand(token, from: second) == "link-used")
        // The same person may send it again, also after it has expired.
        #expect(try await fixture.hand(token, from: first) == "stored")
        fixture.clock.advance(by: 3 * LinkToken.lifetime)
        #expect(try await fixture.hand(token, from: first) == "stored")
        #expect(try await fixture.pairs() == ["record-4711": "p1"])
        #expect(try await fixture.links.all().map(\.linkedAt) == [LinkFixture.start])
        let rows = try await fixture.consumer.access.audit.entries(participant: "p1").filter {
            $0.action == "link-participant"
        }
        let id = try LinkToken(scanned: token, study: "s").id
        #expect(Set(rows.map(\.resourceID)) == [id])
        #expect(rows.allSatisfy { $0.isAllowed && $0.actor == first })
        try await fixture.close()
    }

    /// The other submissions of the batch are recorded before it and after it.
    @Test func linkBetweenDataOfItsDeviceIsRecordedInOrder() async throws {
        let fixture = try await LinkFixture()
        let consumer = fixture.consumer
        let client = try await fixture.member("p1")
        var sent = [try await consumer.enqueue(ConsumerFixture.response("p1"), from: client)]
        let header = try SubmissionHeader(
            submissionID: UUID().uuidString.lowercased(), sequence: 2, contentType: .link)
        let sealed = try SealedEnvelope.seal(try await fixture.link(), as: header, to: consumer.recipients)
        _ = try await consumer.queue.enqueue(
            NewSubmission(
                clientID: client, submissionID: header.submissionID, digest: SecretDigest.hex(of: sealed.bytes),
                format: .jwe, body: sealed.bytes, receivedAt: fixture.clock.now), quota: nil)
        sent.append(header.submissionID)
        for answer in 2...3 {
            sent.append(try await consumer.enqueue(ConsumerFixture.response("p1", answer: answer), from: client))
        }
        #expect(try await consumer.service().drain() == sent.count)
        let settled = try await consumer.database.read {
            try $0.query("SELECT submission_id FROM settlement ORDER BY number").map { try $0.text("submission_id") }
        }
        #expect(settled.suffix(sent.count) == sent)
        #expect(try await fixture.pairs() == ["record-4711": "p1"])
        try await fixture.close()
    }

    @Test func linkSignedByThePhoneIsAcceptedAndOthersAreRefused() async throws {
        let fixture = try await LinkFixture(signatures: .init(study: "s"))
        var phone = try await fixture.consumer.device()
        let recipients = fixture.consumer.recipients
        #expect(
            try await fixture.consumer.receive(
                phone.seal(phone.contract(), to: recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        let token = try await fixture.link()
        #expect(try await fixture.hand(token, from: phone.enrolmentID) == "signature-missing")
        var forger = phone
        forger.key = try P256SigningKey()
        let text = String(decoding: token, as: UTF8.self)
        let forged = try forger.seal(text, to: recipients, contentType: .link)
        #expect(try await fixture.consumer.receive(forged, enrolmentID: phone.enrolmentID) == "signature-invalid")
        #expect(try await fixture.pairs().isEmpty)
        let message = try phone.seal(text, to: recipients, contentType: .link)
        #expect(try await fixture.consumer.receive(message, enrolmentID: phone.enrolmentID) == "stored")
        #expect(try await fixture.pairs() == ["record-4711": phone.participant])
        // The link is part of the chain of the phone's signed messages.
        #expect(
            try await fixture.consumer.receive(
                phone.seal(phone.response(1), to: recipients), enrolmentID: phone.enrolmentID)
                == "stored")
        #expect(try await fixture.consumer.gaps().isEmpty)
        try await fixture.close()
    }

    @Test func withoutConsentALinkWaitsAndAfterAWithdrawalItIsRefused() async throws {
        let fixture = try await LinkFixture()
        let client = try await fixture.consumer.client()
        let token = try await fixture.link()
        let submission = UUID().uuidString.lowercased()
        #expect(try await fixture.hand(token, from: client, submissionID: submission) == "consent-required")
        #expect(try await fixture.pairs().isEmpty)
        // It reached the study in time: waiting for the consent does not make it late.
        fixture.clock.advance(by: 2 * LinkToken.lifetime)
        #expect(
            try await fixture.consumer.send(ConsumerFixture.contract("p1", id: "c1"), from: client)?.status == .stored)
        #expect(try await fixture.pairs() == ["record-4711": "p1"])
        #expect(try await fixture.links.all().map(\.linkedAt) == [LinkFixture.start])
        try await fixture.consumer.send(ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)
        #expect(try await fixture.hand(fixture.link(to: "other"), from: client) == "consent-withdrawn")
        #expect(try await fixture.pairs() == ["record-4711": "p1"])
        try await fixture.close()
    }

    @Test func expiredUnknownAndInvalidLinksAreQuarantined() async throws {
        let fixture = try await LinkFixture()
        let client = try await fixture.member("p1")
        let late = try await fixture.link(to: "late")
        fixture.clock.advance(by: LinkToken.lifetime)
        #expect(try await fixture.hand(late, from: client) == "link-expired")
        let unknown = LinkToken(random: SystemRandom.bytes(32), study: "s", now: fixture.clock.now)
        #expect(try await fixture.hand(unknown.signed(with: fixture.key), from: client) == "link-unknown")
        #expect(try await fixture.hand(unknown.signed(with: P256SigningKey()), from: client) == "link-invalid")
        let elsewhere = LinkToken(random: SystemRandom.bytes(32), study: "t", now: fixture.clock.now)
        #expect(try await fixture.hand(elsewhere.signed(with: fixture.key), from: client) == "link-invalid")
        let good = try await fixture.link(to: "good")
        for damaged in [Data(), good.dropLast(), Data("{}".utf8), good + good, Data(repeating: 0x41, count: 100_000)] {
            #expect(try await fixture.hand(Data(damaged), from: client) == "link-invalid")
        }
        // Nothing is refused: the study team can inspect it, and a quarantined link stays valid for its owner.
        #expect(try await fixture.pairs().isEmpty)
        #expect(try await fixture.consumer.queue.status(now: fixture.clock.now).quarantined == 9)
        #expect(try await fixture.hand(good, from: client) == "stored")
        try await fixture.close()
    }

    @Test func linkIsUnknownWithoutLinksAndHeldWhileTheStoreIsUnavailable() async throws {
        let without = try await LinkFixture(intake: { _, _ in .none })
        let client = try await without.member("p1")
        #expect(try await without.hand(without.link(), from: client) == "link-unknown")
        try await without.close()
        struct Away: Error {}
        let away = try await LinkFixture(intake: { _, key in
            LinkIntake(store: { throw Away() }, key: { key.publicKey })
        })
        let other = try await away.member("p1")
        #expect(try await away.hand(away.link(), from: other) == "links-unavailable")
        let held = try await away.consumer.queue.status(now: away.clock.now)
        #expect(held.held == 1 && held.quarantined == 0)
        // Neither other devices' messages nor further messages of the sender wait for it.
        #expect(try await away.consumer.send(ConsumerFixture.response("p1"), from: other)?.status == .stored)
        try await away.close()
    }

    /// The pair is committed before the records contain it: a process can end between the two.
    @Test func aProcessThatEndsBetweenTheTwoStoresIsRecognised() async throws {
        struct Ended: Error {}
        let fixture = try await LinkFixture()
        let (client, other) = (try await fixture.member("p1"), try await fixture.member("p2"))
        let token = try await fixture.link()
        let header = try SubmissionHeader(
            submissionID: UUID().uuidString.lowercased(), sequence: 9, contentType: .link)
        let sealed = try SealedEnvelope.seal(token, as: header, to: fixture.consumer.recipients)
        _ = try await fixture.consumer.queue.enqueue(
            NewSubmission(
                clientID: client, submissionID: header.submissionID, digest: SecretDigest.hex(of: sealed.bytes),
                format: .jwe, body: sealed.bytes, receivedAt: fixture.clock.now), quota: nil)
        let submission = try #require(
            try await fixture.consumer.queue.lease(
                owner: "first", limit: 1, duration: 60, now: fixture.clock.now, isIdle: true
            ).first)
        let (processor, links, key) = (fixture.consumer.processor, fixture.links, fixture.key.publicKey)
        let published = await processor.admission.published()
        await #expect(throws: Ended.self) {
            try await fixture.consumer.database.write { transaction in
                let outcome = try processor.link(
                    token, of: submission, signature: nil, keyID: "k", links: .open(links, key), published: published,
                    in: transaction)
                #expect(outcome.status == .stored)
                throw Ended()
            }
        }
        #expect(try await fixture.pairs() == ["record-4711": "p1"])
        #expect(try await fixture.consumer.count("SELECT count(*) AS number FROM link_use") == 0)
        // Another device sends the same link first: it still belongs to the first one.
        #expect(try await fixture.hand(token, from: other) == "link-used")
        try await fixture.consumer.queue.takeOverLeases(owner: "test")
        let outcomes = try await fixture.consumer.drain()
        #expect(outcomes[submission.submissionID]?.status == .stored)
        #expect(try await fixture.pairs() == ["record-4711": "p1"])
        #expect(try await fixture.consumer.count("SELECT count(*) AS number FROM link_use") == 1)
        let audit = "SELECT count(*) AS number FROM audit WHERE action = 'link-participant'"
        #expect(try await fixture.consumer.count(audit) == 1)
        // The process ends after the records and before the queue: the settlement is recognised.
        #expect(try await processor.process(submission).status == .stored)
        #expect(try await fixture.consumer.count(audit) == 1)
        try await fixture.close()
    }

    @Test func usedLinkStaysUsedAfterARestoreOfTheLinks() async throws {
        let fixture = try await LinkFixture()
        let (client, other) = (try await fixture.member("p1"), try await fixture.member("p2"))
        let token = try await fixture.link()
        #expect(try await fixture.hand(token, from: client) == "stored")
        _ = try await fixture.links.database.write { transaction in
            try transaction.execute(
                "UPDATE link SET participant = NULL, submission_id = NULL, linked_at = NULL WHERE jti <> ?",
                [SQLValue("")])
        }
        #expect(try await fixture.hand(token, from: other) == "link-used")
        #expect(try await fixture.pairs().isEmpty)
        try await fixture.close()
    }

    /// Names that a search by regular expression, or SQL built from text, would misinterpret.
    @Test(arguments: [".*", "' OR '1'='1", "'; DROP TABLE link; --", "%_", "\\", "$where", "a\"b", "ÄÖ ü 7"])
    func recordNamesAreNotInterpreted(_ name: String) async throws {
        let fixture = try await LinkFixture()
        let client = try await fixture.member("p1")
        _ = try await fixture.link(to: "another")
        #expect(try await fixture.hand(fixture.link(to: name), from: client) == "stored")
        #expect(try await fixture.pairs() == [name: "p1"])
        try await fixture.close()
    }

    @Test func recordNameAndTokenAreInNoOtherStore() async throws {
        let fixture = try await LinkFixture()
        let (client, other) = (try await fixture.member("p1"), try await fixture.member("p2"))
        let token = try await fixture.link(to: "planted-record-name")
        for sender in [client, other] { _ = try await fixture.hand(token, from: sender) }
        let signature = try #require(String(decoding: token, as: UTF8.self).split(separator: ".").last.map(String.init))
        for database in [fixture.consumer.database, fixture.consumer.queueStore] {
            let text = try await database.read { transaction in
                try transaction.tableNames().map { "\(try transaction.query("SELECT * FROM \($0)"))" }.joined()
            }
            #expect(text.contains("link-used") || text.contains("link_use") || !text.isEmpty)
            #expect(!text.contains("planted-record-name"))
            #expect(!text.contains(signature))
        }
        try await fixture.close()
    }

    @Test func aDeletedParticipantsLinksAreCountedWithoutTheRecordsNames() async throws {
        let fixture = try await LinkFixture()
        let client = try await fixture.member("p1")
        for record in ["one", "two"] { _ = try await fixture.hand(fixture.link(to: record), from: client) }
        _ = try await fixture.hand(fixture.link(to: "three"), from: try await fixture.member("p2"))
        let before = try fixture.links.digest(participant: "p1")
        #expect(before.count == 2)
        _ = try await fixture.links.database.write {
            try $0.execute("UPDATE link SET record = 'x' WHERE jti <> ?", [SQLValue("")])
        }
        #expect(try fixture.links.digest(participant: "p1") == before)
        try await fixture.links.delete(participant: "p1")
        #expect(try await fixture.links.participants() == ["p2"])
        try await fixture.close()
    }
}
