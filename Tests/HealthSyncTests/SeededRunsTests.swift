import Core
import Foundation
import HealthData
import HealthSync
import TestSupport
import Testing

/// After any sequence of events each store ends equal to the source, and each completion handler is called once.
@Suite struct SeededRunsTests {
    static let runs = ProcessInfo.processInfo.environment["TRIBUTARY_SYNC_RUNS"].flatMap { Int($0) } ?? 100

    @Test func eachStoreEndsEqualToTheSource() async {
        let seed = Seeded.newSeed()
        for number in 0..<Self.runs {
            if ProcessInfo.processInfo.environment["TRIBUTARY_SYNC_TRACE"] != nil { print("run \(number)") }
            var run = SeededRun(seed &+ UInt64(number))
            let failure = await run.failure()
            #expect(failure == nil, "seed \(seed &+ UInt64(number))")
            guard failure == nil else { return }
        }
    }
}

/// One history of a phone, made from a seed.
struct SeededRun {
    static let heartRate = "HKQuantityTypeIdentifierHeartRate"
    static let steps = "HKQuantityTypeIdentifierStepCount"

    var random: Seeded
    let world: World
    let clock = ManualClock()
    let handlers = Handlers()
    let limits: HealthSyncLimits
    let perSample: Set<String>
    let findsUnknown: Bool

    init(_ seed: UInt64) {
        random = Seeded(seed)
        world = World(seed: random.next(), types: [Self.heartRate, Self.steps], clock: clock)
        limits = HealthSyncLimits(
            samples: Int.random(in: 1...40, using: &random), bytes: Int.random(in: 1...30_000, using: &random),
            batch: Int.random(in: 0...20, using: &random))
        findsUnknown = Bool.random(using: &random)
        perSample = Bool.random(using: &random) ? [Self.heartRate, Self.steps] : [Self.heartRate]
    }

    private mutating func phone(_ version: String) async -> (HealthSynchronizer, Int) {
        let process = await world.restart()
        let phone = Phone(world: world, process: process)
        let synchronizer = HealthSynchronizer(
            source: phone, storage: phone,
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), version: version, lookBackDays: nil, limits: limits),
            environment: .test(clock, random: Double.random(in: 0..<1, using: &random)))
        let content = Shelf(world: world, process: process, name: "content")
        let sample = Shelf(
            world: world, process: process, name: "sample", identity: .sample, findsUnknown: findsUnknown)
        if Bool.random(using: &random) {
            await synchronizer.add(content, named: "content", types: [Self.heartRate, Self.steps])
            await synchronizer.add(sample, named: "sample", types: perSample)
        } else {
            await synchronizer.add(sample, named: "sample", types: perSample)
            await synchronizer.add(content, named: "content", types: [Self.heartRate, Self.steps])
        }
        return (synchronizer, process)
    }

    /// Returns a description of the failure, or nil if there is none.
    mutating func failure() async -> String? {
        let hasPosition = Bool.random(using: &random)
        await world.set { $0.hasPosition = hasPosition }
        for _ in 0..<Int.random(in: 0...30, using: &random) { await world.mutate() }
        var (synchronizer, process) = await phone("1")
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let faults: Double = [0.0, 0.3, 0.9].randomElement(using: &random) ?? 0
            let power = Bool.random(using: &random) ? Int.random(in: 0...80, using: &random) : nil
            let everything = await world.expected("content", identity: .content, types: [Self.heartRate, Self.steps])
            let refused: String? = everything.sorted().randomElement(using: &random)
            await world.set { world in
                world.faults = faults
                world.mutations = 0.03
                world.powerLeft = power
                if let refused, world.chance(0.3) { world.refused.insert(refused) }
                world.isLocked = world.chance(0.1)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let types = [Self.heartRate, Self.steps].randomElement(using: &random).map { Set([$0]) }
                await synchronizer.wake(ObserverUpdate(types: types, complete: handlers.make()))
            }
            switch Int.random(in: 0...5, using: &random) {
            case 0:
                await synchronizer.stop()
                await synchronizer.wake(ObserverUpdate(types: nil, complete: handlers.make()))
                await synchronizer.start()
            case 1:
                let failed = HealthSourceError(.locked)
                await synchronizer.wake(ObserverUpdate(types: nil, failure: failed, complete: handlers.make()))
            case 2:
                let task = Task { [synchronizer] in await synchronizer.run() }
                task.cancel()
                _ = await task.value
            default: break
            }
            _ = await synchronizer.run()
            clock.advance(by: 100_000)
            for _ in 0..<Int.random(in: 0...6, using: &random) { await world.mutate() }
            if await !world.isOn(process) { (synchronizer, process) = await phone("1") }
        }
        return await ending()
    }

    /// All failures end, and the app is started again.
    private mutating func ending() async -> String? {
        await world.set { world in
            world.faults = 0
            world.mutations = 0
            world.refused = []
            world.isLocked = false
            world.table = 2
        }
        let (synchronizer, _) = await phone("2")
        var report = await synchronizer.run()
        var rounds = 0
        while report.hasMore {
            rounds += 1
            guard rounds < 3_000 else { return "no end: \(report)" }
            clock.advance(by: 100_000)
            report = await synchronizer.run()
        }
        guard !report.hasFailed else { return "failed: \(report)" }
        for (name, identity, types) in [
            ("content", StoreIdentity.content, Set([Self.heartRate, Self.steps])), ("sample", .sample, perSample),
        ] {
            let (has, expected) = await (world.things(name), world.expected(name, identity: identity, types: types))
            guard has == expected else {
                let (extra, lacking) = (has.subtracting(expected), expected.subtracting(has))
                return "\(name) has \(extra.sorted()) and lacks \(lacking.sorted())"
            }
        }
        let status = await synchronizer.status()
        guard status.quarantine.isEmpty else { return "quarantined: \(status.quarantine.map(\.entry.reason))" }
        // Nothing has changed: no request, no write.
        await world.forgetCalls()
        _ = await synchronizer.run()
        let (content, sample, writes) = await (world.calls("content"), world.calls("sample"), world.writes)
        guard content.isEmpty, sample.isEmpty, writes == 0 else {
            return "an empty wake: \(content) \(sample) \(writes) writes"
        }
        let counts = handlers.counts
        guard counts.allSatisfy({ $0 == 1 }) else { return "handlers were called \(counts) times" }
        return nil
    }
}
