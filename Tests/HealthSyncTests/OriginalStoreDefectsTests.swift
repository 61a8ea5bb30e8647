import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import Synchronization
import TestSupport
import Testing

/// The defects of HealthKitOnFhir's stores that its source shows, as far as they concern synchronisation.
@Suite struct OriginalStoreDefectsTests {
    /// `update` and `delete` of frequent data did nothing: edits and deletions never arrived.
    @Test func deletionsAndEditsOfFrequentDataArrive() async throws {
        let scene = await Scene(hasStores: false)
        var hub = scene.shelf("hub")
        hub.identity = .sample
        await scene.synchronizer.add(hub, named: "hub", types: [Scene.heartRate])
        let first = try await scene.add(70)
        let second = try await scene.add(71)
        await scene.synchronizer.run()
        await scene.world.delete(first)
        await scene.world.delete(second)
        let edited = try await scene.add(72)
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.deleted) == [2])
        #expect(await scene.world.things("hub") == [edited.uuidString])
    }

    /// A `false` of a hook ended the loop, and the following samples were lost.
    @Test func declinedSampleDoesNotAffectOthers() async throws {
        let scene = await Scene()
        let first = try await scene.add(70)
        for beats in 71...79 { try await scene.add(beats) }
        let delegate = DecliningDelegate(refused: [first])
        await scene.synchronizer.setDelegate(delegate)
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.added) == [9])
        #expect(report.rows.map(\.declined) == [1])
        #expect(await scene.world.things("outbox").count == 9)
        // It is not offered again.
        await scene.world.forgetCalls()
        await scene.synchronizer.run()
        #expect(await scene.world.calls("outbox") == [])
    }

    /// Of two samples of equal content the app can decline one; the other is sent.
    @Test func declinedSampleDoesNotAffectAnEqualOne() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        let uuids = [try await scene.add(70), try await scene.add(70)]
        await scene.synchronizer.setDelegate(DecliningDelegate(refused: [uuids[0]]))
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.added) == [1])
        #expect(report.rows.map(\.declined) == [1])
        #expect(await scene.isEqual())
    }

    /// `shouldFetch` false meant "nothing exists", and existing resources were created again.
    @Test func sampleWithADeclinedFetchIsNotAdded() async throws {
        let scene = await Scene()
        let uuid = try await scene.add(70)
        await scene.synchronizer.setDelegate(DecliningDelegate(refused: [uuid], call: "fetch"))
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.declined) == [1])
        #expect(await scene.world.calls("outbox") == [])
    }

    /// Deletions are sent first: while the store keeps one for later, samples added after it wait too.
    @Test func changesAfterADeletionWaitForIt() async throws {
        let scene = await Scene()
        let uuid = try await scene.add(70)
        await scene.synchronizer.run()
        await scene.world.delete(uuid)
        try await scene.add(71)
        let things = await scene.world.things("outbox")
        await scene.world.set { $0.deferredThings = things }
        await scene.world.forgetCalls()
        await scene.synchronizer.run()
        #expect(await scene.world.calls("outbox") == ["delete 1"])
        await scene.world.set { $0.deferredThings = [] }
        await scene.synchronizer.run()
        #expect(await scene.world.calls("outbox") == ["delete 1", "delete 1", "fetch 1", "add 1"])
        #expect(await scene.isEqual())
    }

    /// An edit without a change of content: the resource stays, and gets the new identifier.
    @Test func anEditOfEqualContentChangesTheResourceAndDeletesNothing() async throws {
        let scene = await Scene()
        let uuid = try await scene.add(70)
        await scene.synchronizer.run()
        await scene.world.delete(uuid)
        try await scene.add(70)
        await scene.world.forgetCalls()
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.updated) == [1])
        #expect(await scene.world.calls("outbox") == ["fetch 1", "update 1"])
        #expect(await scene.isEqual())
    }

    /// A hook declines a deletion, and a change.
    @Test func declinedDeletionDoesNotAffectOthers() async throws {
        let scene = await Scene()
        let uuids = [try await scene.add(70), try await scene.add(71)]
        await scene.synchronizer.run()
        await scene.synchronizer.setDelegate(DecliningDelegate(refused: [uuids[0]], call: "delete"))
        for uuid in uuids { await scene.world.delete(uuid) }
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.deleted) == [1])
        #expect(report.rows.map(\.declined) == [1])
        #expect(await scene.world.things("outbox").count == 1)
    }

    /// HTTP 300 and above was "no error": the anchor moved, and the data were lost.
    @Test func everyStatusFrom300OnIsAnError() {
        for status in 0...999 {
            let outcome = HealthOutcome(status: status)
            switch status {
            case 200..<300: #expect(outcome == .stored)
            case 401, 407, 408, 425, 429, 500...999, 0..<200, 300..<400:
                #expect(outcome == .deferred(code: "http-\(status)", retryAfter: nil))
            default: #expect(outcome == .refused(code: "http-\(status)"))
            }
        }
        #expect(HealthOutcome(deletionStatus: 404) == .stored)
        #expect(HealthOutcome(deletionStatus: 410) == .stored)
        #expect(HealthOutcome(deletionStatus: 500, retryAfter: 7) == .deferred(code: "http-500", retryAfter: 7))
    }

    /// A store that fails keeps the anchor, and the next wake sends everything.
    @Test func samplesThatAStoreKeepsForLaterComeWithTheNextWake() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        let anchor = try await scene.anchor()
        try await scene.add(70)
        await scene.world.set { $0.answer = .deferred(code: "http-500", retryAfter: nil) }
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.code) == ["http-500"])
        #expect(report.rows.map(\.waiting) == [1])
        #expect(report.hasMore)
        #expect(try await scene.anchor() == anchor)
        await scene.world.set { $0.answer = nil }
        #expect(await scene.synchronizer.run().rows.map(\.added) == [1])
        #expect(await scene.isEqual())
    }

    /// Of a partly refused batch only the failed samples stay, and the anchor with them.
    @Test func partlyRefusedBatchRetriesOnlyTheRest() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        let anchor = try await scene.anchor()
        for beats in 60..<70 { try await scene.add(beats) }
        let deferred = Set(await scene.expected().sorted().prefix(3))
        await scene.world.set { $0.deferredThings = deferred }
        #expect(await scene.synchronizer.run().rows.map(\.waiting) == [3])
        #expect(try await scene.anchor() == anchor)
        #expect(try await scene.state().waiting == 3)
        await scene.world.set { $0.deferredThings = [] }
        await scene.world.forgetCalls()
        let next = await Scene(after: scene)
        #expect(await next.synchronizer.run().rows.map(\.added) == [3])
        #expect(await next.world.calls("outbox") == ["fetch 3", "add 3"])
        #expect(await next.isEqual())
        // Samples settled before the last anchor are not kept.
        let bytes = await next.world.saved[HealthStream(type: Scene.heartRate, store: "outbox")]
        #expect(try JSON(#require(bytes))["settled"] == nil)
    }

    /// There was no back-off: the delay that a server requests is respected, also by the next process.
    @Test func storeIsNotCalledBeforeTheRetryTimeOfItsServer() async throws {
        let scene = await Scene(random: 0.5)
        let delegate = RecordingDelegate()
        await scene.synchronizer.setDelegate(delegate)
        try await scene.add(70)
        await scene.world.set { $0.answer = .deferred(code: "http-429", retryAfter: 120) }
        await scene.synchronizer.run()
        await delegate.settle()
        // The server's two minutes, and half of the thirty seconds over which devices are spread.
        #expect(delegate.wakes.withLock { $0 } == [135])
        await scene.world.set { $0.answer = nil }
        await scene.world.forgetCalls()
        let next = await Scene(after: scene)
        #expect(await next.synchronizer.run().rows.map(\.code) == ["retry-later"])
        #expect(await next.world.calls("outbox") == [])
        next.clock.advance(by: 121)
        #expect(await next.synchronizer.run().rows.map(\.added) == [1])
        // A clock that was set back does not block a store for years.
        #expect(await next.isEqual())
    }

    /// A deferred sample that the person then deleted is not a failure any more.
    @Test func failureEndsWithTheDeletionOfItsSample() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        let uuid = try await scene.add(70)
        await scene.world.set { $0.answer = .deferred(code: "http-500", retryAfter: nil) }
        await scene.synchronizer.run()
        #expect(try await scene.state().hold?.failures == 1)
        await scene.synchronizer.run()
        #expect(try await scene.state().hold?.failures == 2)
        await scene.world.delete(uuid)
        await scene.world.set { $0.answer = nil }
        await scene.synchronizer.run()
        #expect(try await scene.state().hold == nil)
        await scene.world.forgetCalls()
        await scene.synchronizer.run()
        #expect(await scene.world.writes == 0)
    }

    /// A completion of the sample app was never called, since its signature was different.
    @Test func allFourCompletionsAreCalledWithAnOutcomeForEachSample() async throws {
        let scene = await Scene()
        let delegate = RecordingDelegate()
        await scene.synchronizer.setDelegate(delegate)
        let uuid = try await scene.add(70)
        try await scene.add(71)
        await scene.synchronizer.run()
        await scene.world.delete(uuid)
        // The same content under another identifier.
        try await scene.add(71)
        await scene.synchronizer.run()
        let calls = delegate.calls.withLock { $0 }
        #expect(calls == ["fetch 2", "add 2", "delete 1", "fetch 1", "update 1"])
    }
}

