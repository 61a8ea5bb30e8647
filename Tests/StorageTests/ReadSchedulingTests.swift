import Dispatch
import SubmissionsTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Scheduling of readers: long reads never delay lookups, and every wait has a limit.
@Suite(.timeLimit(.minutes(10))) struct ReadSchedulingTests {
    /// Counts to a number in SQL, for long queries.
    private static let counting = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT max(i) AS last FROM n
        """

    /// Numbers that tasks record, in their order.
    private final class NumberLog: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test(arguments: Engine.allCases)
    func aLookupNeedsNoConnectionOfLongReads(engine: Engine) async throws {
        try await engine.withDatabase(DatabaseContractTests.schema) { database async throws in
            let gate = DispatchSemaphore(value: 0)
            let begun = NumberLog()
            let count = 12
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        try await database.read { _ in
                            begun.add(0)
                            gate.wait()
                        }
                    }
                }
                // All connections of readers are in use, and others wait for them.
                while begun.all.count < 5 { await Task.yield() }
                let found = try await database.lookUp { try $0.first("SELECT 1 AS one")?.integer("one") }
                #expect(found == 1 && begun.all.count < count)
                for _ in 0..<count { gate.signal() }
                try await group.waitForAll()
            }
        }
    }

    @Test func aWaitForAConnectionEnds() async throws {
        try await withTemporaryFolder { folder in
            let database = try await SQLiteDatabase.open(
                path: "\(folder)/test.db", migrations: DatabaseContractTests.schema, patience: .milliseconds(50))
            let gate = DispatchSemaphore(value: 0)
            let begun = NumberLog()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        try await database.read { _ in
                            begun.add(0)
                            gate.wait()
                        }
                    }
                }
                while begun.all.count < 5 { await Task.yield() }
                let busy = await #expect(throws: StorageError.self) { try await database.read { _ in } }
                #expect(busy?.code == "storage-busy")
                for _ in 0..<5 { gate.signal() }
                try await group.waitForAll()
            }
            try await database.read { _ in }
            try await database.close()
        }
    }

    @Test func waitersAreServedInOrderAndCancelledOnesAreSkipped() async throws {
        let semaphore = FairSemaphore(1, patience: .seconds(Patience.seconds))
        let order = NumberLog()
        let (begun, gate) = (Wait(), Wait())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await semaphore.using {
                    begun.end(.granted)
                    let ending = await gate.ending(within: .seconds(Patience.seconds))
                    if ending != .granted { throw CancellationError() }
                }
            }
            #expect(await begun.ending(within: .seconds(Patience.seconds)) == .granted)
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<4 {
                let waiting = semaphore.waiting
                tasks.append(Task { try await semaphore.using { order.add(number) } })
                while semaphore.waiting == waiting { await Task.yield() }
            }
            tasks[1].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[1].value }
            gate.end(.granted)
            for number in [0, 2, 3] { try await tasks[number].value }
            try await group.waitForAll()
        }
        #expect(order.all == [0, 2, 3])
        #expect(semaphore.waiting == 0)
    }

    @Test(arguments: Engine.allCases)
    func aLimitedReadEndsWithItsTask(engine: Engine) async throws {
        try await engine.withDatabase(DatabaseContractTests.schema) { database async throws in
            let begun = Wait()
            let task = Task {
                try await database.read { transaction in
                    begun.end(.granted)
                    return try transaction.limited(until: .now + .seconds(Patience.seconds)) {
                        try transaction.query(Self.counting, [SQLValue(Int64(2_000_000_000))]).count
                    }
                }
            }
            #expect(await begun.ending(within: .seconds(Patience.seconds)) == .granted)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The connection is still usable.
            #expect(try await database.read { try $0.first("SELECT 1 AS one")?.integer("one") } == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func rowsAreReadUntilTheCallerStops(engine: Engine) async throws {
        try await engine.withDatabase(DatabaseContractTests.schema) { database async throws in
            try await database.write { transaction in
                for id in 0..<600 { try transaction.execute("INSERT INTO thing (id) VALUES (?)", [SQLValue(id)]) }
            }
            let (ids, seen, all) = try await database.read { transaction in
                var seen = 0
                let sql = "SELECT id FROM thing WHERE id >= ? ORDER BY id"
                let rows = try transaction.query(sql, [SQLValue(10)]) { row in
                    seen += 1
                    return try row.integer("id") < 15
                }
                // The statement can be run again immediately, and others after it.
                let all = try transaction.query(sql, [SQLValue(10)]) { _ in true }
                return (try rows.map { try $0.integer("id") }, seen, all.count)
            }
            #expect(ids == [10, 11, 12, 13, 14] && seen == 6 && all == 590)
            await #expect(throws: StorageError.self) {
                try await database.read { try $0.query("SELECT nothing FROM thing", []) { _ in true } }
            }
        }
    }
}
