import CareKitStore
import CarePlans
import CareStores
import CareTestSupport
import Foundation
import Testing

@testable import CareKitAdapter

@Suite("CareKitSynchronizer") struct SynchronizerTests {
    private let other = UUID()

    private func liveOutcomes(_ store: OCKStore) async throws -> [OCKOutcome] {
        try await store.fetchOutcomes(query: OCKOutcomeQuery()).filter(\.nextVersionUUIDs.isEmpty)
    }

    /// A store with a task and an outcome that the server knows.
    private func storeWithOutcome(_ server: ScriptedServer, delegate: (any OCKRemoteSynchronizationDelegate)? = nil)
        async throws -> (store: OCKStore, remote: CareKitSynchronizer, outcome: OCKOutcome)
    {
        let (store, remote) = connected(server, delegate: delegate)
        let task = try await store.addTask(Make.task())
        let outcome = try await store.addOutcome(
            OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 0, values: []))
        try await store.synchronize()
        return (store, remote, outcome)
    }

    private func winner(of outcome: OCKOutcome, naming previous: [UUID], deleted: Bool = false) -> OCKOutcome {
        var winner = Make.sent(
            OCKOutcome(taskUUID: outcome.taskUUID, taskOccurrenceIndex: 0, values: [OCKOutcomeValue(5)]),
            after: previous, at: 50)
        if deleted { winner.deletedDate = winner.updatedDate }
        return winner
    }

    @Test("a winner follows the live outcome of the store, so that CareKit saves it")
    func winnerFollowsLiveOutcome() async throws {
        let server = ScriptedServer()
        let (store, _, outcome) = try await storeWithOutcome(server)
        let winner = winner(of: outcome, naming: [outcome.uuid, UUID()])
        server.set(
            CareAnswer(
                revisions: [try Make.revision([.outcome(winner)], KnowledgeVector([other: 2]))],
                knowledgeVector: KnowledgeVector([other: 2, store.process: 2]), next: nil))
        try await store.synchronize()
        let live = try await liveOutcomes(store)
        #expect(live.map(\.uuid) == [winner.uuid])
        #expect(live.first?.previousVersionUUIDs == [outcome.uuid])
        #expect(store.knowledge.clock(for: other) == 2)
    }

    @Test("a tombstone of another outcome removes the live outcome of the event")
    func tombstoneRemoves() async throws {
        let server = ScriptedServer()
        let (store, _, outcome) = try await storeWithOutcome(server)
        let tombstone = winner(of: outcome, naming: [outcome.uuid], deleted: true)
        server.set(
            CareAnswer(
                revisions: [try Make.revision([.outcome(tombstone)], KnowledgeVector([other: 2]))],
                knowledgeVector: KnowledgeVector([other: 2, store.process: 2]), next: nil))
        try await store.synchronize()
        #expect(try await liveOutcomes(store).isEmpty)
    }

    @Test("a store with a live outcome that the server does not know pushes first, and another sync is requested")
    func pushFirst() async throws {
        let server = ScriptedServer()
        let delegate = WatchingDelegate()
        let (store, _, outcome) = try await storeWithOutcome(server, delegate: delegate)
        let winner = winner(of: outcome, naming: [])
        let vector = KnowledgeVector([other: 2, store.process: 1])
        server.set(
            CareAnswer(
                revisions: [try Make.revision([.outcome(winner)], KnowledgeVector([other: 2]))],
                knowledgeVector: vector, next: nil))
        let before = server.pushes.count
        try await store.synchronize()
        // 1. Nothing was handed over, and the store does not claim to know the server's news.
        #expect(try await liveOutcomes(store).map(\.uuid) == [outcome.uuid])
        #expect(store.knowledge.clock(for: other) == 0)
        // 2. The store pushed what it has changed since the smaller of both vectors.
        #expect(server.pushes.count == before + 1)
        await delegate.request()
        // 3. The server names the outcome now.
        server.set(
            CareAnswer(
                revisions: [
                    try Make.revision(
                        [.outcome(self.winner(of: outcome, naming: [outcome.uuid]))], KnowledgeVector([other: 3]))
                ], knowledgeVector: KnowledgeVector([other: 3, store.process: 4]), next: nil))
        try await store.synchronize()
        #expect(try await liveOutcomes(store).count == 1)
        #expect(store.knowledge.clock(for: other) == 3)
    }

    @Test("further syncs are requested a limited number of times, and not after a failing push")
    func requestsAreBounded() async throws {
        let server = ScriptedServer()
        let delegate = WatchingDelegate()
        let (store, _, outcome) = try await storeWithOutcome(server, delegate: delegate)
        server.set(
            CareAnswer(
                revisions: [
                    try Make.revision([.outcome(winner(of: outcome, naming: []))], KnowledgeVector([other: 2]))
                ], knowledgeVector: KnowledgeVector([other: 2]), next: nil))
        server.state.withLock { $0.pushFailure = CareServerError("connection-failed") }
        try await store.synchronize()
        #expect(delegate.state.withLock { $0.requests } == 0)
        server.state.withLock { $0.pushFailure = nil }
        for _ in 1...10 { try await store.synchronize() }
        #expect(delegate.state.withLock { $0.requests } <= CareKitSynchronizer.maximumRequests)
    }

    @Test("all pages are read before the store gets one of them")
    func pages() async throws {
        let server = ScriptedServer()
        let (store, _) = connected(server)
        let answers = try (0..<3).map { number in
            CareAnswer(
                revisions: [try Make.revision([.task(Make.task("t\(number)"))], KnowledgeVector([other: number + 1]))],
                knowledgeVector: KnowledgeVector([other: 3]), next: nil)
        }
        server.state.withLock { ($0.pages, $0.failsAtPage) = (answers, 2) }
        await #expect(throws: CareServerError.self) { try await store.synchronize() }
        #expect(try await store.tasks.isEmpty)
        #expect(store.knowledge.clock(for: other) == 0)
        server.state.withLock { $0.failsAtPage = nil }
        try await store.synchronize()
        #expect(try await store.tasks.count == 3)
    }

    @Test("a version that CareKit cannot read fails each pull with its type and id, and nothing is handed over")
    func unreadableVersion() async throws {
        let server = ScriptedServer()
        let (store, _) = connected(server)
        let good = try CareEntity(OCKEntity.task(Make.task("good")))
        var object = try CareEntity(OCKEntity.task(Make.task("bad"))).object
        object["schedule"]?["elements"]?.withElements { $0[0]["interval"] = ["day": 1, "isLeapMonth": "x"] }
        // The server refuses a push of such a version; the log of a former server can have one.
        let bad = try CareEntity(kind: .task, object: object)
        func answer(_ entities: [CareEntity]) -> CareAnswer {
            CareAnswer(
                revisions: [CareRevision(entities, knowledgeVector: KnowledgeVector([other: 1]))],
                knowledgeVector: KnowledgeVector([other: 1]), next: nil)
        }
        for _ in 1...2 {
            server.set(answer([good, bad]))
            let error = await #expect(throws: CareKitSyncError.self) { try await store.synchronize() }
            #expect(error?.code == "entity-unreadable")
            #expect(error?.version == bad.uuid && error?.kind == .task && error?.id == "bad")
            #expect(error?.message.contains("(task bad \(bad.uuid.uuidString))") == true)
            #expect(try await store.tasks.isEmpty)
            // The store takes nothing as known, so that it gets all versions when it can read them.
            #expect(store.knowledge.clock(for: other) == 0)
        }
        server.set(answer([good]))
        try await store.synchronize()
        #expect(try await store.tasks.map(\.id) == ["good"])
    }

    @Test("concurrent syncs follow each other")
    func oneSyncAtATime() async throws {
        let server = ScriptedServer()
        let (store, _) = connected(server)
        try await store.addTask(Make.task())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await store.synchronize() } }
            try await group.waitForAll()
        }
        #expect(server.state.withLock { $0.maximumRunning } == 1)
        #expect(server.pulls.count == 8)
    }

    @Test("too many waiting syncs fail with a stable code")
    func tooManySyncs() async throws {
        let server = ScriptedServer()
        let (store, _) = connected(server)
        let codes = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    do {
                        try await store.synchronize()
                        return nil
                    } catch {
                        return (error as? CareKitSyncError)?.code ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: [String]()) { if let code = $1 { $0.append(code) } }
        }
        #expect(codes.allSatisfy { $0 == "sync-in-progress" })
        try await store.synchronize()
    }

    @Test("a sync whose save fails does not block the next one")
    func failingSave() async throws {
        let server = ScriptedServer()
        let (store, _) = connected(server)
        let element = OCKScheduleElement(start: Make.day, end: nil, interval: DateComponents())
        let bad = OCKTask(
            id: "bad", title: nil, carePlanUUID: nil, schedule: OCKSchedule(composing: [element]))
        server.set(
            CareAnswer(
                revisions: [try Make.revision([.task(bad)], KnowledgeVector([other: 1]))],
                knowledgeVector: KnowledgeVector([other: 1]), next: nil))
        await #expect(throws: OCKStoreError.self) { try await store.synchronize() }
        server.set(CareAnswer(revisions: [], knowledgeVector: KnowledgeVector(), next: nil))
        try await store.synchronize()
        try await store.synchronize()
        #expect(server.pushes.count == 2)
    }

    @Test("without a choice of the app, a tombstone wins, then the newest version, then the greater uuid")
    func resolution() async throws {
        let (_, remote) = connected(ScriptedServer())
        var versions = (0..<3).map {
            Make.sent(OCKPatient(id: "a", givenName: "\($0)", familyName: ""), at: Double($0))
        }
        func choice(_ versions: [OCKPatient]) async throws -> OCKEntity {
            try await withCheckedThrowingContinuation { continuation in
                remote.chooseConflictResolution(conflicts: versions.map { .patient($0) }) {
                    continuation.resume(with: $0)
                }
            }
        }
        #expect(try await choice(versions) == .patient(versions[2]))
        versions[0].deletedDate = Make.day
        #expect(try await choice(versions) == .patient(versions[0]))
        let sameTime = (0..<5).map { _ in Make.sent(OCKPatient(id: "a", givenName: "x", familyName: "")) }
        let greatest = sameTime.max { $0.uuid.uuidString < $1.uuid.uuidString }
        #expect(try await choice(sameTime).value.uuid == greatest?.uuid)
    }

    @Test("a chosen outcome has the latest effective date of all")
    func effectiveDateOfChoice() async throws {
        let (_, remote) = connected(ScriptedServer())
        var older = Make.sent(OCKOutcome(taskUUID: UUID(), taskOccurrenceIndex: 0, values: []), at: 1)
        var newer = older
        newer.uuid = UUID()
        newer.updatedDate = older.updatedDate?.addingTimeInterval(5)
        older.effectiveDate = older.effectiveDate.addingTimeInterval(100)
        let conflicts = [OCKEntity.outcome(older), .outcome(newer)]
        let choice = try await withCheckedThrowingContinuation { continuation in
            remote.chooseConflictResolution(conflicts: conflicts) { continuation.resume(with: $0) }
        }
        #expect(choice.value.uuid == newer.uuid)
        #expect(choice.value.effectiveDate == older.effectiveDate)
    }

    @Test("an error of the app's choice does not end the sync: the versions are pushed")
    func failingChoice() async throws {
        let server = ScriptedServer()
        let remote = CareKitSynchronizer(
            server: server,
            options: CareKitSyncOptions(automaticallySynchronizes: false) { _ in throw CareServerError("no") })
        let store = OCKStore(name: "choice", type: .inMemory, remote: remote)
        try await store.addTask(Make.task())
        server.set(
            CareAnswer(
                revisions: [try Make.revision([.task(Make.sent(Make.task()))], KnowledgeVector([other: 1]))],
                knowledgeVector: KnowledgeVector([other: 1, store.process: 0]), next: nil))
        try await store.synchronize()
        try await store.synchronize()
        #expect(server.pushes.count == 2)
        #expect(try await store.tasks.filter(\.nextVersionUUIDs.isEmpty).count == 2)
    }

    @Test("progress goes from 0 to 1")
    func progress() async throws {
        let server = ScriptedServer()
        let delegate = WatchingDelegate()
        let (store, _) = connected(server, delegate: delegate)
        let page = CareAnswer(revisions: [], knowledgeVector: KnowledgeVector([other: 1]), next: nil)
        server.set(page, page, page)
        try await store.addTask(Make.task())
        try await store.synchronize()
        let progress = delegate.state.withLock { $0.progress }
        #expect(progress.first == 0)
        #expect(progress.last == 1)
        #expect(progress == progress.sorted())
        #expect(progress.count == 5)
    }

    @Test("without a store, a pull fails with a stable code")
    func noStore() async throws {
        let remote = CareKitSynchronizer(server: ScriptedServer())
        remote.delegate = WatchingDelegate()
        let error = await withCheckedContinuation { continuation in
            remote.pullRevisions(since: Vector(), mergeRevision: { _ in }) { continuation.resume(returning: $0) }
        }
        #expect((error as? CareKitSyncError)?.code == "store-missing")
    }

    @Test("a store that synchronises automatically sends each change")
    func automaticSync() async throws {
        let log = ModelLog(random: SimulationRandom(seed: 3))
        let remote = CareKitSynchronizer(server: log.server(session: "A"))
        let store = OCKStore(name: "automatic", type: .inMemory, remote: remote)
        #expect(remote.automaticallySynchronizes)
        for number in 0..<5 { try await store.addTask(Make.task("t\(number)")) }
        try await store.synchronize()
        #expect(log.count == 5)
    }
}
