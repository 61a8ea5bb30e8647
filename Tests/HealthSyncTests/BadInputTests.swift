import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import TestSupport
import Testing

/// Damaged states, anchors of other sources, and sources and stores with wrong answers: errors are named and bounded,
/// and nothing is lost.
@Suite struct BadInputTests {
    let stream = HealthStream(type: Scene.heartRate, store: "outbox")

    @Test func damagedStateIsNamedAndOtherStreamsContinue() async throws {
        var scene = await Scene(stores: ["outbox", "server"])
        try await scene.add(60)
        await scene.synchronizer.run()
        let good = try #require(await scene.world.saved[stream])
        await scene.world.overwrite(Array(good.dropLast(5)), stream)
        scene = await Scene(after: scene, stores: ["outbox", "server"])
        try await scene.add(61)
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.code) == ["health-state-damaged", nil])
        #expect(await scene.isEqual("server"))
        #expect(await !scene.isEqual("outbox"))
        #expect(await scene.synchronizer.status().rows.map(\.code) == ["health-state-damaged", nil])
        // It is not overwritten, and works again only after a reset.
        #expect(await scene.world.saved[stream] == Array(good.dropLast(5)))
        #expect(await scene.synchronizer.reset([stream]) == nil)
        await scene.synchronizer.run()
        #expect(await scene.isEqual("outbox"))
    }

    @Test func stateTruncatedAtAnyByteIsRefused() async throws {
        let bytes = try await wellUsedState()
        _ = try HealthStreamState(bytes, of: stream)
        for length in 0..<bytes.count {
            let error = #expect(throws: HealthSyncError.self) {
                try HealthStreamState(bytes.prefix(length), of: stream)
            }
            #expect(error?.code == "health-state-damaged")
        }
    }

    @Test func writtenStateIsReadUnchanged() async throws {
        let bytes = try await wellUsedState()
        let state = try HealthStreamState(bytes, of: stream)
        #expect(state.bytes(of: stream) == bytes)
        #expect(state.quarantine.count == 1)
        #expect(state.anchor != nil && state.began == 1_700_000_000)
    }

    /// Returns a state with a quarantine, settled samples and a store that fails.
    private func wellUsedState() async throws -> [UInt8] {
        let scene = await Scene(lookBackDays: 30)
        for day in 0..<5 { try await scene.add(60 + day, daysAgo: day) }
        let deferred = Set(await scene.expected().sorted().prefix(1))
        try await scene.add(90, readableFrom: 9)
        await scene.world.set { $0.deferredThings = deferred }
        await scene.synchronizer.run()
        return try #require(await scene.world.saved[stream])
    }

    @Test func mutatedStateIsRefusedWithoutACrash() async throws {
        let bytes = try await wellUsedState()
        var random = Seeded.fresh()
        var refused = 0
        for _ in 0..<2_000 {
            var mutated = bytes
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: 0..<mutated.count, using: &random)
                mutated[index] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            do {
                let state = try HealthStreamState(mutated, of: stream)
                _ = state.bytes(of: stream)
            } catch {
                refused += 1
                #expect(["health-state-damaged", "health-state-newer", "health-state-foreign"].contains(error.code))
            }
        }
        #expect(refused > 1_000)
    }

    @Test func stateOfAnotherStreamOrANewerVersionIsReported() throws {
        let bytes = HealthStreamState().bytes(of: stream)
        for other in [
            HealthStream(type: Scene.steps, store: "outbox"), HealthStream(type: Scene.heartRate, store: "server"),
        ] {
            let error = #expect(throws: HealthSyncError.self) { try HealthStreamState(bytes, of: other) }
            #expect(error?.code == "health-state-foreign")
        }
        let text = String(decoding: bytes, as: UTF8.self).replacing("\"version\":1", with: "\"version\":2")
        let error = #expect(throws: HealthSyncError.self) { try HealthStreamState(Array(text.utf8), of: stream) }
        #expect(error?.code == "health-state-newer")
    }

    @Test func unknownAnchorIsReportedAndKept() async throws {
        let scene = await Scene()
        for beats in 60..<70 { try await scene.add(beats) }
        await scene.synchronizer.run()
        let (things, anchor) = (await scene.world.things("outbox"), try await scene.anchor())
        await scene.world.rewriteJournal(Scene.heartRate)
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.code) == ["health-anchor-invalid"])
        #expect(await scene.world.things("outbox") == things)
        #expect(try await scene.anchor() == anchor)
        await scene.synchronizer.reset()
        #expect(await scene.world.saved.isEmpty)
        try await scene.add(99)
        await scene.synchronizer.run()
        #expect(await scene.isEqual())
    }

    @Test func aFullDiskLosesNothing() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        let anchor = try await scene.anchor()
        try await scene.add(60)
        await scene.world.set { $0.failsSave = true }
        #expect(await scene.synchronizer.run().rows.map(\.code) == ["health-storage-failed"])
        #expect(try await scene.anchor() == anchor)
        await scene.world.set { $0.failsSave = false }
        await scene.synchronizer.run()
        #expect(await scene.isEqual())
        #expect(try await scene.anchor() == "1")
    }

    @Test func lockedPhoneIsNotAnErrorAndHandlersAreCalled() async throws {
        let scene = await Scene()
        try await scene.add(60)
        await scene.world.set { $0.isLocked = true }
        await scene.synchronizer.wake(ObserverUpdate(types: nil, complete: scene.handlers.make()))
        let report = await scene.synchronizer.run()
        #expect(report.isLocked && !report.hasFailed && report.hasMore)
        #expect(scene.handlers.counts == [1])
        await scene.world.set { $0.isLocked = false }
        await scene.synchronizer.run()
        #expect(await scene.isEqual())
    }

    // MARK: - Steps with wrong sources and stores

    /// Runs a step to its end with the same answers each time.
    private func lead(
        _ step: HealthStreamStep, batch: SampleBatch, outcome: HealthOutcome? = .stored,
        known: [UUID: IndexedSample] = [:]
    ) throws -> (report: HealthStepReport, effects: [HealthStreamStep.Effect]) {
        var step = step
        var effects = [step.begin()]
        while effects.count < 1_000 {
            let event: HealthStreamStep.Event
            switch try #require(effects.last) {
            case .finish(let report): return (report, effects)
            case .position: event = .positioned(HealthAnchor("0".utf8))
            case .readChanges, .readHistory, .readAgain: event = .batch(batch)
            case .lookUp: event = .known(known)
            case .record, .forget, .save: event = .done
            case .fetch: event = .fetched(present: [], [:])
            case .delete(let asked):
                event = .answered(StoreAnswers(outcome.map { outcome in asked.mapValues { _ in outcome } } ?? [:]))
            case .add(let uuids), .update(let uuids):
                let answers = outcome.map { outcome in uuids.map { ($0, outcome) } } ?? []
                event = .answered(StoreAnswers(Dictionary(uniqueKeysWithValues: answers)))
            }
            let next = step.handle(event)
            effects.append(try #require(next))
        }
        Issue.record("the step has no end")
        throw CancellationError()
    }

    private func state(_ anchor: String = "0") throws -> HealthStreamState {
        let text =
            #"{"version":1,"type":"\#(stream.type)","store":"outbox","anchor":"\#(Data(anchor.utf8).base64EncodedString())","began":1}"#
        return try HealthStreamState(Array(text.utf8), of: stream)
    }

    private func step(
        _ state: HealthStreamState, _ work: HealthStreamStep.Work = .changes, samples: Int = 100, batch: Int = 10
    ) -> HealthStreamStep {
        HealthStreamStep(
            stream, state: state,
            options: .init(
                work, budget: WakeBudget(samples: samples, bytes: 1_000_000), batch: batch, now: 2, version: "1"))
    }

    private func candidates(_ count: Int, end: Double = 0) -> [SampleCandidate] {
        (0..<count).map {
            SampleCandidate(uuid: UUID(), end: end, form: .resource(target: "Observation/\($0)", bytes: 10))
        }
    }

    @Test func sourceThatRepeatsItselfIsReported() throws {
        let anchor = HealthAnchor("0".utf8)
        let batch = SampleBatch(added: candidates(3), anchor: anchor, hasMore: true)
        let (report, _) = try lead(step(try state()), batch: batch)
        #expect(report.ending == .failed(code: "health-source-repeats"))
        #expect(report.state.anchor == anchor)
        // It costs nothing from then on.
        let (again, effects) = try lead(step(report.state), batch: batch)
        #expect(again.ending == .failed(code: "health-source-repeats"))
        #expect(effects.count == 2)
        // The same in the history.
        let page = SampleBatch(added: candidates(3, end: 5), hasMore: true)
        let (first, _) = try lead(step(try state(), .history), batch: page)
        #expect(first.ending == .more)
        let (second, _) = try lead(step(first.state, .history), batch: page)
        #expect(second.ending == .failed(code: "health-source-repeats"))
    }

    @Test func sourceThatExceedsTheLimitIsRefused() throws {
        let batch = SampleBatch(added: candidates(11), anchor: HealthAnchor("9".utf8))
        let (report, effects) = try lead(step(try state()), batch: batch)
        #expect(report.ending == .failed(code: "health-source-exceeds-limit"))
        #expect(report.state.anchor == HealthAnchor("0".utf8) && effects.count == 2)
        let large = SampleBatch(anchor: HealthAnchor(Array(repeating: 1, count: HealthAnchor.longest + 1)))
        #expect(
            try lead(step(try state()), batch: large).report.ending == .failed(code: "health-source-exceeds-limit"))
    }

    @Test func emptyBatchesWithANewAnchorCountAsWork() throws {
        let batch = SampleBatch(anchor: HealthAnchor("1".utf8), hasMore: true)
        let (report, _) = try lead(step(try state()), batch: batch)
        #expect(report.ending == .more && report.samples == 1)
        // Without further samples, a new anchor without changes is not worth a write.
        let (idle, effects) = try lead(step(try state()), batch: SampleBatch(anchor: HealthAnchor("1".utf8)))
        #expect(idle.ending == .idle && effects.count == 2)
    }

    @Test func duplicateInABatchIsAddedOnceAndADeletionHasPriority() throws {
        let candidate = candidates(1)[0]
        let twice = SampleBatch(added: [candidate, candidate], anchor: HealthAnchor("1".utf8))
        #expect(try lead(step(try state()), batch: twice).report.added == 1)
        let both = SampleBatch(
            deleted: [candidate.uuid, candidate.uuid], added: [candidate], anchor: HealthAnchor("1".utf8))
        let known = [candidate.uuid: IndexedSample(target: "Observation/0", count: 1)]
        let (report, effects) = try lead(step(try state()), batch: both, known: known)
        #expect(report.added == 0 && report.deleted == 1)
        #expect(effects.contains(.delete([candidate.uuid: "Observation/0"])))
    }

    @Test func samplesWithoutAnOutcomeAreKept() throws {
        let batch = SampleBatch(added: candidates(3), anchor: HealthAnchor("1".utf8))
        let (report, _) = try lead(step(try state()), batch: batch, outcome: nil)
        #expect(report.ending == .held(code: "unanswered", retryAfter: nil))
        #expect(report.state.anchor == HealthAnchor("0".utf8))
    }

    @Test func retryAfterIsLimitedToADay() throws {
        let batch = SampleBatch(added: candidates(1), anchor: HealthAnchor("1".utf8))
        for (asked, waits) in [(1e300, 86_400.0), (-5, 0), (.nan, 0), (.infinity, 86_400), (7, 7)] {
            let outcome = HealthOutcome.deferred(code: "http-503", retryAfter: asked)
            let (report, _) = try lead(step(try state()), batch: batch, outcome: outcome)
            #expect(report.ending == .held(code: "http-503", retryAfter: waits))
        }
    }

    @Test func theQuarantineIsBoundedAndTheHistoryIsReadAgainForTheRest() throws {
        var state = try state()
        var all: [SampleCandidate] = []
        for number in 0..<150 {
            let candidates = (0..<10).map { index in
                SampleCandidate(
                    uuid: UUID(), end: Double(number * 10 + index), form: .unconvertible(reason: "unknown-unit"))
            }
            all += candidates
            let batch = SampleBatch(added: candidates, anchor: HealthAnchor("\(number + 1)".utf8))
            state = try lead(step(state), batch: batch).report.state
        }
        #expect(state.quarantine.entries.count == HealthQuarantine.limit && state.quarantine.count == 1_500)
        #expect(state.bytes(of: stream).count < 200_000)
        state = try HealthStreamState(state.bytes(of: stream), of: stream)
        // Another version: the named samples are requested, and the history begins again.
        var again = HealthStreamStep(
            stream, state: state,
            options: .init(
                .quarantine, budget: WakeBudget(samples: 100, bytes: 1_000), batch: 10, now: 3, version: "2"))
        guard case .readAgain(let uuids) = again.begin() else {
            Issue.record("nothing is asked for")
            return
        }
        #expect(uuids.count == 10)
        // The source does not have any of them.
        guard case .save(let saved)? = again.handle(.batch(SampleBatch())) else {
            Issue.record("nothing is saved")
            return
        }
        #expect(saved.quarantine.count == 990 && !saved.history.isDone && saved.history.upTo == nil)
    }

    @Test func deletionWaitsWhileTheQuarantineIsFull() throws {
        var state = try state()
        for number in 0..<100 {
            let candidates = (0..<10).map { _ in
                SampleCandidate(uuid: UUID(), end: 0, form: .unconvertible(reason: "unknown-unit"))
            }
            let batch = SampleBatch(added: candidates, anchor: HealthAnchor("\(number + 1)".utf8))
            state = try lead(step(state), batch: batch).report.state
        }
        let uuid = UUID()
        let batch = SampleBatch(deleted: [uuid], anchor: HealthAnchor("101".utf8))
        let known = [uuid: IndexedSample(target: "Observation/1", count: 1)]
        let (report, effects) = try lead(
            step(state), batch: batch, outcome: .refused(code: "http-403"), known: known)
        #expect(report.ending == .failed(code: "health-quarantine-full"))
        #expect(report.state.anchor == HealthAnchor("100".utf8))
        #expect(!effects.contains { if case .forget = $0 { true } else { false } })
    }

    /// Samples that are not named are found again by the history, also if it was complete.
    @Test func samplesBeyondTheQuarantineAreReadAgainWithANewTable() async throws {
        var scene = await Scene(lookBackDays: 1, limits: HealthSyncLimits(samples: 5_000))
        await scene.synchronizer.run()
        let seconds = Int64(1_600_000_000) - Samples.start.seconds
        for number in 0..<Int64(HealthQuarantine.limit + 20) {
            let sample = try Samples.heartRate("70", at: seconds + number)
            _ = await scene.world.add(sample, readableFrom: 2)
        }
        await scene.synchronizer.run()
        #expect(await scene.synchronizer.status().rows.map(\.quarantined) == [HealthQuarantine.limit + 20])
        await scene.world.set { $0.table = 2 }
        scene = await Scene(
            after: scene, version: "2", lookBackDays: 1, limits: HealthSyncLimits(samples: 5_000))
        await scene.synchronizer.run()
        #expect(await scene.isEqual())
        #expect(await scene.synchronizer.status().rows.map(\.quarantined) == [0])
    }

    @Test func permanentlyRefusedDeletionIsQuarantinedAndRetried() async throws {
        var scene = await Scene()
        let uuid = try await scene.add(60)
        await scene.synchronizer.run()
        let things = await scene.world.things("outbox")
        await scene.world.set { $0.refused = things }
        await scene.world.delete(uuid)
        await scene.synchronizer.run()
        #expect(await scene.synchronizer.status().quarantine.map(\.entry.isDeletion) == [true])
        await scene.world.set { $0.refused = [] }
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox") == things)
        scene = await Scene(after: scene, version: "2")
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox") == [])
        #expect(await scene.synchronizer.status().quarantine == [])
    }

    @Test func nonFiniteEndIsTheEarliest() {
        for end in [Double.nan, .infinity, -.infinity] {
            #expect(SampleCandidate(uuid: UUID(), end: end, form: .unwanted).end == -.greatestFiniteMagnitude)
        }
    }
}
