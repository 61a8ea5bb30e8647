import Storage
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

    /// Searches that run until they are ended, in the order in which they began.
    private final class Searches: Sendable {
        private let begun = Mutex<[(name: String, wait: Wait)]>([])
        var names: [String] { begun.withLock { $0.map(\.name) } }

        func run(_ name: String) async throws {
            let wait = Wait()
            begun.withLock { $0.append((name, wait)) }
            if await wait.ending(within: .seconds(Patience.seconds)) != .granted { throw CancellationError() }
        }

        /// Ends the oldest running search of a name.
        func end(_ name: String) {
            begun.withLock { all in _ = all.contains { $0.name == name && $0.wait.end(.granted) } }
        }
    }

    private func schedule(_ clock: Clock, _ change: (inout SearchSchedule.Limits) -> Void = { _ in }) -> SearchSchedule
    {
        var limits = SearchSchedule.Limits()
        limits.patience = .seconds(Patience.seconds)
        change(&limits)
        return SearchSchedule(limits, now: { clock.now })
    }

    private func until(_ isDone: () -> Bool) async { while !isDone() { await Task.yield() } }

    @Test func callersTakeTurns() async throws {
        let (clock, searches) = (Clock(), Searches())
        let schedule = schedule(clock)
        var tasks: [Task<Void, any Error>] = []
        func ask(_ caller: String) async {
            let before = schedule.count
            tasks.append(Task { try await schedule.running(for: caller) { try await searches.run(caller) } })
            await until { schedule.count != before }
        }
        // One caller sends ten requests, and runs two at a time.
        for _ in 0..<10 { await ask("a") }
        #expect(schedule.count == (2, 8))
        // Other callers begin immediately while slots are free.
        for caller in ["b", "c", "d", "e", "d"] { await ask(caller) }
        await until { searches.names.count == 4 }
        #expect(searches.names.sorted() == ["a", "a", "b", "c"] && schedule.count == (4, 11))
        // Then each has its turn, and the caller with ten requests only one of them.
        var ended = searches.names
        for next in ["b", "a", "c", "a"] {
            searches.end(next)
            ended.append("")
            await until { searches.names.count == ended.count }
        }
        #expect(searches.names.dropFirst(4).sorted() == ["a", "d", "d", "e"])
        while schedule.count.running > 0 {
            for caller in ["a", "b", "c", "d", "e"] { searches.end(caller) }
            await Task.yield()
        }
        for task in tasks { try await task.value }
        #expect(schedule.count == (0, 0))
    }

    @Test func secondsOfSearchAreLimited() async throws {
        let clock = Clock()
        let schedule = schedule(clock)
        for _ in 0..<3 { try await schedule.running(for: "a") { clock.advance(40) } }
        // 60 at once and 1 a second: 120 seconds were used in 120 seconds.
        try await schedule.running(for: "a") { clock.advance(1) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let searches = Searches()
            for _ in 0..<2 { group.addTask { try await schedule.running(for: "b") { try await searches.run("b") } } }
            await until { searches.names.count == 2 }
            clock.advance(70)
            // Two at a time use two seconds per second.
            for _ in 0..<2 { searches.end("b") }
            try await group.waitForAll()
        }
        let refused = await #expect(throws: RecordsFailure.self) { try await schedule.running(for: "b") {} }
        #expect(refused?.status.code == 429 && refused?.issue == .throttled)
        let seconds = try #require(refused?.headers[.retryAfter].flatMap { Int($0) })
        try await schedule.running(for: "a") {}
        clock.advance(seconds)
        try await schedule.running(for: "b") {}
    }

    @Test func waitsAreBoundedAndEnd() async throws {
        let (clock, searches) = (Clock(), Searches())
        let schedule = schedule(clock) { limits in
            limits.ofCaller = 1
            limits.waitingOfCaller = 2
            limits.waiting = 3
        }
        let first = Task { try await schedule.running(for: "a") { try await searches.run("a") } }
        await until { searches.names == ["a"] }
        var waiting: [Task<Void, any Error>] = []
        for _ in 0..<2 {
            let count = schedule.count.waiting
            waiting.append(Task { try await schedule.running(for: "a") {} })
            await until { schedule.count.waiting > count }
        }
        let refused = await #expect(throws: RecordsFailure.self) { try await schedule.running(for: "a") {} }
        #expect(refused?.status.code == 429)
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        searches.end("a")
        try await first.value
        try await waiting[1].value
        #expect(schedule.count == (0, 0))
    }

    @Test func aWaitWithoutATurnIsBusy() async throws {
        let (clock, searches) = (Clock(), Searches())
        let schedule = schedule(clock) { limits in
            limits.atATime = 1
            limits.patience = .milliseconds(30)
        }
        let first = Task { try await schedule.running(for: "a") { try await searches.run("a") } }
        await until { searches.names == ["a"] }
        let busy = await #expect(throws: HTTPFailure.self) { try await schedule.running(for: "b") {} }
        #expect(busy?.code == "server-busy" && busy?.headers[.retryAfter] != nil)
        searches.end("a")
        try await first.value
        try await schedule.running(for: "b") {}
    }
}
