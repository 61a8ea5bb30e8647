import Core
import Foundation
import HealthData
import HealthSync
import TestSupport
import Testing

/// The scheduling rules above the streams.
@Suite struct SyncSchedulerTests {
    private let stream = HealthStream(type: "A", store: "outbox")

    private func report(
        _ stream: HealthStream, work: HealthStreamStep.Work, ending: HealthStepReport.Ending, samples: Int = 0
    ) throws -> HealthStepReport {
        let state = try HealthStreamState(
            Array(#"{"version":1,"type":"\#(stream.type)","store":"\#(stream.store)","began":1}"#.utf8), of: stream)
        return HealthStepReport(stream: stream, work: work, state: state, samples: samples, ending: ending)
    }

    /// For any sequence of events each request is answered once, and one step runs at a time.
    @Test func requestsAreAnsweredExactlyOnceForAnySequenceOfEvents() throws {
        var random = Seeded.fresh()
        let streams = ["A", "B", "C"].flatMap { type in
            ["outbox", "server"].map { HealthStream(type: type, store: $0) }
        }
        for _ in 0..<2_000 {
            var scheduler = SyncScheduler(limits: HealthSyncLimits(samples: Int.random(in: 1...50, using: &random)))
            var asked = 0
            var answers: [Int: Int] = [:]
            var todo: [SyncScheduler.Effect] = []
            var clocks: [Int] = []
            var steps = 0
            func take(_ effects: [SyncScheduler.Effect]) {
                for effect in effects {
                    switch effect {
                    case .answer(let ids, _): for id in ids { answers[id, default: 0] += 1 }
                    case .startClock(let run): clocks.append(run)
                    case .gather, .step, .askBacklog, .forget:
                        todo.append(effect)
                        steps = max(steps, todo.count)
                    case .cancelStep, .askToWake, .startObserving, .stopObserving: break
                    }
                }
            }
            func perform() throws {
                guard !todo.isEmpty else { return }
                switch todo.removeFirst() {
                case .gather:
                    let statuses = streams.map { SyncScheduler.StreamStatus($0, hasDue: Bool.random(using: &random)) }
                    take(scheduler.handle(.began(statuses, now: 0, random: Double.random(in: 0..<1, using: &random))))
                case .step(let stream, let work, let budget):
                    #expect(budget.samples > 0)
                    let endings: [HealthStepReport.Ending] = [
                        .idle, .idle, .more, .full, .held(code: "http-503", retryAfter: 5), .locked,
                        .failed(code: "x"),
                    ]
                    let ending = endings[Int.random(in: 0..<endings.count, using: &random)]
                    let samples = ending == .more ? 1 : Int.random(in: 0...10, using: &random)
                    take(scheduler.handle(.stepped(try report(stream, work: work, ending: ending, samples: samples))))
                case .askBacklog: take(scheduler.handle(.backlog([0, 3, nil].randomElement(using: &random) ?? nil)))
                case .forget: take(scheduler.handle(.forgot(code: nil)))
                default: break
                }
            }
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                switch Int.random(in: 0...11, using: &random) {
                case 0...2:
                    asked += 1
                    take(scheduler.handle(.asked(.init(id: asked, types: Bool.random(using: &random) ? ["A"] : nil))))
                case 3:
                    asked += 1
                    take(scheduler.handle(.observerFailed(id: asked, code: "health-source-locked")))
                case 4:
                    asked += 1
                    take(scheduler.handle(.resetAsked(id: asked, [streams[0]])))
                case 5: take(scheduler.handle(.abandoned(Int.random(in: 0...asked, using: &random))))
                case 6:
                    if let run = clocks.randomElement(using: &random) { take(scheduler.handle(.timeOver(run: run))) }
                case 7: take(scheduler.handle(.stop))
                case 8: take(scheduler.handle(.start(["A"])))
                default: try perform()
                }
            }
            var rounds = 0
            while !todo.isEmpty, rounds < 10_000 {
                rounds += 1
                try perform()
            }
            #expect(rounds < 10_000)
            // Abandoned resets are answered like resets.
            #expect(answers == Dictionary(uniqueKeysWithValues: (1...max(asked, 1)).prefix(asked).map { ($0, 1) }))
            #expect(steps <= 1)
        }
    }

    @Test func hangingStepDoesNotDelayOtherHandlers() {
        var scheduler = SyncScheduler()
        #expect(scheduler.handle(.asked(.init(id: 1))) == [.startClock(run: 1), .gather])
        let began = scheduler.handle(.began([.init(stream)], now: 0, random: 0))
        #expect(began.count == 1)
        let over = scheduler.handle(.timeOver(run: 1))
        #expect(over.contains { if case .answer([1], _) = $0 { true } else { false } })
        #expect(over.contains(.cancelStep))
        // The next wake has its own time limit, also while the step hangs.
        #expect(scheduler.handle(.asked(.init(id: 2))) == [.startClock(run: 2)])
        #expect(scheduler.handle(.timeOver(run: 1)) == [])
        let answered = scheduler.handle(.timeOver(run: 2))
        #expect(answered.contains { if case .answer([2], _) = $0 { true } else { false } })
    }

    @Test func waitingWakesBecomeOneRun() throws {
        var scheduler = SyncScheduler()
        _ = scheduler.handle(.asked(.init(id: 1)))
        for id in 2...9 { #expect(scheduler.handle(.asked(.init(id: id))) == []) }
        let end = scheduler.handle(.began([], now: 0, random: 0))
        #expect(end.count == 3)
        #expect(end.contains(.gather))
        let last = scheduler.handle(.began([], now: 0, random: 0))
        #expect(last.contains { if case .answer(Array(2...9), _) = $0 { true } else { false } })
    }

    @Test func limitOfAWakeIsSharedByAllStreams() throws {
        var scheduler = SyncScheduler(limits: HealthSyncLimits(samples: 10))
        let streams = ["A", "B", "C"].map { HealthStream(type: $0, store: "outbox") }
        _ = scheduler.handle(.asked(.init(id: 1)))
        var effects = scheduler.handle(.began(streams.map { .init($0, hasHistory: false) }, now: 0, random: 0))
        var budgets: [Int] = []
        var order: [String] = []
        while case .step(let stream, let work, let budget)? = effects.first {
            budgets.append(budget.samples)
            order.append(stream.type)
            effects = scheduler.handle(.stepped(try report(stream, work: work, ending: .more, samples: 3)))
        }
        #expect(budgets == [10, 7, 4, 1])
        #expect(order == ["A", "B", "C", "A"])
        #expect(effects.contains { if case .answer([1], let report) = $0 { report.hasMore } else { false } })
        #expect(effects.contains(.askToWake(atLeast: 0, spread: 30)))
    }

    @Test func failingStoreIsSkippedAndTheOtherContinues() throws {
        var scheduler = SyncScheduler()
        let streams = ["A", "B"].flatMap { type in ["outbox", "server"].map { HealthStream(type: type, store: $0) } }
        _ = scheduler.handle(.asked(.init(id: 1)))
        var effects = scheduler.handle(.began(streams.map { .init($0, hasHistory: false) }, now: 0, random: 0))
        var asked: [HealthStream] = []
        while case .step(let stream, let work, _)? = effects.first {
            asked.append(stream)
            let ending: HealthStepReport.Ending =
                stream.store == "server" ? .held(code: "http-503", retryAfter: 40) : .idle
            effects = scheduler.handle(.stepped(try report(stream, work: work, ending: ending)))
        }
        #expect(asked.map { $0.type + $0.store } == ["Aoutbox", "Aserver", "Boutbox"])
        #expect(effects.contains(.askToWake(atLeast: 40, spread: 30)))
    }

    @Test func theWaitGrowsWithFailuresUpToItsBound() {
        for (failures, spread) in [(1, 30.0), (2, 60), (3, 120), (8, 3_600), (1_000, 3_600)] {
            var scheduler = SyncScheduler()
            _ = scheduler.handle(.asked(.init(id: 1)))
            let hold = try? HealthStreamState(
                Array(
                    #"{"version":1,"type":"A","store":"outbox","began":1,"hold":{"failures":\#(failures),"notBefore":9}}"#
                        .utf8), of: stream
            ).hold
            let effects = scheduler.handle(.began([.init(stream, hold: hold)], now: 5, random: 0))
            #expect(effects.contains(.askToWake(atLeast: 4, spread: spread)))
        }
    }

    @Test func wakeReadsItsTypesAndThoseThatWereUnfinished() throws {
        var scheduler = SyncScheduler(limits: HealthSyncLimits(samples: 5))
        let streams = ["A", "B", "C"].map { HealthStream(type: $0, store: "outbox") }
        let statuses = streams.map { SyncScheduler.StreamStatus($0, hasHistory: false) }
        _ = scheduler.handle(.asked(.init(id: 1, types: ["B"])))
        var effects = scheduler.handle(.began(statuses, now: 0, random: 0))
        guard case .step(let first, let work, _)? = effects.first else {
            Issue.record("no step")
            return
        }
        #expect(first.type == "B")
        _ = scheduler.handle(.stepped(try report(first, work: work, ending: .more, samples: 5)))
        _ = scheduler.handle(.asked(.init(id: 2, types: ["C"])))
        effects = scheduler.handle(.began(statuses, now: 0, random: 0))
        var asked: [String] = []
        while case .step(let stream, let work, _)? = effects.first {
            asked.append(stream.type)
            effects = scheduler.handle(.stepped(try report(stream, work: work, ending: .idle)))
        }
        #expect(asked == ["B", "C"])
    }

    @Test func requestsAfterAStopAreAnsweredWithoutAStep() throws {
        var scheduler = SyncScheduler()
        #expect(scheduler.handle(.start(["A"])) == [.startObserving(["A"])])
        _ = scheduler.handle(.asked(.init(id: 1)))
        _ = scheduler.handle(.began([.init(stream)], now: 0, random: 0))
        let stopped = scheduler.handle(.stop)
        #expect(stopped.contains(.stopObserving) && stopped.contains(.cancelStep))
        #expect(scheduler.handle(.asked(.init(id: 2))).count == 1)
        // A reset is part of withdrawal, and is done once the step has ended.
        #expect(scheduler.handle(.resetAsked(id: 3, [stream])) == [])
        let step = try report(stream, work: .changes, ending: .more)
        #expect(scheduler.handle(.stepped(step)) == [.forget([stream])])
    }
}
