import Foundation
import Storage
import Testing

@testable import Consumer

@Suite struct LaneWorkTests {
    private func submission(_ number: Int64, _ lane: String, bytes: Int = 0) -> QueuedSubmission {
        QueuedSubmission(
            number: number, clientID: lane, lane: lane, submissionID: String(number), digest: "", format: .jwe,
            body: Data(count: bytes), receivedAt: Date(timeIntervalSince1970: 0))
    }

    @Test func theSubmissionsOfALaneAreOneAfterTheOtherAndLanesBesideEachOther() {
        var work = LaneWork(places: 2)
        #expect(work.isIdle && work.wantsMore)
        work.add([submission(1, "a"), submission(2, "b"), submission(3, "a"), submission(4, "c")])
        #expect(work.isIdle && work.hasWaiting && !work.wantsMore)
        #expect(work.start()?.map(\.number) == [1, 3])
        #expect(work.start()?.map(\.number) == [2])
        #expect(work.start() == nil, "both places are taken")
        work.ended(handled: 1)
        #expect(!work.wantsMore && work.hasWaiting, "a lane waits")
        #expect(work.start()?.map(\.number) == [4])
        work.ended(handled: 1)
        #expect(work.wantsMore && !work.isIdle)
        work.ended(handled: 2)
        #expect(work.isIdle && work.handled == 4)
    }

    @Test func smallOnesOfOtherDevicesGoFirstButNotForEver() {
        var work = LaneWork(places: 1)
        work.add([submission(1, "large", bytes: 9000), submission(2, "b", bytes: 10), submission(3, "c", bytes: 20)])
        var order: [String] = []
        for number in 4..<12 {
            order += work.start()?.first.map { [$0.lane] } ?? []
            work.ended(handled: 1)
            work.add([submission(Int64(number), "d\(number)", bytes: 1)])
        }
        #expect(order.prefix(2) == ["b", "d4"])
        #expect(order.firstIndex(of: "large") == LaneWork.mostPassed)
    }

    @Test func aLaneThatHadItsTurnRestsUntilAnotherRoundBegins() {
        var work = LaneWork(places: 2)
        work.add([submission(1, "a"), submission(2, "b")])
        _ = work.start()
        #expect(work.rested == ["a"])
        _ = work.start()
        #expect(work.rested == ["a", "b"])
        work.beginRound()
        #expect(work.rested.isEmpty)
    }
}
