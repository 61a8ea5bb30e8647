import CareKitStore
import CarePlans
import Foundation
import HealthKit
import Testing

@testable import CareKitAdapter

/// The checks, the traps and the faults of CareKit's store that the stand-in has. They say nothing about Apple's own store.
@Suite("The stand-in for CareKit's store") struct StandInTests {
    private let store = OCKStore.alone()

    private func outcome(_ task: UUID, _ index: Int = 0) -> OCKOutcome {
        OCKOutcome(taskUUID: task, taskOccurrenceIndex: index, values: [])
    }

    @Test("an id that was ever used is not added again")
    func usedID() async throws {
        let task = try await store.addTask(Make.task())
        let first = try await store.addOutcome(outcome(task.uuid))
        try await store.deleteOutcome(first)
        var again = outcome(task.uuid)
        again.id = first.id
        await #expect(throws: OCKStoreError.self) { try await store.addOutcome(again) }
        try await store.addOutcome(outcome(task.uuid))
        await #expect(throws: OCKStoreError.self) { try await store.addTask(Make.task()) }
    }

    @Test("an update after a deletion is refused")
    func updateAfterDeletion() async throws {
        try await store.addTask(Make.task())
        try await store.deleteTasks([Make.task()])
        await #expect(throws: OCKStoreError.self) { try await store.updateTask(Make.task()) }
    }

    @Test("a second live outcome of an event is refused, and a save with it is rolled back")
    func duplicateOutcome() async throws {
        let task = try await store.addTask(Make.task())
        try await store.addOutcome(outcome(task.uuid))
        await #expect(throws: OCKStoreError.self) { try await store.addOutcome(outcome(task.uuid)) }
        let server = ScriptedServer()
        let (synced, _) = connected(server)
        let own = try await synced.addTask(Make.task())
        synced.mergeRevision(Make.record(.outcome(Make.sent(outcome(own.uuid)))))
        synced.mergeRevision(Make.record(.outcome(Make.sent(outcome(own.uuid)))))
        await #expect(throws: OCKStoreError.self) { try await synced.synchronize() }
        #expect(try await synced.fetchOutcomes(query: OCKOutcomeQuery()).isEmpty)
    }

    @Test("an outcome without its task, without its event, with a negative index or of a HealthKit task is a trap")
    func traps() async throws {
        let end = Make.day.addingTimeInterval(2 * 86_400)
        let element = OCKScheduleElement(start: Make.day, end: end, interval: DateComponents(day: 1))
        let short = OCKSchedule(composing: [element])
        let task = try await store.addTask(
            OCKTask(id: "short", title: nil, carePlanUUID: nil, schedule: short))
        let healthKitTask = try await store.addHealthKitTasks([
            OCKHealthKitTask(
                id: "h", title: nil, carePlanUUID: nil, schedule: short,
                healthKitLinkage: OCKHealthKitLinkage(
                    quantityIdentifier: HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierStepCount"),
                    quantityType: .cumulative, unit: HKUnit(from: "count")))
        ])[0]
        for (number, bad) in [
            outcome(UUID()), outcome(task.uuid, 2), outcome(task.uuid, -1), outcome(healthKitTask.uuid),
        ].enumerated() {
            store.mergeRevision(Make.record(.outcome(Make.sent(bad))))
            #expect(store.context.traps.count == number + 1)
        }
        store.mergeRevision(Make.record(.outcome(Make.sent(outcome(task.uuid, 1)))))
        #expect(store.context.traps.count == 4)
    }

    @Test("a version with a clock that the remote's vector does not name is never sent, unless it is named at 0")
    func comparison() {
        let (a, c) = (UUID(), UUID())
        store.mergeRevision(
            Make.record(.patient(OCKPatient(id: "p", givenName: "a", familyName: "b")), vector: Vector([a: 2, c: 3])))
        #expect(store.computeRevisions(since: Vector([a: 2])).isEmpty)
        #expect(store.computeRevisions(since: Vector([a: 2, c: 0])).count == 1)
    }

    @Test("a link to a version that arrives later is made only if that version names it")
    func links() async throws {
        let first = Make.sent(OCKPatient(id: "p", givenName: "1", familyName: ""))
        let second = Make.sent(OCKPatient(id: "p", givenName: "2", familyName: ""), after: [first.uuid], at: 1)
        store.mergeRevision(Make.record(.patient(second)))
        store.mergeRevision(Make.record(.patient(first)))
        let found = try await store.fetchPatients(query: OCKPatientQuery())
        #expect(found.allSatisfy { $0.nextVersionUUIDs.isEmpty && $0.previousVersionUUIDs.isEmpty })
    }

    @Test("a resolution with an earlier effective date is hidden by the version that it follows")
    func hiddenResolution() async throws {
        let task = try await store.addTask(Make.task())
        let later = Make.sent(outcome(task.uuid), at: 100)
        var resolution = Make.sent(outcome(task.uuid), after: [later.uuid], at: 50)
        store.mergeRevision(Make.record(.outcome(later)))
        store.mergeRevision(Make.record(.outcome(resolution)))
        let query = OCKOutcomeQuery(dateInterval: DateInterval(start: Make.day, duration: 3_600))
        #expect(try await store.fetchOutcomes(query: query).map(\.uuid) == [later.uuid])
        // With the latest effective date of all, the resolution is shown.
        resolution.uuid = UUID()
        resolution.effectiveDate = later.effectiveDate
        resolution.previousVersionUUIDs = [later.uuid]
        let other = OCKStore.alone()
        let own = try await other.addTask(Make.task())
        var (first, second) = (later, resolution)
        (first.taskUUID, second.taskUUID) = (own.uuid, own.uuid)
        other.mergeRevision(Make.record(.outcome(first)))
        other.mergeRevision(Make.record(.outcome(second)))
        #expect(try await other.fetchOutcomes(query: query).map(\.uuid) == [second.uuid])
    }

    @Test("an update of a task that would lose an outcome, and an outcome of an overshadowed event, are refused")
    func overshadowedEvents() async throws {
        let task = try await store.addTask(Make.task())
        try await store.addOutcome(outcome(task.uuid, 3))
        await #expect(throws: OCKStoreError.self) { try await store.updateTask(Make.task()) }
        try await store.updateTask(Make.task(start: Make.day.addingTimeInterval(10 * 86_400)))
        await #expect(throws: OCKStoreError.self) { try await store.addOutcome(outcome(task.uuid, 12)) }
        try await store.addOutcome(outcome(task.uuid, 5))
    }
}
