import FHIR
import Foundation
import RecordStorage
import Storage
import Testing

@testable import Consumer

/// Data that a phone deletes is removed from the records and the warehouse.
@Suite struct DeletionTests {
    private static func observation(_ subject: String, id: String, value: Int = 60) -> String {
        """
        {"resourceType":"Observation","id":"\(id)","status":"final","code":{"coding":[{"system":"http://loinc.org",\
        "code":"8867-4"}]},"subject":{"reference":"Patient/\(subject)"},"effectiveDateTime":"2026-03-01T08:00:00+01:00",\
        "valueQuantity":{"value":\(value),"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"}}
        """
    }

    private static func deletion(_ ids: String...) -> String {
        let entries = ids.map { #"{"request":{"method":"DELETE","url":"Observation/\#($0)"}}"# }
        return #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
    }

    private static func consented(_ fixture: ConsumerFixture, _ subject: String) async throws -> String {
        let client = try await fixture.client()
        let outcome = try await fixture.send(ConsumerFixture.contract(subject, id: "c-\(subject)"), from: client)
        try #require(outcome?.status == .stored)
        return client
    }

    private static func isDeleted(_ id: String, _ fixture: ConsumerFixture) async throws -> Bool? {
        try await fixture.database.read { try RecordStore().read(type: "Observation", id: id, in: $0)?.isDeleted }
    }

    @Test func aDeletionTakesTheResourceWithItsFactsItsVisitAndItsNumberInTheUpload() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        let (facts, visits) = (
            try await fixture.facts, try await fixture.count("SELECT count(*) AS number FROM visit_dimension")
        )
        try await fixture.send(Self.observation("p", id: "o1"), Self.observation("p", id: "o2"), from: client)
        #expect(try await fixture.facts > facts)
        #expect(try await fixture.send(Self.deletion("o1", "o2"), from: client)?.status == .stored)
        #expect(try await Self.isDeleted("o1", fixture) == true)
        #expect(try await Self.isDeleted("o2", fixture) == true)
        #expect(try await fixture.facts == facts)
        #expect(try await fixture.count("SELECT count(*) AS number FROM visit_dimension") == visits)
        #expect(try await fixture.count("SELECT coalesce(sum(loaded_record), 0) AS number FROM upload_status") == facts)
        try await fixture.close()
    }

