import Dispatch
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

@testable import FHIRHTTP
@testable import FHIRServer
@testable import ServerHTTP

/// Callers take turns, and each has a limited share.
@Suite(.timeLimit(.minutes(10))) struct SearchScheduleTests {
    /// A clock that tests set.
    private final class Clock: Sendable {
        private let time = Mutex(Duration.zero)
        var now: Duration { time.withLock { $0 } }
        func advance(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
    }

    /// A database that counts its read transactions.
    private final class CountedDatabase: SQLDatabase {
        private let database: any SQLDatabase
        private let count = Mutex(0)
        var reads: Int { count.withLock { $0 } }

        init(_ database: any SQLDatabase) { self.database = database }

        func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
            count.withLock { $0 += 1 }
            return try await database.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
            try await database.write(body)
        }

        func close() async throws { try await database.close() }
    }

    /// Searches that block their connection until they are ended, in the order in which they began.
    private final class Searches: Sendable {
        private struct Search {
            let name: String
            let end = DispatchSemaphore(value: 0)
            var isEnded = false
        }

        private struct State {
            var begun: [Search] = []
            /// The searches that end as soon as they begin.
            var ends: [String] = []
        }

        private let state = Mutex(State())
        var names: [String] { state.withLock { $0.begun.map(\.name) } }

        func run(_ name: String) throws {
            let search: Search = state.withLock { state in
                var search = Search(name: name)
                if let index = state.ends.firstIndex(of: name) {
                    state.ends.remove(at: index)
                    search.isEnded = true
                    search.end.signal()
                }
                state.begun.append(search)
                return search
            }
            guard search.end.wait(timeout: .now() + Patience.seconds) == .success else { throw CancellationError() }
        }

        /// Ends the oldest running search of a name, or the next one.
        func end(_ name: String) {
            state.withLock { state in
                guard let index = state.begun.firstIndex(where: { $0.name == name && !$0.isEnded }) else {
                    return state.ends.append(name)
                }
                state.begun[index].isEnded = true
                state.begun[index].end.signal()
            }
        }
    }

    private struct Fixture: Sendable {
        let clock: Clock
        let searches = Searches()
        let database: CountedDatabase
        let schedule: SearchSchedule

        /// Runs a search that blocks its connection, and returns when the schedule has it.
        func ask(_ caller: String, _ name: String? = nil) async -> Task<Void, any Error> {
            let searches = searches
            return await ask(caller) { _ in try searches.run(name ?? caller) }
        }

        /// Runs a search, and returns when it runs or waits.
        func ask<T: Sendable>(
            _ caller: String, _ body: @escaping @Sendable (any SQLTransaction) throws -> T
        ) async -> Task<T, any Error> {
            let (before, schedule) = (schedule.count, schedule)
            let task = Task { try await schedule.running(for: caller, body) }
            await until { schedule.count != before }
            return task
        }

        func until(_ isDone: () -> Bool) async { while !isDone() { await Task.yield() } }

        /// Runs a search that takes a number of seconds on the fixture's clock.
        func search(_ caller: String, takes seconds: Int = 0) async throws {
            let clock = clock
            try await schedule.running(for: caller) { _ in clock.advance(seconds) }
        }
    }

    private static let schema = [
        Migration(number: 900, name: "thing") { _ in ["CREATE TABLE thing (id bigint NOT NULL PRIMARY KEY)"] }
    ]

    private func withSchedule(
        _ change: (inout SearchSchedule.Limits) -> Void = { _ in }, _ body: (Fixture) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(Self.schema) { database in
            var limits = SearchSchedule.Limits()
            limits.patience = .seconds(Patience.seconds)
            change(&limits)
            let counted = CountedDatabase(database)
            let clock = Clock()
            try await body(
                Fixture(
                    clock: clock, database: counted,
                    schedule: SearchSchedule(of: counted, limits: limits, now: { clock.now })))
        }
    }

    @Test func callersTakeTurns() async throws {
        try await withSchedule { fixture in
            let (schedule, searches) = (fixture.schedule, fixture.searches)
            var tasks: [Task<Void, any Error>] = []
            // One caller sends ten requests, and runs two at a time.
            for _ in 0..<10 { tasks.append(await fixture.ask("a")) }
            #expect(schedule.count == (2, 8))
            // Other callers begin immediately while slots are free.
            for caller in ["b", "c", "d", "e", "d"] { tasks.append(await fixture.ask(caller)) }
            await fixture.until { searches.names.count == 4 }
            #expect(searches.names.sorted() == ["a", "a", "b", "c"] && schedule.count == (4, 11))
            // Then each has its turn, and the caller with ten requests only one of them.
            var ended = searches.names
            for next in ["b", "a", "c", "a"] {
                searches.end(next)
                ended.append("")
                await fixture.until { searches.names.count == ended.count }
            }
            #expect(searches.names.dropFirst(4).sorted() == ["a", "d", "d", "e"])
            while schedule.count.running > 0 {
                for caller in ["a", "b", "c", "d", "e"] { searches.end(caller) }
                await Task.yield()
            }
            for task in tasks { try await task.value }
            #expect(schedule.count == (0, 0))
        }
    }

    @Test func waitingSearchesShareATransaction() async throws {
        try await withSchedule {
            $0.ofCaller = 1
        } _: { fixture in
            let first = await fixture.ask("a")
            var waiting: [Task<Int64?, any Error>] = []
            for id in 0..<40 {
                waiting.append(
                    await fixture.ask("a") { transaction in
                        try transaction.first("SELECT CAST(? AS bigint) AS id", [SQLValue(id)])?.integer("id")
                    })
            }
            fixture.searches.end("a")
            try await first.value
            for (id, task) in waiting.enumerated() { #expect(try await task.value == Int64(id)) }
            // The first search has its own transaction, and 40 waiting ones have three of 16 at most.
            #expect(fixture.database.reads == 4 && fixture.schedule.count == (0, 0))
        }
    }

    @Test func aLongTransactionBeginsNoOtherSearch() async throws {
        try await withSchedule {
            $0.ofCaller = 1
        } _: { fixture in
            let (clock, first) = (fixture.clock, await fixture.ask("a"))
            var waiting: [Task<Void, any Error>] = []
            for _ in 0..<5 { waiting.append(await fixture.ask("a") { _ in clock.advance(1) }) }
            fixture.searches.end("a")
            for task in [first] + waiting { try await task.value }
            #expect(fixture.database.reads == 6)
        }
    }

    @Test func aSlowSearchDelaysNoOtherSearch() async throws {
        try await withSchedule { fixture in
            let (schedule, searches) = (fixture.schedule, fixture.searches)
            var tasks = [await fixture.ask("a"), await fixture.ask("a")]
            for name in ["slow", "quick", "quick", "quick"] { tasks.append(await fixture.ask("a", name)) }
            // Another caller is served while the first one uses its share.
            for _ in 0..<20 { try await fixture.search("b") }
            #expect(schedule.count == (2, 4))
            // The slow search has a transaction with other waiting searches. They continue in the other slot.
            searches.end("a")
            await fixture.until { searches.names.contains("slow") }
            searches.end("a")
            for count in 1...3 {
                await fixture.until { searches.names.count { $0 == "quick" } == count }
                #expect(schedule.count == (2, 3 - count))
                for _ in 0..<20 { try await fixture.search("b") }
                searches.end("quick")
            }
            await fixture.until { schedule.count == (1, 0) }
            for _ in 0..<20 { try await fixture.search("b") }
            searches.end("slow")
            for task in tasks { try await task.value }
            #expect(schedule.count == (0, 0))
        }
    }

    @Test func aSearchSeesTheWritesBeforeItsRequest() async throws {
        try await withSchedule {
            $0.ofCaller = 1
        } _: { fixture in
            let searches = fixture.searches
            let first = await fixture.ask("a")
            let second = await fixture.ask("a") { transaction in
                let count = try Self.count(in: transaction)
                try searches.run("second")
                return count
            }
            let third = await fixture.ask("a") { try Self.count(in: $0) }
            searches.end("a")
            await fixture.until { searches.names.count == 2 }
            // The transaction of the second search has begun.
            _ = try await fixture.database.write { try $0.execute("INSERT INTO thing (id) VALUES (1)") }
            let later = await fixture.ask("a") { try Self.count(in: $0) }
            searches.end("second")
            try await first.value
            for (task, count) in [(second, 0), (third, 0), (later, 1)] { #expect(try await task.value == count) }
            #expect(fixture.database.reads == 3)
        }
    }

    private static func count(in transaction: any SQLTransaction) throws -> Int64 {
        try transaction.first("SELECT count(*) AS number FROM thing")?.integer("number") ?? -1
    }

    @Test func aFailedSearchDoesNotAffectOthersOfItsTransaction() async throws {
        try await withSchedule {
            $0.ofCaller = 1
        } _: { fixture in
            let first = await fixture.ask("a")
            var waiting: [Task<Int64, any Error>] = []
            for id in 0..<30 {
                waiting.append(
                    await fixture.ask("a") { transaction in
                        if id % 10 == 3 {
                            _ = try transaction.query("SELECT abs(CAST(? AS bigint))", [SQLValue(Int64.min)])
                        }
                        if id % 10 == 7 { throw RecordsFailure.notFound }
                        return try Self.count(in: transaction)
                    })
            }
            fixture.searches.end("a")
            try await first.value
            for (id, task) in waiting.enumerated() {
                switch id % 10 {
                case 3: await #expect(throws: StorageError.self) { try await task.value }
                case 7: await #expect(throws: RecordsFailure.self) { try await task.value }
                default: #expect(try await task.value == 0)
                }
            }
            #expect(fixture.schedule.count == (0, 0))
        }
    }

    @Test func aCancelledSearchEndsAloneInASharedTransaction() async throws {
        try await withSchedule {
            $0.ofCaller = 1
        } _: { fixture in
            let (searches, first) = (fixture.searches, await fixture.ask("a"))
            let before = await fixture.ask("a") { try Self.count(in: $0) }
            let endless = await fixture.ask("a") { transaction in
                try searches.run("endless")
                return try transaction.limited(until: Patience.deadline) {
                    try transaction.first(
                        """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
                        SELECT count(*) AS number FROM n
                        """)?.integer("number")
                }
            }
            let after = await fixture.ask("a") { try Self.count(in: $0) }
            searches.end("a")
            try await first.value
            #expect(try await before.value == 0)
            await fixture.until { searches.names.contains("endless") }
            searches.end("endless")
            try await Task.sleep(for: .milliseconds(20))
            endless.cancel()
            await #expect(throws: CancellationError.self) { try await endless.value }
            #expect(try await after.value == 0)
            #expect(fixture.schedule.count == (0, 0))
        }
    }

    @Test func secondsOfSearchAreLimited() async throws {
        try await withSchedule { fixture in
            let (clock, searches) = (fixture.clock, fixture.searches)
            for _ in 0..<3 { try await fixture.search("a", takes: 40) }
            // 60 at once and 1 a second: 120 seconds were used in 120 seconds.
            try await fixture.search("a", takes: 1)
            let tasks = [await fixture.ask("b"), await fixture.ask("b")]
            await fixture.until { searches.names.count == 2 }
            clock.advance(70)
            // Two at a time use two seconds per second.
            for _ in 0..<2 { searches.end("b") }
            for task in tasks { try await task.value }
            let refused = await #expect(throws: RecordsFailure.self) { try await fixture.search("b") }
            #expect(refused?.status.code == 429 && refused?.issue == .throttled)
            let seconds = try #require(refused?.headers[.retryAfter].flatMap { Int($0) })
            try await fixture.search("a")
            clock.advance(seconds)
            try await fixture.search("b")
        }
    }

    @Test func searchesOfOneTransactionUseItsSecondsOnce() async throws {
        try await withSchedule {
            $0.ofCaller = 1
            $0.transaction = .seconds(100)
        } _: { fixture in
            let (clock, first) = (fixture.clock, await fixture.ask("a"))
            var waiting: [Task<Void, any Error>] = []
            // 60 seconds are free at once, and 1 a second: 96 seconds in 96 seconds are permitted.
            for _ in 0..<6 { waiting.append(await fixture.ask("a") { _ in clock.advance(16) }) }
            fixture.searches.end("a")
            try await first.value
            for task in waiting { try await task.value }
            #expect(fixture.database.reads == 2)
            // The seconds of searches that wait may be used up meanwhile.
            let next = await fixture.ask("a")
            let refused = await fixture.ask("a") { _ in }
            await fixture.until { fixture.searches.names.count == 2 }
            clock.advance(200)
            fixture.searches.end("a")
            try await next.value
            await #expect(throws: RecordsFailure.self) { try await refused.value }
            #expect(fixture.schedule.count == (0, 0))
        }
    }

    @Test func waitsAreBoundedAndEnd() async throws {
        try await withSchedule {
            $0.ofCaller = 1
            $0.waitingOfCaller = 2
            $0.waiting = 3
        } _: { fixture in
            let first = await fixture.ask("a")
            let waiting = [await fixture.ask("a") { _ in }, await fixture.ask("a") { _ in }]
            let refused = await #expect(throws: RecordsFailure.self) { try await fixture.search("a") }
            #expect(refused?.status.code == 429)
            waiting[0].cancel()
            await #expect(throws: CancellationError.self) { try await waiting[0].value }
            // A task that is cancelled already does not wait.
            let schedule = fixture.schedule
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await schedule.running(for: "a") { _ in }
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            fixture.searches.end("a")
            try await first.value
            try await waiting[1].value
            #expect(fixture.schedule.count == (0, 0))
        }
    }

    @Test func aWaitWithoutATurnIsBusy() async throws {
        try await withSchedule {
            $0.atATime = 1
            $0.patience = .milliseconds(30)
        } _: { fixture in
            let first = await fixture.ask("a")
            for _ in 0..<2 {
                let waiting = ["b", "c"].map { caller in Task { try await fixture.search(caller) } }
                for task in waiting {
                    let busy = await #expect(throws: HTTPFailure.self) { try await task.value }
                    #expect(busy?.code == "server-busy" && busy?.headers[.retryAfter] != nil)
                }
                #expect(fixture.schedule.count == (1, 0))
            }
            fixture.searches.end("a")
            try await first.value
            try await fixture.search("b")
        }
    }
}
