import CareKitStore
import Foundation
import Testing

@testable import CareKitAdapter

/// The scenarios of TestStore+CRDT and TestStore+ResolveConflicts.
@Suite("Merging revisions into the stand-in") struct MergeScenarioTests {
    private func chain(_ count: Int) -> [OCKRevisionRecord] {
        let uuids = (0..<count).map { _ in UUID() }
        return uuids.indices.map { index in
            var patient = Make.sent(
                OCKPatient(id: "a", givenName: "Version", familyName: "\(index)"),
                after: index > 0 ? [uuids[index - 1]] : [], at: Double(index))
            patient.uuid = uuids[index]
            patient.nextVersionUUIDs = index < count - 1 ? [uuids[index + 1]] : []
            return Make.record(.patient(patient))
        }
    }

    @Test("a revision that is merged ten times is one version")
    func mergeIsIdempotent() async throws {
        let store = OCKStore.alone()
        let revision = chain(1)[0]
        for _ in 1...10 { store.mergeRevision(revision) }
        #expect(try await store.fetchPatients(query: OCKPatientQuery()).count == 1)
    }

    @Test("versions that are merged in any order have the same links")
    func mergeIsCommutative() async throws {
        for _ in 1...20 {
            let store = OCKStore.alone()
            for revision in chain(10).shuffled() { store.mergeRevision(revision) }
            let patients = try await store.fetchPatients(query: OCKPatientQuery())
            #expect(patients.map(\.previousVersionUUIDs.isEmpty) == Array(repeating: false, count: 9) + [true])
        }
    }

    @Test("versions that are merged one by one or in groups are the same")
    func mergeIsAssociative() async throws {
        let revisions = chain(10)
        let (single, grouped) = (OCKStore.alone(), OCKStore.alone())
        for revision in revisions { single.mergeRevision(revision) }
        for group in [revisions[0...5], revisions[6...9]] {
            var vector = Vector()
            for revision in group { vector.merge(with: revision.knowledgeVector) }
            grouped.mergeRevision(
                OCKRevisionRecord(entities: group.flatMap(\.entities), knowledgeVector: vector))
        }
        let one = try await single.fetchPatients(query: OCKPatientQuery())
        let other = try await grouped.fetchPatients(query: OCKPatientQuery())
        #expect(one.map(\.name) == other.map(\.name))
        #expect(one.map(\.previousVersionUUIDs) == other.map(\.previousVersionUUIDs))
        #expect(one.map(\.nextVersionUUIDs) == other.map(\.nextVersionUUIDs))
    }

    private func store(calls: Calls) -> (store: OCKStore, remote: CareKitSynchronizer) {
        let options = CareKitSyncOptions(automaticallySynchronizes: false) { conflicts in
            await calls.add(conflicts.count)
            return conflicts[0]
        }
        let remote = CareKitSynchronizer(server: ScriptedServer(), options: options)
        return (OCKStore(name: UUID().uuidString, type: .inMemory, remote: remote), remote)
    }

    private actor Calls {
        var counts: [Int] = []
        func add(_ count: Int) { counts.append(count) }
    }

    @Test("the app chooses once for each id with a conflict")
    func oneChoiceForEachID() async throws {
        let calls = Calls()
        let (store, _) = store(calls: calls)
        try await store.addPatients(["A", "B"].map { OCKPatient(id: $0, givenName: "a", familyName: "a") })
        store.mergeRevision(
            Make.record(
                .patient(OCKPatient(id: "A", givenName: "A", familyName: "A")),
                .patient(OCKPatient(id: "B", givenName: "B", familyName: "B"))))
        try await store.resolveConflicts()
        #expect(await calls.counts == [2, 2])
    }

    @Test("ten versions that do not follow each other are one choice")
    func oneChoiceOfTen() async throws {
        let calls = Calls()
        let (store, _) = store(calls: calls)
        try await store.addPatient(OCKPatient(id: "A", givenName: "a", familyName: "a"))
        let others = (1...9).map { OCKEntity.patient(OCKPatient(id: "A", givenName: "\($0)", familyName: "")) }
        store.mergeRevision(OCKRevisionRecord(entities: others, knowledgeVector: Vector([UUID(): 1])))
        try await store.resolveConflicts()
        #expect(await calls.counts == [10])
    }
}
