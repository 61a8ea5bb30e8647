import AccessTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Identity

/// The order of password checks, and the limits of their queue.
@Suite struct PasswordCheckerTests {
    private typealias Origin = PasswordChecker.Origin

    /// A queue of named checks.
    private struct Named {
        var queue = PasswordQueue()
        private final class Box: Sendable {
            let names = Mutex<[String]>([])
        }

        private let box = Box()

        mutating func add(_ name: String, _ origin: Origin) -> [String] {
            let item = PasswordQueue.Item(
                run: {}, refuse: { [box] in box.names.withLock { $0.append(name) } })
            return names(of: queue.add(item, from: origin))
        }

        private func names(of items: [PasswordQueue.Item]) -> [String] {
            box.names.withLock { $0 = [] }
            for item in items { item.refuse() }
            return box.names.withLock { $0 }
        }

        mutating func next() -> String? { queue.next().map { names(of: [$0])[0] } }

        mutating func all() -> [String] {
            var all: [String] = []
            while let next = next() { all.append(next) }
            return all
        }
    }

    @Test func prefixesTakeTurnsAndKnownBrowsersComeFirst() {
        var named = Named()
        let flood = Origin(wide: "w1", narrow: "n1")
        for number in 0..<4 { #expect(named.add("a\(number)", flood) == []) }
        #expect(named.add("b0", Origin(wide: "w1", narrow: "n2")) == [])
        #expect(named.add("c0", Origin(wide: "w2", narrow: "n3")) == [])
        #expect(named.add("k", Origin(wide: "w1", narrow: "n1", isKnown: true)) == [])
        // The known browser first; then the wide prefixes in turn, and within each its narrow ones.
        #expect(named.all() == ["k", "a0", "c0", "b0", "a1", "a2", "a3"])
    }

    @Test func eachPrefixHasItsOwnLimit() {
        var named = Named()
        var refused = 0
        for number in 0..<100 { refused += named.add("\(number)", Origin(wide: "w", narrow: "n")).count }
        #expect(refused == 100 - PasswordQueue.maximumOfNarrow && named.queue.count == PasswordQueue.maximumOfNarrow)
        for number in 0..<100 { _ = named.add("\(number)", Origin(wide: "w", narrow: "n\(number)")) }
        #expect(named.queue.count == PasswordQueue.maximumOfWide)
        // Another site has room immediately, and is second in line.
        #expect(named.add("other", Origin(wide: "v", narrow: "m")) == [])
        _ = named.next()
        #expect(named.next() == "other")
    }

    @Test func aFullQueueRefusesTheLargestGroupAndNotANewOne() {
        var named = Named()
        for site in 0..<3 {
            for number in 0..<PasswordQueue.maximumOfWide {
                #expect(named.add("\(site)", Origin(wide: "w\(site)", narrow: "n\(number)")) == [])
            }
        }
        #expect(named.queue.count == PasswordQueue.maximumOthers)
        #expect(named.add("new", Origin(wide: "v", narrow: "m")).count == 1)
        #expect(named.queue.count == PasswordQueue.maximumOthers && named.all().contains("new"))
        // If each site has one check, a further one is refused.
        for site in 0..<PasswordQueue.maximumOthers {
            #expect(named.add("x", Origin(wide: "\(site)", narrow: "n")) == [])
        }
        #expect(named.add("last", Origin(wide: "v", narrow: "m")) == ["last"])
        // A known browser is not refused.
        #expect(named.add("k", Origin(wide: "v", narrow: "m", isKnown: true)) == [] && named.next() == "k")
    }

    /// Compared with a queue in its simplest implementation.
    @Test func randomQueuesLoseNothingAndKeepTheirBounds() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = Seeded(seed)
        for _ in 0..<200 {
            var named = Named()
            var (added, refused, done) = (Set<String>(), Set<String>(), Set<String>())
            for number in 0..<Int.random(in: 1..<200, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0, let next = named.next() {
                    #expect(done.insert(next).inserted)
                    continue
                }
                let wide = Int.random(in: 0..<8, using: &random)
                let origin = Origin(
                    wide: "w\(wide)", narrow: "\(wide).\(Int.random(in: 0..<4, using: &random))",
                    isKnown: Int.random(in: 0..<10, using: &random) == 0)
                added.insert("\(number)")
                for name in named.add("\(number)", origin) { #expect(refused.insert(name).inserted) }
                #expect(named.queue.count <= PasswordQueue.maximumOthers + PasswordQueue.maximumKnown)
            }
            for name in named.all() { #expect(done.insert(name).inserted) }
            #expect(done.isDisjoint(with: refused) && done.union(refused) == added, "seed \(seed)")
        }
    }

    @Test func checksRunOneAfterTheOtherAndBeyondTheBoundAreRefused() async throws {
        let checker = PasswordChecker()
        let (running, gate) = (Running(), Gate())
        @Sendable func check() async -> Bool? {
            try? await checker.run(from: PasswordChecker.Origin(wide: "w", narrow: "n")) {
                running.begin()
                // The first check blocks the thread until all others have arrived.
                while !gate.isOpen { sched_yield() }
                running.end()
                return true
            }
        }
        let outcomes = await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await check() }
            while running.maximum == 0 { await Task.yield() }
            for _ in 0..<40 { group.addTask { await check() } }
            // All checks except for the running and the waiting ones are refused.
            var outcomes: [Bool?] = []
            for _ in 0..<40 - PasswordQueue.maximumOfNarrow { outcomes.append(await group.next() ?? nil) }
            gate.open()
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.filter { $0 == true }.count == 1 + PasswordQueue.maximumOfNarrow)
        #expect(outcomes.count == 41 && running.maximum == 1 && checker.waiting == 0)
        #expect(try await checker.run(from: PasswordChecker.Origin(wide: "w", narrow: "n")) { true })
    }

    private final class Gate: Sendable {
        private let flag = Atomic(false)
        var isOpen: Bool { flag.load(ordering: .acquiring) }
        func open() { flag.store(true, ordering: .releasing) }
    }

    private final class Running: Sendable {
        private let counts = Mutex((now: 0, maximum: 0))
        var maximum: Int { counts.withLock { $0.maximum } }
        func begin() { counts.withLock { $0 = ($0.now + 1, max($0.maximum, $0.now + 1)) } }
        func end() { counts.withLock { $0.now -= 1 } }
    }
}
