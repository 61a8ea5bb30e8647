import CareKitStore
import CarePlans
import CareTestSupport
import Foundation
import Testing

@testable import CareKitAdapter

/// The scenario of TestStore+Sync, by the adapter, and that of TestWatchConnectivityPeer.
@Suite("Two stores of CareKit synchronise") struct SyncScenarioTests {
    @Test("with the server: the vectors and the versions after each sync are CareKit's")
    func withTheServer() async throws {
        let log = ModelLog(random: SimulationRandom(seed: 1))
        let (a, b) = (connected(log.server(session: "A")).store, connected(log.server(session: "B")).store)
        let (processA, processB) = (a.process, b.process)
        #expect(a.knowledge == Vector([processA: 1]))
        #expect(b.knowledge == Vector([processB: 1]))

        // 1. The first version of a task.
        try await a.addTask(Make.task(title: "A"))
        try await a.synchronize()
        try await b.synchronize()
        #expect(a.knowledge == Vector([processA: 3]))
        #expect(b.knowledge == Vector([processA: 2, processB: 3]))
        #expect(log.knowledge == KnowledgeVector([processA: 2, processB: 2]))
        #expect(log.count == 1)
        #expect(try await a.tasks.count == 1)
        #expect(try await b.tasks.count == 1)

        // 2. Both change it. The second phone resolves the conflict.
        try await a.updateTask(Make.task(title: "A2", start: Make.day.addingTimeInterval(86_400)))
        try await b.updateTask(Make.task(title: "B2", start: Make.day.addingTimeInterval(86_400)))
        try await a.synchronize()
        try await b.synchronize()
        #expect(a.knowledge == Vector([processA: 5, processB: 2]))
        #expect(b.knowledge == Vector([processA: 4, processB: 5]))
        #expect(log.knowledge == KnowledgeVector([processA: 4, processB: 4]))
        #expect(log.count == 4)
        #expect(try await a.tasks.count == 2)
        #expect(try await b.tasks.count == 4)

        // 3. The first phone gets the resolution, and nothing else changes.
        try await a.synchronize()
        try await b.synchronize()
        #expect(a.knowledge == Vector([processA: 7, processB: 4]))
        #expect(b.knowledge == Vector([processA: 6, processB: 7]))
        #expect(log.count == 4)
        #expect(try await a.tasks.count == 4)
        #expect(try await b.tasks.count == 4)
    }

    @Test("without a server: two peers have the same versions and CareKit's vectors")
    func peers() async throws {
        let (peerA, peerB) = (Peer(), Peer())
        let a = OCKStore(name: "peer A", type: .inMemory, remote: peerA)
        let b = OCKStore(name: "peer B", type: .inMemory, remote: peerB)
        (peerA.other, peerB.other) = (b, a)
        let (processA, processB) = (a.process, b.process)
        try await a.addTask(Make.task(title: "A1"))
        try await b.synchronize()
        #expect(a.knowledge == Vector([processA: 3, processB: 2]))
        #expect(b.knowledge == Vector([processA: 1, processB: 3]))
        try await a.updateTask(Make.task(title: "A2", start: Make.day.addingTimeInterval(86_400)))
        try await b.updateTask(Make.task(title: "B2", start: Make.day.addingTimeInterval(86_400)))
        try await a.synchronize()
        #expect(a.knowledge == Vector([processA: 5, processB: 3]))
        #expect(b.knowledge == Vector([processA: 4, processB: 5]))
        #expect(try await a.tasks.count == 4)
        #expect(try await b.tasks.count == 4)
    }

    /// The store of another device in the same process, as a remote.
    private final class Peer: OCKRemoteSynchronizable, @unchecked Sendable {
        weak var delegate: (any OCKRemoteSynchronizationDelegate)?
        weak var other: OCKStore?
        let automaticallySynchronizes = false

        func pullRevisions(
            since knowledgeVector: Vector, mergeRevision: @escaping (OCKRevisionRecord) -> Void,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) {
            guard let other else { return completion(nil) }
            other.computeRevisions(since: knowledgeVector).forEach(mergeRevision)
            mergeRevision(OCKRevisionRecord(entities: [], knowledgeVector: other.knowledge))
            other.context.knowledgeVector.increment(clockFor: other.process)
            completion(nil)
        }

        func pushRevisions(
            deviceRevisions: [OCKRevisionRecord], deviceKnowledge: Vector,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) {
            guard let other else { return completion(nil) }
            deviceRevisions.forEach(other.mergeRevision)
            other.mergeRevision(OCKRevisionRecord(entities: [], knowledgeVector: deviceKnowledge))
            other.context.knowledgeVector.increment(clockFor: other.process)
            other.resolveConflicts(completion: completion)
        }

        func chooseConflictResolution(conflicts: [OCKEntity], completion: @escaping OCKResultClosure<OCKEntity>) {
            completion(.success(conflicts[0]))
        }
    }
}
