import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import Synchronization
import TestSupport
import Testing

/// The eleven defects of HealthDataSync that its source shows, each with a test that fails with them.
@Suite struct OriginalSyncDefectsTests {
    /// a: with two queued wakes nothing ran again, and no completion handler was called.
    @Test func wakesThatWaitAreAllAnsweredAndTheNextOneRuns() async throws {
        let scene = await Scene()
        for number in 0..<20 {
            try await scene.add(60 + number)
            await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        }
        await scene.synchronizer.run()
        #expect(scene.handlers.counts == Array(repeating: 1, count: 20))
        try await scene.add(90)
        await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        await scene.synchronizer.run()
        #expect(scene.handlers.counts == Array(repeating: 1, count: 21))
        #expect(await scene.isEqual())
    }

    /// b: an observer's error never called the completion handler.
    @Test func anObserverThatFailsHasItsHandlerCalledOnce() async throws {
        let scene = await Scene()
        for reason in HealthSourceError.Reason.allCases {
            let update = ObserverUpdate(
                types: [Scene.heartRate], failure: HealthSourceError(reason), complete: scene.handlers.make())
            await scene.synchronizer.wake(update)
        }
        #expect(scene.handlers.counts == HealthSourceError.Reason.allCases.map { _ in 1 })
    }

    /// c: stop and start executed the same query again, for which HealthKit throws.
    @Test func startingAgainMakesNewObserversAndKeepsTheAnchor() async throws {
        let scene = await Scene()
        await scene.synchronizer.start()
        try await scene.add()
        await scene.synchronizer.run()
        let anchor = try await scene.anchor()
        await scene.synchronizer.stop()
        #expect(scene.phone.observers.state.withLock { $0.running } == [])
        #expect(try await scene.anchor() == anchor)
        await scene.synchronizer.start()
        #expect(scene.phone.observers.state.withLock { $0.queries.count } == 2)
        #expect(scene.phone.observers.state.withLock { $0.running } == [1])
        // After a second start the first observers end.
        await scene.synchronizer.start()
        #expect(scene.phone.observers.state.withLock { $0.running } == [2])
    }

    /// d: a converter that was set before an observer was added never reached it.
    @Test(arguments: [true, false]) func theOrderOfSetUpDoesNotMatter(isConverterFirst: Bool) async throws {
        let scene = await Scene(hasStores: false)
        let converter = CountingConverter()
        if isConverterFirst { await scene.synchronizer.setConverter(converter, for: Scene.heartRate) }
        await scene.synchronizer.start()
        await scene.synchronizer.add(scene.shelf("outbox"), named: "outbox", types: [Scene.heartRate])
        if !isConverterFirst { await scene.synchronizer.setConverter(converter, for: Scene.heartRate) }
        let uuid = try await scene.add()
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox") == ["Basic/\(uuid.uuidString)"])
        await scene.synchronizer.stop()
        #expect(scene.phone.observers.state.withLock { $0.types.last } == [Scene.heartRate])
    }

    /// e: a type had only one store, and two stores would have shared one anchor.
    @Test func aTypeFeedsTwoStoresWithAnAnchorEach() async throws {
        let scene = await Scene(stores: ["outbox", "server"])
        try await scene.add()
        await scene.synchronizer.run()
        #expect(await scene.isEqual("outbox"))
        #expect(await scene.isEqual("server"))
        await scene.synchronizer.removeStore(named: "server")
        try await scene.add(80)
        await scene.synchronizer.run()
        #expect(await scene.isEqual("outbox"))
        #expect(await !scene.isEqual("server"))
        #expect(try await scene.anchor("outbox") != scene.anchor("server"))
        await scene.synchronizer.add(scene.shelf("server"), named: "server", types: [Scene.heartRate])
        await scene.synchronizer.run()
        #expect(await scene.isEqual("server"))
    }

