import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import Synchronization
import TestSupport
import Testing

/// The synchronizer's behaviour towards an app.
@Suite struct SynchronizerTests {
    /// A store that does not return, and ignores cancellation.
    final class Abyss: ExternalStore {
        private let gate = Mutex<[CheckedContinuation<Void, Never>]>([])
        private let isOpen = Mutex(false)
        let calls = Mutex(0)

        func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
            calls.withLock { $0 += 1 }
            await withCheckedContinuation { continuation in
                if isOpen.withLock({ $0 }) { continuation.resume() } else { gate.withLock { $0.append(continuation) } }
            }
            return StoreAnswers(forAll: .stored)
        }
        func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> { [:] }
        func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome> { [:] }

        func open() {
            isOpen.withLock { $0 = true }
            for continuation in gate.withLock({ $0 }) { continuation.resume() }
        }
    }

    /// Yields until the condition is true.
    private func until(_ holds: () async -> Bool) async throws {
        while await !holds() {
            try #require(Patience.deadline > .now)
            await Task.yield()
        }
    }

    @Test func storeThatDoesNotReturnDoesNotBlockHandlers() async throws {
        let scene = await Scene(hasStores: false)
        let abyss = Abyss()
        await scene.synchronizer.add(abyss, named: "abyss", types: [Scene.heartRate])
        try await scene.add()
        await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        try await until { abyss.calls.withLock { $0 } == 1 && scene.clock.count == 1 }
        scene.clock.fire()
        try await until { scene.handlers.counts == [1] }
        // The next wake cannot run yet, and its time limit starts.
        await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        try await until { scene.clock.count == 1 }
        scene.clock.fire()
        try await until { scene.handlers.counts == [1, 1] }
        #expect(abyss.calls.withLock { $0 } == 1)
        // When the store returns after all, its result counts.
        abyss.open()
        let report = await scene.synchronizer.run()
        #expect(!report.hasMore && !report.hasFailed)
        #expect(abyss.calls.withLock { $0 } == 1)
        #expect(try await scene.state(Scene.heartRate, "abyss").history.isDone)
    }

    @Test func withdrawalStopsReadingAndRemovesTheState() async throws {
        let scene = await Scene()
        await scene.synchronizer.start()
        try await scene.add()
        await scene.synchronizer.run()
        await scene.synchronizer.stop()
        await scene.synchronizer.reset()
        #expect(await scene.world.saved.isEmpty)
        #expect(await scene.world.index.isEmpty)
        try await scene.add(99)
        await scene.world.forgetCalls()
        await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        #expect(await scene.synchronizer.run().code == "stopped")
        #expect(scene.handlers.counts == [1])
        #expect(await scene.world.reads == 0)
        #expect(await scene.world.things("outbox").count == 1)
    }

    @Test func wakeOfAnObserverReadsOnlyItsType() async throws {
        let scene = await Scene(types: [Scene.heartRate, Scene.steps])
        await scene.synchronizer.run()
        await scene.synchronizer.start()
        await scene.world.forgetCalls()
        scene.phone.observers.fire(ObserverUpdate(types: [Scene.steps], complete: scene.handlers.make()))
        try await until { scene.handlers.counts == [1] }
        #expect(await scene.world.reads == 1)
    }

    @Test func streamThatTheAppDefersWaitsAtItsAnchor() async throws {
        struct Later: HealthSyncDelegate {
            func shouldSynchronize(_ stream: HealthStream) async -> Bool { stream.store == "server" }
        }
        let scene = await Scene(stores: ["outbox", "server"])
        try await scene.add()
        await scene.synchronizer.setDelegate(Later())
        await scene.synchronizer.run()
        #expect(await scene.isEqual("server"))
        #expect(await scene.world.things("outbox") == [])
        await scene.synchronizer.setDelegate(nil)
        await scene.synchronizer.run()
        #expect(await scene.isEqual("outbox"))
    }

    @Test func appIsNotifiedOfTypesThatAreNotObserved() async throws {
        final class Listener: HealthSyncDelegate {
            let failures = Mutex<[String: HealthSourceError]>([:])
            func observationFailed(_ failures: [String: HealthSourceError]) async {
                self.failures.withLock { $0 = failures }
            }
        }
        let scene = await Scene()
        let listener = Listener()
        await scene.synchronizer.setDelegate(listener)
        let refusal = HealthSourceError.delivery(false, nil)
        scene.phone.observers.state.withLock { $0.refused = refusal.map { [Scene.heartRate: $0] } ?? [:] }
        await scene.synchronizer.start()
        #expect(listener.failures.withLock { $0[Scene.heartRate]?.code } == "health-delivery-refused")
    }

    @Test func delegateIsNotifiedAfterTheHandlerWasCalled() async throws {
        let scene = await Scene()
        let delegate = RecordingDelegate()
        await scene.synchronizer.setDelegate(delegate)
        try await scene.add()
        await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        try await until { !delegate.reports.withLock { $0.isEmpty } }
        #expect(scene.handlers.counts == [1])
        #expect(delegate.reports.withLock { $0[0].rows.map(\.added) } == [1])
    }

    @Test func cancelledCallerReturnsImmediatelyAndTheRunContinues() async throws {
        let scene = await Scene()
        try await scene.add()
        let task = Task { await scene.synchronizer.run() }
        task.cancel()
        _ = await task.value
        await scene.synchronizer.run()
        #expect(await scene.isEqual())
    }

    @Test func reportAndStatusHaveTheJSONOfTheCommandLine() async throws {
        let scene = await Scene()
        try await scene.add()
        let uuid = try await scene.add(71, readableFrom: 2)
        let report = await scene.synchronizer.run()
        #expect(
            report.json.text()
                == #"{"streams":[{"type":"HKQuantityTypeIdentifierHeartRate","store":"outbox","added":1,"updated":0,"#
                + #""deleted":0,"quarantined":1,"waiting":0}],"more":false}"#)
        let status = await scene.synchronizer.status()
        #expect(
            status.json.text()
                == #"{"streams":[{"type":"HKQuantityTypeIdentifierHeartRate","store":"outbox","anchor":"2","#
                + #""lastSample":"2023-11-14T19:26:40+00:00","waiting":0}],"quarantine":[{"uuid":"\#(uuid.uuidString)","#
                + #""type":"HKQuantityTypeIdentifierHeartRate","reason":"unknown-unit"}]}"#)
    }

    @Test func aCorrelationIsReadAndObservedByItsMembers() throws {
        let pressure = "HKCorrelationTypeIdentifierBloodPressure"
        let members = [
            "HKQuantityTypeIdentifierBloodPressureDiastolic", "HKQuantityTypeIdentifierBloodPressureSystolic",
        ]
        let permissions = HealthPermissions(for: [pressure, Scene.heartRate])
        #expect(permissions.read == members + [Scene.heartRate])
        #expect(permissions.observed == permissions.read)
        #expect(permissions.synchronized(with: [members[0]]) == [pressure])
        #expect(permissions.synchronized(with: [Scene.heartRate, "unknown"]) == [Scene.heartRate])
        let day = HealthPermissions(for: ["HKActivitySummary", Scene.heartRate])
        let summary = try #require(day.read.first { $0 != Scene.heartRate })
        #expect(day.observed == [Scene.heartRate])
        #expect(day.synchronized(with: [Scene.heartRate]) == [Scene.heartRate, summary])
        #expect(day.synchronized(with: ["another"]).isEmpty)
        let food = HealthPermissions(for: ["HKCorrelationTypeIdentifierFood"])
        #expect(food.read.count > 30 && food.read.allSatisfy { $0.hasPrefix("HKQuantityTypeIdentifierDietary") })
        #expect(HealthPermissions(for: ["an app's own"]).read == ["an app's own"])
    }

    @Test func theResourceIsTheOneThatAnExportMakes() async throws {
        let scene = await Scene()
        let uuid = try await scene.add(72)
        await scene.synchronizer.run()
        var sample = try #require(await scene.world.samples[Scene.heartRate]?[uuid]?.sample)
        let stored = try #require(await scene.world.stores["outbox"]?.things.first)
        #expect(stored.key == "Observation/" + sample.fingerprint.resourceID(subject: "p1"))
        sample.uuid = uuid
        #expect(stored.value == sample.observation(subject: "p1").json.bytes() + [0x0A])
    }

    @Test func typeOfASupplementNeedsNoConverter() async throws {
        let row: JSON = [
            "identifier": "org.example.grip", "kind": "quantity", "title": "Grip Strength", "folder": "Vital Signs",
            "category": "exam", "aggregation": "discrete",
            "codings": [["system": "http://example.org/codes", "code": "grip", "display": "Grip strength"]],
            "unit": ["healthKit": "kg", "ucum": "kg", "display": "kg"],
        ]
        let table = try HealthTypeTable.standard.applying(supplement: ["types": [row]])
        let type = try #require(table.type("org.example.grip"))
        let quantity = try HealthQuantity("41.5", unit: "kg", as: try #require(type.measure))
        let moment = HealthInstant(seconds: 1_600_000_000, offsetMinutes: 0)
        let sample = HealthSample(
            type: type, value: .quantity(quantity), start: moment, end: moment, source: Samples.watch)
        let scene = await Scene(types: [type.identifier])
        _ = await scene.world.add(sample)
        await scene.synchronizer.run()
        let lines = try #require(await scene.world.stores["outbox"]?.things.values.first)
        #expect(try JSON(lines)["valueQuantity"]?["value"]?.number?.text == "41.5")
    }

    @Test func appsOwnTypeIsQuarantinedUntilThereIsAConverter() async throws {
        // A type that the table does not know is quarantined until the table knows it, or a converter handles it.
        struct Own: HealthConverter {
            func resource(of reading: HealthReading, subject: String?) throws -> JSON {
                guard case .other(let raw) = reading.content, let value = raw["value"] else {
                    throw SkipReason.valueMissing
                }
                return ["resourceType": "Observation", "id": .string(reading.uuid.uuidString), "valueInteger": value]
            }
        }
        let own = OwnSource(type: "org.example.grip", uuid: UUID())
        let scene = await Scene()
        let synchronizer = HealthSynchronizer(
            source: own, storage: scene.phone, settings: HealthSyncSettings(version: "1", lookBackDays: nil),
            environment: .test(scene.clock))
        await synchronizer.add(scene.shelf("own"), named: "own", types: [own.type])
        await synchronizer.run()
        #expect(await synchronizer.status().quarantine.map(\.entry.reason) == ["unsupported-type"])
        let next = HealthSynchronizer(
            source: own, storage: scene.phone, settings: HealthSyncSettings(version: "2", lookBackDays: nil),
            environment: .test(scene.clock))
        await next.setConverter(Own(), for: own.type)
        await next.add(scene.shelf("own"), named: "own", types: [own.type])
        await next.run()
        #expect(await scene.world.things("own") == ["Observation/" + own.uuid.uuidString])
    }
}

/// A source with one sample of a type that the table does not know, and without an anchor.
struct OwnSource: HealthSampleSource {
    let type: String
    let uuid: UUID

    private var reading: HealthReading { HealthReading(uuid: uuid, end: 1, .other(["value": 41])) }

    func position(of type: String) async throws -> HealthAnchor? { nil }
    func changes(of type: String, after anchor: HealthAnchor?, limit: Int) async throws -> HealthChanges {
        HealthChanges(added: anchor == nil ? [reading] : [], anchor: HealthAnchor("1".utf8))
    }
    func history(of type: String, since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage {
        HealthPage([], hasMore: false)
    }
    func samples(of type: String, _ uuids: [UUID]) async throws -> [HealthReading] {
        uuids.contains(uuid) ? [reading] : []
    }
    func startObserving(
        _ types: [String], _ wake: @escaping @Sendable (ObserverUpdate) -> Void
    ) async -> [String: HealthSourceError] { [:] }
    func stopObserving() async {}
}
