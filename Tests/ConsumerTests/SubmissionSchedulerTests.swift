import Foundation
import Storage
import Submissions
import Testing

@testable import Consumer

@Suite struct SubmissionSchedulerTests {
    private func submission(_ number: Int64, _ enrolmentID: String, bytes: Int = 0) -> QueuedSubmission {
        QueuedSubmission(
            number: number, clientID: enrolmentID, enrolmentID: enrolmentID, submissionID: String(number), digest: "",
            format: .jwe,
            body: Data(count: bytes), receivedAt: Date(timeIntervalSince1970: 0))
    }

    @Test func submissionsOfADeviceAreSequentialAndDevicesConcurrent() {
        var work = SubmissionScheduler(maximumConcurrent: 2)
        #expect(work.isIdle && work.wantsMore)
        work.add([submission(1, "a"), submission(2, "b"), submission(3, "a"), submission(4, "c")])
        #expect(work.isIdle && work.hasWaiting && !work.wantsMore)
        #expect(work.start()?.map(\.number) == [1, 3])
        #expect(work.start()?.map(\.number) == [2])
        #expect(work.start() == nil, "both places are taken")
        work.ended("b", handled: 1)
        #expect(!work.wantsMore && work.hasWaiting, "a lane waits")
        #expect(work.start()?.map(\.number) == [4])
        work.ended("c", handled: 1)
        #expect(work.wantsMore && !work.isIdle)
        work.ended("a", handled: 2)
        #expect(work.isIdle && work.handled == 4)
    }

    @Test func smallSubmissionsPassLargeOnesALimitedNumberOfTimes() {
        var work = SubmissionScheduler(maximumConcurrent: 1)
        work.add([submission(1, "large", bytes: 9000), submission(2, "b", bytes: 10), submission(3, "c", bytes: 20)])
        var order: [String] = []
        for number in 4..<12 {
            let enrolmentID = work.start()?.first?.enrolmentID
            order += enrolmentID.map { [$0] } ?? []
            work.ended(enrolmentID ?? "", handled: 1)
            work.add([submission(Int64(number), "d\(number)", bytes: 1)])
        }
        #expect(order.prefix(2) == ["b", "d4"])
        #expect(order.firstIndex(of: "large") == SubmissionScheduler.maximumPassed)
    }

    @Test func deviceRestsAfterItsTurnUntilTheNextRound() {
        var work = SubmissionScheduler(maximumConcurrent: 2)
        work.add([submission(1, "a"), submission(2, "b")])
        _ = work.start()
        #expect(work.rested == ["a"])
        _ = work.start()
        #expect(work.rested == ["a", "b"])
        work.ended("a", handled: 1)
        work.beginRound()
        #expect(work.rested == ["b"], "it has its turn now")
        #expect(!work.mayBeginRound)
        work.ended("b", handled: 1)
        #expect(work.mayBeginRound)
        work.beginRound()
        #expect(work.rested.isEmpty)
    }

    /// For any number of turns: the devices that rest are the last ones and those being handled.
    @Test func deviceBeingHandledRestsAfterAnyNumberOfTurns() {
        var work = SubmissionScheduler(maximumConcurrent: 2)
        work.add([submission(0, "long")])
        _ = work.start()
        for number in 1...100 {
            work.add([submission(Int64(number), "lane \(number)")])
            _ = work.start()
            work.ended("lane \(number)", handled: 1)
        }
        #expect(work.rested.contains("long") && work.rested.count == SQLSubmissionQueue.maximumPassedOver)
    }
}