    /// f: samples that could not be converted were skipped and lost.
    @Test func unconvertibleSampleIsQuarantinedAndRetriedWithANewTable() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        let uuid = try await scene.add(70, readableFrom: 2)
        try await scene.add(71)
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.quarantined) == [1])
        #expect(report.rows.map(\.added) == [1])
        let status = await scene.synchronizer.status()
        #expect(status.quarantine.map(\.entry.uuid) == [uuid])
        #expect(status.quarantine.map(\.entry.reason) == ["unknown-unit"])
        // The same version offers nothing again.
        await scene.world.forgetCalls()
        await scene.synchronizer.run()
        #expect(await scene.world.calls("outbox") == [])
        await scene.world.set { $0.table = 2 }
        let next = await Scene(after: scene, version: "2")
        #expect(await next.synchronizer.run().rows.map(\.added) == [1])
        #expect(await next.isEqual())
        #expect(await next.synchronizer.status().quarantine == [])
    }

    /// g: a batch of 0, HealthKit's "no limit", never ended.
    @Test func batchLimitOfZeroEnds() async throws {
        let limits = HealthSyncLimits(seconds: 0, samples: 0, bytes: 0, batch: 0)
        let scene = await Scene(limits: limits)
        for number in 0..<5 { try await scene.add(60 + number) }
        var runs = 0
        while await scene.synchronizer.run().hasMore, runs < 100 { runs += 1 }
        #expect(await scene.isEqual())
        #expect(runs < 20)
    }

    /// h: a manual run was not serialised with those of observers.
    @Test func wakesAndManualRunsAreSerialised() async throws {
        let scene = await Scene(limits: HealthSyncLimits(batch: 1), hasStores: false)
        let store = ConcurrencyMeasuringStore(inner: scene.shelf("outbox"))
        await scene.synchronizer.add(store, named: "outbox", types: [Scene.heartRate])
        for number in 0..<10 { try await scene.add(60 + number) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { await scene.synchronizer.run() }
                group.addTask {
                    await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
                }
            }
        }
        await scene.synchronizer.run()
        #expect(store.maximum.withLock { $0 } == 1)
        #expect(scene.handlers.counts.allSatisfy { $0 == 1 })
        #expect(await scene.isEqual())
    }

    /// i: an error in the lookup of deletions was ignored if anything was found.
    @Test func failedLookUpOfADeletionIsRetried() async throws {
        let scene = await Scene()
        let first = try await scene.add(70)
        let second = try await scene.add(71)
        await scene.synchronizer.run()
        let anchor = try await scene.anchor()
        await scene.world.delete(first)
        await scene.world.delete(second)
        await scene.world.set { $0.failsLookUp = true }
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.code) == ["health-storage-failed"])
        #expect(await scene.world.things("outbox").count == 2)
        #expect(try await scene.anchor() == anchor)
        await scene.world.set { $0.failsLookUp = false }
        #expect(await scene.synchronizer.run().rows.map(\.deleted) == [2])
        #expect(await scene.isEqual())
    }

    /// j: background delivery without success and without an error counted as granted.
    @Test func deliveryWithoutSuccessIsAFailureWithAnErrorOrWithout() {
        #expect(HealthSourceError.delivery(true, nil) == nil)
        #expect(HealthSourceError.delivery(false, nil)?.code == "health-delivery-refused")
        #expect(HealthSourceError.delivery(false, CancellationError())?.code == "health-delivery-refused")
        #expect(HealthSourceError.delivery(true, HealthSourceError(.notAuthorized))?.code == "health-not-authorized")
    }

    /// k: each new object was converted twice, and matched with every other.
    @Test func eachSampleIsConvertedOnce() async throws {
        let scene = await Scene()
        let converter = CountingConverter()
        await scene.synchronizer.setConverter(converter, for: Scene.heartRate)
        await scene.synchronizer.run()
        for number in 0..<400 { try await scene.add(60 + number) }
        await scene.synchronizer.run()
        #expect(converter.count.withLock { $0 } == 400)
        #expect(await scene.world.calls("outbox") == ["fetch 400", "add 400"])
    }

    /// k: the work for a batch grows linearly with its size.
    @Test func costOfABatchIsLinearInItsSize() throws {
        struct Input {
            let batch: SampleBatch
            let known: [UUID: IndexedSample]
        }
        func make(_ size: Int) -> Input {
            let deleted = (0..<size).map { _ in UUID() }
            let added = (0..<size).map {
                SampleCandidate(uuid: UUID(), end: 0, form: .resource(target: "Observation/\($0)", bytes: 10))
            }
            let known = deleted.enumerated().map { ($1, IndexedSample(target: "Observation/old-\($0)", count: 1)) }
            return Input(
                batch: SampleBatch(deleted: deleted, added: added, anchor: HealthAnchor("1".utf8)),
                known: Dictionary(uniqueKeysWithValues: known))
        }
        let growth = Growth.of(make) { input in
            let size = input.batch.added.count
            let stream = HealthStream(type: Scene.heartRate, store: "outbox")
            let budget = WakeBudget(samples: size * 2, bytes: size * 10)
            var step = HealthStreamStep(
                stream, state: HealthStreamState(),
                options: .init(.changes, budget: budget, batch: size, now: 0))
            var effect: HealthStreamStep.Effect? = step.begin()
            while let next = effect {
                switch next {
                case .finish(let report):
                    precondition(report.added == size && report.deleted == size)
                    return
                case .position: effect = step.handle(.positioned(HealthAnchor("0".utf8)))
                case .lookUp: effect = step.handle(.known(input.known))
                case .record, .forget, .save: effect = step.handle(.done)
                case .fetch: effect = step.handle(.fetched(present: [], [:]))
                case .delete(let asked): effect = step.handle(.answered(StoreAnswers(asked.mapValues { _ in .stored })))
                case .add(let uuids), .update(let uuids):
                    effect = step.handle(
                        .answered(StoreAnswers(Dictionary(uniqueKeysWithValues: uuids.map { ($0, .stored) }))))
                case .readChanges, .readHistory, .readAgain: effect = step.handle(.batch(input.batch))
                }
            }
        }
        #expect(growth.factor < 8, "\(growth)")
    }
}

/// A converter of an app.
final class CountingConverter: HealthConverter {
    let count = Mutex(0)

    func resource(of reading: HealthReading, subject: String?) throws -> JSON {
        count.withLock { $0 += 1 }
        return ["resourceType": "Basic", "id": .string(reading.uuid.uuidString)]
    }
}

/// A store that records the maximum number of concurrent calls.
final class ConcurrencyMeasuringStore: ExternalStore {
    let inner: Shelf
    let maximum = Mutex(0)
    private let inside = Mutex(0)

    init(inner: Shelf) { self.inner = inner }

    private func pass<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer {
        let now = inside.withLock { inside in
            inside += 1
            return inside
        }
        maximum.withLock { $0 = max($0, now) }
        defer { inside.withLock { $0 -= 1 } }
        await Task.yield()
        return try await body()
    }

    func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await pass { try await inner.add(samples) }
    }
    func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await pass { try await inner.update(samples) }
    }
    func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await pass { try await inner.delete(samples) }
    }
}
