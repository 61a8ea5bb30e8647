import Foundation
import Storage
import Synchronization
import Testing

@testable import Admission
@testable import Consumer
@testable import Storage
@testable import Submissions

/// Submissions of several devices, and small submissions of one device, are committed together.
@Suite(.timeLimit(.minutes(5))) struct GroupedRecordingTests {
    @Test func concurrentlyHandledDevicesAreCommittedTogether() async throws {
        let fixture = try await ConsumerFixture()
        var clients: [String] = []
        for number in 0..<ConsumerService.maximumDeviceQueues {
            clients.append(try await fixture.client())
            try await fixture.send(ConsumerFixture.contract("p\(number)"), from: clients[number])
            // The concepts exist already, so that only recording writes.
            try await fixture.send(ConsumerFixture.response("p\(number)"), from: clients[number])
        }
        var sent: [String] = []
        for number in clients.indices {
            sent.append(try await fixture.enqueue(ConsumerFixture.response("p\(number)"), from: clients[number]))
        }
        let waiting = Mutex<GroupedWriter?>(nil)
        let store = HoldingDatabase(database: fixture.database) {
            // The first transaction begins once the others are waiting.
            let group = waiting.withLock { $0 }
            while await group?.waitingCount ?? 0 < ConsumerService.maximumDeviceQueues - 1 { await Task.yield() }
        }
        let processor = fixture.processor(over: store)
        waiting.withLock { $0 = processor.recording }
        let handled = try await fixture.service(processing: processor).drain()
        #expect(handled == sent.count)
        #expect(await store.writes.count == 2, "the first alone, the others together")
        for id in sent { #expect(try await fixture.queue.show(submissionID: id).first?.status == .stored) }
        try await fixture.close()
    }

    @Test func failedWriteDoesNotAffectOtherWritesOfTheGroup() async throws {
        let fixture = try await ConsumerFixture()
        let group = fixture.processor.recording
        let (first, second) = (
            Task { try await group.write { try $0.execute("UPDATE record SET version = version WHERE 1 = 0") } },
            Task { try await group.write { _ -> Int in throw SubmissionProblem("planted", "Planted.") } }
        )
        #expect(try await first.value == 0)
        await #expect(throws: SubmissionProblem.self) { try await second.value }
        try await fixture.close()
    }
}

extension GroupedRecordingTests {
    @Test func smallSubmissionsOfOneDeviceShareATransaction() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        try await fixture.send(ConsumerFixture.response("p1"), from: client)
        var sent: [String] = []
        for answer in 1...12 {
            sent.append(try await fixture.enqueue(ConsumerFixture.response("p1", answer: answer), from: client))
        }
        let store = HoldingDatabase(database: fixture.database) {}
        #expect(try await fixture.service(processing: fixture.processor(over: store)).drain() == sent.count)
        #expect(await store.writes.count == 1)
        for id in sent { #expect(try await fixture.queue.show(submissionID: id).first?.status == .stored) }
        let order = try await fixture.database.read {
            try $0.query("SELECT submission_id FROM record_source ORDER BY number").map { try $0.text("submission_id") }
        }
        #expect(order.suffix(sent.count) == sent)
        try await fixture.close()
    }

    /// Submissions before the failing one are stored; those after it wait.
    @Test func submissionsOfAFailedRunAreRetriedSeparately() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        var sent: [String] = []
        for answer in 1...5 {
            sent.append(try await fixture.enqueue(ConsumerFixture.response("p1", answer: answer), from: client))
        }
        let failing = sent[2]
        try await fixture.database.write { transaction in
            let plant =
                switch transaction.dialect {
                case .sqlite:
                    """
                    CREATE TRIGGER planted BEFORE INSERT ON settlement WHEN NEW.submission_id = '\(failing)'
                    BEGIN SELECT RAISE(ABORT, 'planted'); END
                    """
                case .postgresql:
                    "ALTER TABLE settlement ADD CONSTRAINT planted CHECK (submission_id <> '\(failing)')"
                }
            _ = try transaction.execute(plant)
        }
        let queue = SlowQueue(queue: fixture.queue, slow: "", after: [])
        await #expect(throws: StorageError.self) { try await fixture.service(over: queue).drain() }
        func statuses() async throws -> [String] {
            try await fixture.queueStore.read { transaction in
                try transaction.query("SELECT status, attempts FROM submission ORDER BY number").dropFirst().map {
                    "\(try $0.text("status")) \(try $0.integer("attempts"))"
                }
            }
        }
        let failed = try await statuses()
        #expect(failed == ["stored 0", "stored 0", "received 1", "received 0", "received 0"])
        try await fixture.database.write { transaction in
            let remove =
                switch transaction.dialect {
                case .sqlite: "DROP TRIGGER planted"
                case .postgresql: "ALTER TABLE settlement DROP CONSTRAINT planted"
                }
            _ = try transaction.execute(remove)
        }
        #expect(try await fixture.service().drain() == 3)
        let ended = try await statuses()
        #expect(ended == ["stored 0", "stored 0", "stored 1", "stored 0", "stored 0"])
        try await fixture.close()
    }

    /// A contract in the middle takes effect before the submissions after it, which were prepared without it.
    @Test func aRunEndsWhereTheConsentChanges() async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        let early = try await fixture.enqueue(ConsumerFixture.response("p1", answer: 1), from: client)
        let contract = try await fixture.enqueue(ConsumerFixture.contract("p1", id: "c1"), from: client)
        let data = try await fixture.enqueue(ConsumerFixture.response("p1", answer: 2), from: client)
        let withdrawal = try await fixture.enqueue(
            ConsumerFixture.withdrawal("p1", contract: "c1"), from: client)
        let late = try await fixture.enqueue(ConsumerFixture.response("p1", answer: 3), from: client)
        _ = try await fixture.service().drain()
        var statuses: [SubmissionStatus?] = []
        for id in [early, contract, data, withdrawal, late] {
            statuses.append(try await fixture.queue.show(submissionID: id).first?.status)
        }
        // The submission held until the contract is leased again after the withdrawal.
        #expect(statuses == [.refused, .stored, .stored, .stored, .refused])
        try await fixture.close()
    }

    @Test func runsAreSplitByTheirBytes() {
        #expect(RecordingBatches.split([]) == [])
        #expect(RecordingBatches.split([5]) == [0..<1])
        #expect(RecordingBatches.split([RecordingBatches.maximumBytes * 4]) == [0..<1])
        #expect(
            RecordingBatches.split(Array(repeating: RecordingBatches.maximumBytes / 2, count: 5)) == [
                0..<2, 2..<4, 4..<5,
            ])
        #expect(RecordingBatches.split([1, RecordingBatches.maximumBytes, 1, 1]) == [0..<1, 1..<2, 2..<4])
    }
}

extension ConsumerFixture {
    /// Returns the processor with another database for its records.
    fileprivate func processor(over store: any SQLDatabase) -> SubmissionProcessor {
        SubmissionProcessor(
            database: store, access: processor.access, records: processor.records, loader: processor.loader,
            openers: processor.openers, admission: processor.admission, signatures: processor.signatures,
            links: processor.links, clock: processor.clock)
    }
}

/// A database whose first transaction waits.
private struct HoldingDatabase: SQLDatabase {
    let database: any SQLDatabase
    let hold: @Sendable () async -> Void
    let writes = Writes()

    actor Writes {
        private(set) var count = 0

        /// Returns whether this is the first write.
        func record() -> Bool {
            count += 1
            return count == 1
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        if await writes.record() { await hold() }
        return try await database.write(body)
    }

    func close() async throws { try await database.close() }
}
