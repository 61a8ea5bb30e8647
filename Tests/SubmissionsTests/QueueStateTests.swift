import Foundation
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

@Suite(.timeLimit(.minutes(10)))
struct QueueStateTests {
    @Test(arguments: Engine.allCases)
    func newStoreGetsOneIDAndBelongsToItsStudy(engine: Engine) async throws {
        try await engine.withDatabase { database async throws in
            let new = try await database.read { try QueueState.read(in: $0) }
            #expect(new.studyID == nil && new.queueID.isEmpty && new.epoch == 1)
            let claimed = try await database.write {
                try QueueState.claim(studyID: "study-1", newQueueID: "q-1", in: $0)
            }
            #expect(claimed == QueueState(queueID: "q-1", studyID: "study-1", epoch: 1))
            let again = try await database.write {
                try QueueState.claim(studyID: "study-1", newQueueID: "q-2", in: $0)
            }
            #expect(again == claimed)
            #expect(try await database.read { try QueueState.read(in: $0) } == claimed)
        }
    }

    @Test(arguments: Engine.allCases)
    func aQueueOfAnotherStudyIsRefused(engine: Engine) async throws {
        try await engine.withDatabase { database async throws in
            let claimed = try await database.write {
                try QueueState.claim(studyID: "study-1", newQueueID: "q-1", in: $0)
            }
            let error = await #expect(throws: StorageError.self) {
                try await database.write { _ = try QueueState.claim(studyID: "study-2", newQueueID: "q-2", in: $0) }
            }
            #expect(error?.code == "queue-of-another-study")
            #expect(error?.message.contains("study-1") == false)
            #expect(try await database.read { try QueueState.read(in: $0) } == claimed)
        }
    }

    @Test(arguments: Engine.allCases)
    func epochOnlyGrowsForAnyClock(engine: Engine) async throws {
        try await engine.withDatabase { database async throws in
            let dates = [
                time(), time(), time(-100_000), Date(timeIntervalSince1970: -5), .distantPast,
                Date(timeIntervalSince1970: .infinity), .distantFuture, time(),
            ]
            var epochs: [Int64] = [1]
            for date in dates {
                epochs.append(try await database.write { try QueueState.beginEpoch(at: date, in: $0) })
                #expect(try await database.read { try QueueState.read(in: $0).epoch } == epochs.last)
            }
            #expect(zip(epochs, epochs.dropFirst()).allSatisfy { $0 < $1 }, "\(epochs)")
            #expect(epochs[1] == 1_767_225_600_000_000 && epochs[2] == 1_767_225_600_000_001)
        }
    }

    /// Two restores of one backup must not have the same epoch, even within a second: otherwise a phone would not read
    /// its deliveries again after the second restore.
    @Test func twoRestoresOfOneBackupHaveDifferentEpochs() async throws {
        var epochs: [Int64] = []
        for second in [0.0, 0.25, 10] {
            try await Engine.sqlite.withDatabase { database async throws in
                epochs.append(try await database.write { try QueueState.beginEpoch(at: time(second), in: $0) })
            }
        }
        #expect(Set(epochs).count == 3, "\(epochs)")
    }

    @Test(arguments: Engine.allCases)
    func aStoreWithoutItsStateIsDamaged(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            try await database.write { _ = try $0.execute("DELETE FROM queue_state") }
            let state = await #expect(throws: StorageError.self) {
                _ = try await database.read { try QueueState.read(in: $0) }
            }
            let enqueue = await #expect(throws: StorageError.self) { _ = try await queue.enqueue(submission("1")) }
            #expect(state?.code == "storage-corrupt" && enqueue?.code == "storage-corrupt")
        }
    }
}