    @Test func deletedResourceSentAgainIsRestored() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        try await fixture.send(Self.observation("p", id: "o"), from: client)
        let facts = try await fixture.facts
        try await fixture.send(Self.deletion("o"), from: client)
        try await fixture.send(Self.deletion("o"), from: client)
        #expect(try await fixture.send(Self.observation("p", id: "o"), from: client)?.status == .stored)
        #expect(try await Self.isDeleted("o", fixture) == false)
        #expect(try await fixture.facts == facts)
        try await fixture.close()
    }

    @Test func deletionIsAcceptedAfterAWithdrawalAndDuringASuspension() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        try await fixture.send(Self.observation("p", id: "o1"), from: client)
        try await fixture.send(Self.observation("p", id: "o2"), from: client)
        let unclear = #"{"resourceType":"Consent","status":"inactive","patient":{"reference":"Patient/p"}}"#
        #expect(try await fixture.send(unclear, from: client)?.status == .quarantined)
        #expect(try await fixture.send(Self.observation("p", id: "o3"), from: client)?.status == .held)
        #expect(try await fixture.send(Self.deletion("o1"), from: client)?.status == .stored)
        #expect(
            try await fixture.send(ConsumerFixture.withdrawal("p", contract: "c-p"), from: client)?.status == .stored)
        #expect(try await fixture.send(Self.observation("p", id: "o4"), from: client)?.status == .refused)
        #expect(try await fixture.send(Self.deletion("o2"), from: client)?.status == .stored)
        #expect(try await Self.isDeleted("o1", fixture) == true)
        #expect(try await Self.isDeleted("o2", fixture) == true)
        try await fixture.close()
    }

    @Test func deletionWaitsForTheContract() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        let early = try await fixture.send(Self.deletion("o"), from: client)
        #expect(early?.status == .held && early?.reasonCode == "consent-required")
        try await fixture.send(ConsumerFixture.contract("p"), from: client)
        #expect(try await fixture.queue.status(now: Date()).held == 0)
        try await fixture.close()
    }

    @Test func participantDeletesNeitherAnothersNorSharedResources() async throws {
        let fixture = try await ConsumerFixture()
        let (mine, theirs) = (try await Self.consented(fixture, "a"), try await Self.consented(fixture, "b"))
        try await fixture.send(Self.observation("a", id: "o"), from: mine)
        let shared = Self.observation("a", id: "s").replacing(#""subject":{"reference":"Patient/a"},"#, with: "")
        try await fixture.database.write { transaction in
            _ = try RecordStore().put(
                Resource(Data(shared.utf8)), content: Data(shared.utf8), original: nil, id: "s",
                provenance: RecordProvenance(submissionID: "x", clientID: "x", keyID: nil, receivedAt: Date()),
                at: Date(), in: transaction)
        }
        let facts = try await fixture.facts
        for (bundle, client) in [(Self.deletion("o"), theirs), (Self.deletion("s"), mine)] {
            let outcome = try await fixture.send(bundle, from: client)
            #expect(outcome?.status == .quarantined && outcome?.reasonCode == "subject-not-permitted")
        }
        #expect(try await Self.isDeleted("o", fixture) == false)
        #expect(try await Self.isDeleted("s", fixture) == false)
        #expect(try await fixture.facts == facts)
        // It cannot be overwritten either.
        let over = try await fixture.send(Self.observation("a", id: "s"), from: mine)
        #expect(over?.reasonCode == "subject-not-permitted")
        try await fixture.close()
    }

    /// A quarantined submission is retried after its deletion was handled.
    @Test(arguments: [true, false])
    func laterSubmissionCountsInAnyOrderOfHandling(isDeletionLater: Bool) async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        let facts = try await fixture.facts
        let payloads = [Self.observation("p", id: "o"), Self.deletion("o")]
        for payload in isDeletionLater ? payloads : payloads.reversed() {
            _ = try await fixture.enqueue(payload, from: client)
        }
        let leased = try await fixture.queue.lease(
            owner: "test", limit: 10, duration: 3_600, now: Date(), isIdle: true)
        let all =
            leased.count == 2
            ? leased
            : leased
                + (try await fixture.queue.lease(
                    owner: "test", limit: 10, duration: 3_600, now: Date(), isIdle: true))
        try #require(all.count == 2)
        for submission in all.reversed() {
            #expect(try await fixture.processor.process(submission).status == .stored)
        }
        #expect(try await Self.isDeleted("o", fixture) == isDeletionLater)
        #expect(try await fixture.facts == (isDeletionLater ? facts : facts + 1))
        try await fixture.close()
    }

    @Test(arguments: [
        #"{"resourceType":"Bundle","type":"transaction"}"#,
        #"{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"DELETE","url":"Observation/o"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Patient/p"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"PUT","url":"Observation/o"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Observation/"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Observation?code=x"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Observation/o/_history/1"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE"}}]}"#,
        #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"DELETE","url":"Observation/o"},"resource":{"resourceType":"Observation"}}]}"#,
    ])
    func anyOtherBundleIsQuarantined(bundle: String) async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        try await fixture.send(Self.observation("p", id: "o"), from: client)
        let outcome = try await fixture.send(bundle, from: client)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "bundle-not-taken")
        #expect(try await Self.isDeleted("o", fixture) == false)
        try await fixture.close()
    }

    @Test func deletionsMixedWithResourcesAreQuarantined() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        try await fixture.send(Self.observation("p", id: "o"), from: client)
        let outcome = try await fixture.send(Self.deletion("o"), Self.observation("p", id: "n"), from: client)
        #expect(outcome?.status == .quarantined && outcome?.reasonCode == "deletions-mixed")
        #expect(try await Self.isDeleted("o", fixture) == false)
        #expect(try await Self.isDeleted("n", fixture) == nil)
        try await fixture.close()
    }

    @Test func oversizedSubmissionIsQuarantined() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await Self.consented(fixture, "p")
        let entry = #"{"request":{"method":"DELETE","url":"Observation/o"}}"#
        let bundle =
            #"{"resourceType":"Bundle","type":"transaction","entry":["#
            + repeatElement(entry, count: 101).joined(separator: ",") + "]}"
        #expect(try await fixture.send(bundle, from: client)?.reasonCode == "batch-too-large")
        try await fixture.close()
    }
}
