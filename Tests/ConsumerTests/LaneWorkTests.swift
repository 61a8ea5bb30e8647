import Foundation
import Storage
import Testing

@testable import Consumer

@Suite struct LaneWorkTests {
    private func submission(_ number: Int64, _ lane: String) -> QueuedSubmission {
        QueuedSubmission(
            number: number, clientID: lane, lane: lane, submissionID: String(number), digest: "", format: .jwe,
            body: Data(), receivedAt: Date(timeIntervalSince1970: 0))
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
}
