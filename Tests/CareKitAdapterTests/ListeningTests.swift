import CareKitStore
import CarePlans
import CareStores
import Foundation
import Synchronization
import Testing

@testable import CareKitAdapter

@Suite("News of the server") struct ListeningTests {
    /// A clock whose sleeps end at once; it counts them, and stops after a number of them.
    private final class CountingClock: Clock {
        typealias Instant = ContinuousClock.Instant
        private let start = ContinuousClock().now
        private let state = Mutex((slept: [Duration](), limit: Int.max))
        let limitReached: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init(limit: Int = .max) {
            (limitReached, continuation) = AsyncStream.makeStream()
            state.withLock { $0.limit = limit }
        }

        var slept: [Duration] { state.withLock { $0.slept } }
        var now: Instant { start.advanced(by: slept.reduce(.zero, +)) }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            let duration = now.duration(to: deadline)
            let isLast = state.withLock { state in
                state.slept.append(duration)
                return state.slept.count >= state.limit
            }
            guard isLast else { return }
            continuation.yield()
            // Until the test cancels.
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            throw CancellationError()
        }
    }

    private let other = UUID()

    private func remote(_ server: ScriptedServer, delegate: WatchingDelegate, clock: CountingClock)
        -> (CareKitSynchronizer, OCKStore)
    {
        let remote = CareKitSynchronizer(
            server: server, options: CareKitSyncOptions(automaticallySynchronizes: false, clock: clock))
        remote.delegate = delegate
        let store = OCKStore(name: UUID().uuidString, type: .inMemory, remote: remote)
        remote.connect(to: store)
        return (remote, store)
    }

    private func news(_ clock: Int) throws -> CareAnswer {
        CareAnswer(
            revisions: [try Make.revision([.task(Make.task("t\(clock)"))], KnowledgeVector([other: clock]))],
            knowledgeVector: KnowledgeVector([other: clock]), next: nil)
    }

    @Test("a sync is requested for each news, and the next request names what was announced")
    func requests() async throws {
        let (server, delegate, clock) = (ScriptedServer(), WatchingDelegate(), CountingClock())
        let (remote, store) = remote(server, delegate: delegate, clock: clock)
        try await store.synchronize()
        remote.startListening()
        remote.startListening()
        for number in 1...3 {
            server.announce(try news(number))
            await delegate.request()
        }
        remote.stopListening()
        server.announce(try news(4))
        let waits = server.pulls.filter { $0.wait > 0 }
        #expect(waits.allSatisfy { $0.wait == 30 && $0.page == nil })
        #expect(waits.prefix(3).map { $0.since[other] } == [0, 1, 2])
        #expect(delegate.state.withLock { $0.requests } == 3)
    }

    @Test("a server that answers at once without news is asked ever more rarely")
    func answersAtOnce() async throws {
        let (server, delegate, clock) = (ScriptedServer(), WatchingDelegate(), CountingClock(limit: 12))
        let (remote, store) = remote(server, delegate: delegate, clock: clock)
        try await store.synchronize()
        for _ in 0..<12 {
            server.announce(CareAnswer(revisions: [], knowledgeVector: KnowledgeVector(), next: nil))
        }
        remote.startListening()
        for await _ in clock.limitReached { break }
        #expect(clock.slept.prefix(5).map(\.components.seconds) == [1, 2, 4, 8, 16])
        #expect(clock.slept.last == .seconds(300))
        #expect(delegate.state.withLock { $0.requests } == 0)
        remote.stopListening()
    }

    @Test("before the first sync, a sync is requested instead of news")
    func firstSync() async throws {
        let (server, delegate, clock) = (ScriptedServer(), WatchingDelegate(), CountingClock(limit: 2))
        let (remote, _) = remote(server, delegate: delegate, clock: clock)
        remote.startListening()
        for await _ in clock.limitReached { break }
        #expect(delegate.state.withLock { $0.requests } == 2)
        #expect(server.pulls.isEmpty)
        remote.stopListening()
    }
}
