import Foundation
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// Of submissions that are written together, each is decided as if the earlier ones were already stored.
struct EnqueueDecisionTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    private func request(
        _ id: String, enrolmentID: String = "lane", digest: String = "d", bytes: Int = 10, quota: Int? = nil,
        at: Date? = nil,
        client: String = "client"
    ) -> EnqueueRequest {
        EnqueueRequest(
            submission: NewSubmission(
                clientID: client, enrolmentID: enrolmentID, submissionID: id, digest: digest, format: .jwe,
                body: Data(count: bytes), receivedAt: at ?? now),
            quota: quota)
    }

    @Test func aCopyInTheSameGroupIsADuplicateAndOtherBytesConflict() {
        var decision = EnqueueDecision(EnqueueStock())
        #expect(decision.decide(request("1")) == .accepted)
        #expect(decision.decide(request("1")) == .duplicate)
        #expect(decision.decide(request("1", digest: "e")) == .conflict)
        #expect(decision.decide(request("1", enrolmentID: "other", digest: "e")) == .accepted)
        #expect(decision.accepted.count == 2)
    }

    @Test func duplicatesRevokedClientsAndFullQueuesAreRefusedAndOthersAccepted() {
        var stock = EnqueueStock()
        stock.revoked = ["out"]
        stock.digests = [EnqueueStock.Identity(request("1").submission): "d"]
        stock.waiting = ["full": 95]
        var decision = EnqueueDecision(stock)
        #expect(decision.decide(request("1")) == .duplicate)
        #expect(decision.decide(request("2", client: "out")) == .clientRevoked)
        #expect(decision.decide(request("3", enrolmentID: "full", quota: 100)) == .overQuota)
        #expect(decision.decide(request("4", enrolmentID: "full", bytes: 5, quota: 100)) == .accepted)
        #expect(decision.decide(request("5")) == .accepted)
        #expect(decision.accepted.map(\.request.submission.submissionID) == ["4", "5"])
    }

    @Test func theTimeOfReceiptNeverRunsBackwards() {
        var stock = EnqueueStock()
        stock.newest = now
        var decision = EnqueueDecision(stock)
        for offset in [-60.0, 5, 2] { _ = decision.decide(request("\(offset)", at: now.addingTimeInterval(offset))) }
        #expect(decision.accepted.map { $0.receivedAt.timeIntervalSince(now) } == [0, 5, 5])
        stock.now = now.addingTimeInterval(7)
        decision = EnqueueDecision(stock)
        _ = decision.decide(request("a", at: now.addingTimeInterval(60)))
        #expect(decision.accepted.map { $0.receivedAt.timeIntervalSince(now) } == [7], "the database's time counts")
    }

    @Test func largeBodiesAreSentInParts() {
        var decision = EnqueueDecision(EnqueueStock())
        for (id, bytes) in [30, 30, 30, 200, 1, 1].enumerated() { _ = decision.decide(request("\(id)", bytes: bytes)) }
        #expect(decision.parts(ofBytes: 64).map(\.count) == [2, 1, 1, 2])
        #expect(EnqueueDecision(EnqueueStock()).parts().isEmpty)
    }
}
