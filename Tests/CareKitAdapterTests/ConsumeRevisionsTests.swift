import CareKitStore
import Foundation
import Testing

@testable import CareKitAdapter

/// The scenarios of TestStore+ConsumeRevisions.
@Suite("Revisions that the stand-in takes") struct ConsumeRevisionsTests {
    private let store = OCKStore.alone()

    private func take(_ entity: OCKEntity) { store.mergeRevision(Make.record(entity, vector: Vector())) }

    @Test("a new task is added")
    func newTask() async throws {
        take(.task(Make.sent(Make.task())))
        #expect(try await store.tasks.map(\.id) == ["a"])
    }

    @Test("a version that follows the latest one of a task is the current one")
    func updatedTask() async throws {
        let first = try await store.addTask(Make.task(title: "A"))
        let second = Make.sent(Make.task(title: "B"), after: [first.uuid])
        take(.task(second))
        let found = try await store.fetchTasks(query: OCKTaskQuery(for: second.effectiveDate))
        #expect(found.map(\.title) == ["B"])
    }

    @Test("a task keeps the date of its creation")
    func createdDateOfTask() async throws {
        let task = Make.sent(Make.task())
        take(.task(task))
        #expect(try await store.tasks.map(\.createdDate) == [task.createdDate])
    }

    private func outcome(after previous: [UUID] = [], isDeleted: Bool = false) async throws -> OCKOutcome {
        let task = try await store.tasks.first
        let uuid = try await task == nil ? store.addTask(Make.task()).uuid : try #require(task).uuid
        var outcome = Make.sent(OCKOutcome(taskUUID: uuid, taskOccurrenceIndex: 0, values: []), after: previous, at: 9)
        if isDeleted { outcome.deletedDate = outcome.createdDate }
        return outcome
    }

    private var outcomes: [OCKOutcome] {
        get async throws { try await store.fetchOutcomes(query: OCKOutcomeQuery()) }
    }

    @Test("a new outcome is added, with its id and the date of its creation")
    func newOutcome() async throws {
        let outcome = try await outcome()
        take(.outcome(outcome))
        #expect(try await outcomes.map(\.id) == [outcome.id])
        #expect(try await outcomes.map(\.createdDate) == [outcome.createdDate])
    }

    @Test("a tombstone removes an outcome")
    func removedOutcome() async throws {
        let task = try await store.addTask(Make.task())
        let original = try await store.addOutcome(
            OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 0, values: []))
        take(.outcome(try await outcome(after: [original.uuid], isDeleted: true)))
        #expect(try await outcomes.isEmpty)
    }

    @Test("a tombstone of an unknown outcome is taken, with its uuid and its dates")
    func unknownTombstone() async throws {
        let tombstone = try await outcome(isDeleted: true)
        take(.outcome(tombstone))
        #expect(try await outcomes.isEmpty)
        let stored = try #require(
            store.allEntities.compactMap { entity in
                if case .outcome(let outcome) = entity { outcome } else { nil }
            }.first)
        #expect(stored.uuid == tombstone.uuid)
        #expect(stored.createdDate == tombstone.createdDate)
        #expect(stored.deletedDate == tombstone.deletedDate)
        #expect(store.context.traps.isEmpty)
    }

    @Test("a new patient is added, a later version replaces it, and the date of creation is kept")
    func patients() async throws {
        let first = Make.sent(OCKPatient(id: "id1", givenName: "Amy", familyName: "Frost"))
        take(.patient(first))
        #expect(try await store.fetchPatients(query: OCKPatientQuery()).map(\.createdDate) == [first.createdDate])
        let second = Make.sent(
            OCKPatient(id: "id1", givenName: "Amy", familyName: "Frosty"), after: [first.uuid], at: 10)
        take(.patient(second))
        let found = try await store.fetchPatients(query: OCKPatientQuery(for: second.effectiveDate))
        #expect(found.map(\.name.familyName) == ["Frosty"])
    }

    @Test("a new plan is added, a later version replaces it, and the date of creation is kept")
    func plans() async throws {
        let first = Make.sent(OCKCarePlan(id: "plan", title: "Type I", patientUUID: nil))
        take(.carePlan(first))
        #expect(try await store.fetchCarePlans(query: OCKCarePlanQuery()).map(\.createdDate) == [first.createdDate])
        let second = Make.sent(
            OCKCarePlan(id: "plan", title: "Type II", patientUUID: nil), after: [first.uuid], at: 10)
        take(.carePlan(second))
        let found = try await store.fetchCarePlans(query: OCKCarePlanQuery(for: second.effectiveDate))
        #expect(found.map(\.title) == ["Type II"])
    }

    @Test("a new contact is added, a later version replaces it, and the date of creation is kept")
    func contacts() async throws {
        let first = Make.sent(OCKContact(id: "c", givenName: "Amy", familyName: "Frost", carePlanUUID: nil))
        take(.contact(first))
        #expect(try await store.fetchContacts(query: OCKContactQuery()).map(\.createdDate) == [first.createdDate])
        let second = Make.sent(
            OCKContact(id: "c", givenName: "Amy", familyName: "Frosty", carePlanUUID: nil), after: [first.uuid], at: 10)
        take(.contact(second))
        let found = try await store.fetchContacts(query: OCKContactQuery(for: second.effectiveDate))
        #expect(found.map(\.name.familyName) == ["Frosty"])
    }
}
