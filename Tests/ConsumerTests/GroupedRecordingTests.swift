import Foundation
import Storage
import Synchronization
import Testing

@testable import Consumer
@testable import Storage

/// What several devices sent is committed together.
@Suite(.timeLimit(.minutes(5))) struct GroupedRecordingTests {
    @Test func devicesThatAreHandledBesideEachOtherAreCommittedTogether() async throws {
        let fixture = try await ConsumerFixture()
        var clients: [String] = []
        for number in 0..<ConsumerService.lanesAtATime {
            clients.append(try await fixture.client())
            try await fixture.send(ConsumerFixture.contract("p\(number)"), from: clients[number])
            // The concepts are there, so that recording alone writes.
            try await fixture.send(ConsumerFixture.response("p\(number)"), from: clients[number])
        }
        var sent: [String] = []
        for number in clients.indices {
            sent.append(try await fixture.enqueue(ConsumerFixture.response("p\(number)"), from: clients[number]))
        }
        let waiting = Mutex<GroupedWriter?>(nil)
        let store = HoldingDatabase(database: fixture.database) {
            // The first transaction begins once the others wait for their turn.
            let group = waiting.withLock { $0 }
            while await group?.waitingCount ?? 0 < ConsumerService.lanesAtATime - 1 { await Task.yield() }
        }
        let former = fixture.processor
        let processor = SubmissionProcessor(
            database: store, access: former.access, records: former.records, loader: former.loader,
            openers: former.openers, study: former.study, clock: former.clock)
        waiting.withLock { $0 = processor.recording }
        let handled = try await fixture.service(processing: processor).drain()
        #expect(handled == sent.count)
        #expect(await store.writes.count == 2, "the first alone, the others together")
        for id in sent { #expect(try await fixture.queue.show(submissionID: id).first?.status == .stored) }
        try await fixture.close()
    }

    @Test func oneThatFailsDoesNotHarmTheOthers() async throws {
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

/// A database whose first transaction waits.
private struct HoldingDatabase: SQLDatabase {
    let database: any SQLDatabase
    let hold: @Sendable () async -> Void
    let writes = Writes()

    actor Writes {
        private(set) var count = 0

        /// Whether it is the first one.
        func note() -> Bool {
            count += 1
            return count == 1
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        if await writes.note() { await hold() }
        return try await database.write(body)
    }

    func close() async throws { try await database.close() }
}