/// An app that declines some samples.
struct DecliningDelegate: HealthSyncDelegate {
    let refused: Set<UUID>
    var call = "add"

    func shouldFetch(_ sample: OutgoingSample, from store: String) async -> Bool {
        call != "fetch" || !refused.contains(sample.uuid)
    }
    func shouldAdd(_ sample: OutgoingSample, to store: String) async -> Bool {
        call != "add" || !refused.contains(sample.uuid)
    }
    func shouldUpdate(_ sample: OutgoingSample, in store: String) async -> Bool {
        call != "update" || !refused.contains(sample.uuid)
    }
    func shouldDelete(_ sample: DeletedSample, from store: String) async -> Bool {
        call != "delete" || !refused.contains(sample.uuid)
    }
}

/// An app that records its callbacks.
final class RecordingDelegate: HealthSyncDelegate {
    let wakes = Mutex<[Double]>([])
    let calls = Mutex<[String]>([])
    let reports = Mutex<[HealthSyncReport]>([])

    func wakeWanted(after seconds: Double) async { wakes.withLock { $0.append(seconds) } }
    func runComplete(_ report: HealthSyncReport) async { reports.withLock { $0.append(report) } }
    func fetchComplete(_ samples: [OutgoingSample], present: Set<UUID>, from store: String) async {
        calls.withLock { $0.append("fetch \(samples.count)") }
    }
    func addComplete(_ outcomes: [UUID: HealthOutcome], to store: String) async {
        calls.withLock { $0.append("add \(outcomes.count)") }
    }
    func updateComplete(_ outcomes: [UUID: HealthOutcome], in store: String) async {
        calls.withLock { $0.append("update \(outcomes.count)") }
    }
    func deleteComplete(_ outcomes: [UUID: HealthOutcome], from store: String) async {
        calls.withLock { $0.append("delete \(outcomes.count)") }
    }

    /// Waits until a wake was requested.
    func settle() async {
        while wakes.withLock({ $0.isEmpty }) { await Task.yield() }
    }
}
