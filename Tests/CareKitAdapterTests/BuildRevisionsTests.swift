import CareKitStore
import Foundation
import HealthKit
import Testing

@testable import CareKitAdapter

/// The scenarios of TestStore+BuildRevisions.
@Suite("Revisions that the stand-in builds") struct BuildRevisionsTests {
    private func patient(_ id: String) -> OCKEntity { .patient(OCKPatient(id: id, givenName: id, familyName: id)) }

    /// The only revision of a store, and its entities.
    private func entities(_ store: OCKStore, since vector: Vector = Vector()) throws -> [OCKEntity] {
        let revisions = store.computeRevisions(since: vector)
        try #require(revisions.count == 1)
        return revisions[0].entities
    }

    @Test("an empty store has no revision")
    func emptyStore() {
        let store = OCKStore.alone()
        #expect(store.computeRevisions(since: store.knowledge).isEmpty)
    }

    @Test("the empty vector gets all versions")
    func allForTheEmptyVector() {
        let store = OCKStore.alone()
        store.mergeRevision(Make.record(patient("A"), vector: Vector([UUID(): 5])))
        store.mergeRevision(Make.record(patient("B"), vector: Vector([UUID(): 3])))
        #expect(store.computeRevisions(since: Vector()).flatMap(\.entities).count == 2)
    }

    @Test("known versions are not returned")
    func knownVersions() throws {
        let store = OCKStore.alone()
        let (first, second) = (UUID(), UUID())
        store.mergeRevision(Make.record(patient("A"), vector: Vector([first: 5])))
        let plan = OCKCarePlan(id: "B", title: "b", patientUUID: nil)
        store.mergeRevision(Make.record(.carePlan(plan), vector: Vector([second: 3])))
        let contact = OCKContact(id: "C", givenName: "c", familyName: "c", carePlanUUID: nil)
        store.mergeRevision(Make.record(.contact(contact), vector: Vector([second: 3])))
        let found = try entities(store, since: Vector([first: 1, second: 3]))
        #expect(found.map(\.entityType) == [.patient])
    }

    @Test("versions are grouped by their vector")
    func groups() {
        let store = OCKStore.alone()
        let (first, second) = (UUID(), UUID())
        store.mergeRevision(Make.record(patient("A"), vector: Vector([first: 5])))
        store.mergeRevision(Make.record(patient("B"), vector: Vector([second: 3])))
        store.mergeRevision(Make.record(patient("C"), vector: Vector([second: 3])))
        #expect(store.computeRevisions(since: Vector([first: 4])).count == 2)
    }

    @Test("a new task is in a revision")
    func newTask() async throws {
        let store = OCKStore.alone()
        try await store.addTask(Make.task())
        #expect(try entities(store).map(\.entityType) == [.task])
    }

    @Test("an updated task is in a revision with both versions")
    func updatedTask() async throws {
        let store = OCKStore.alone()
        try await store.addTask(Make.task())
        try await store.updateTask(Make.task(title: "Updated"))
        #expect(try entities(store).map(\.entityType) == [.task, .task])
    }

    @Test("the deletion of a task after a sync is the tombstone alone")
    func deletedTask() async throws {
        let store = OCKStore.alone()
        try await store.addTask(Make.task())
        try await store.updateTask(Make.task(title: "A2"))
        store.context.knowledgeVector.increment(clockFor: store.process)
        try await store.deleteTasks([Make.task(title: "A2")])
        let found = try entities(store, since: Vector([store.process: 1]))
        #expect(found.count == 1)
        #expect(found[0].value.deletedDate != nil)
    }

    @Test("a new outcome is in a revision after its task")
    func newOutcome() async throws {
        let store = OCKStore.alone()
        let task = try await store.addTask(Make.task())
        try await store.addOutcome(OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 0, values: []))
        #expect(try entities(store).map(\.entityType) == [.task, .outcome])
    }

    @Test("a removed outcome is in a revision with its tombstone")
    func removedOutcome() async throws {
        let store = OCKStore.alone()
        let task = try await store.addTask(Make.task())
        let outcome = OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 0, values: [])
        try await store.addOutcome(outcome)
        try await store.deleteOutcome(outcome)
        #expect(try entities(store).map(\.entityType) == [.task, .outcome, .outcome])
    }

    @Test("a new, an updated and a deleted patient are in revisions")
    func patients() async throws {
        let store = OCKStore.alone()
        let patient = OCKPatient(id: "id1", givenName: "Amy", familyName: "Frost")
        try await store.addPatient(patient)
        #expect(try entities(store).map(\.entityType) == [.patient])
        try await store.updatePatient(patient)
        #expect(try entities(store).count == 2)
        try await store.deletePatients([patient])
        #expect(try entities(store).first?.value.deletedDate != nil)
    }

    @Test("a new, an updated and a deleted plan are in revisions")
    func plans() async throws {
        let store = OCKStore.alone()
        let plan = OCKCarePlan(id: "plan", title: "Plan", patientUUID: nil)
        try await store.addCarePlan(plan)
        #expect(try entities(store).map(\.entityType) == [.carePlan])
        try await store.updateCarePlan(plan)
        #expect(try entities(store).count == 2)
        try await store.deleteCarePlans([plan])
        #expect(try entities(store).first?.value.deletedDate != nil)
    }

    @Test("a new, an updated and a deleted contact are in revisions")
    func contacts() async throws {
        let store = OCKStore.alone()
        let contact = OCKContact(id: "contact", givenName: "Amy", familyName: "Frost", carePlanUUID: nil)
        try await store.addContact(contact)
        #expect(try entities(store).map(\.entityType) == [.contact])
        try await store.updateContact(contact)
        #expect(try entities(store).count == 2)
        try await store.deleteContacts([contact])
        #expect(try entities(store).first?.value.deletedDate != nil)
    }
}
