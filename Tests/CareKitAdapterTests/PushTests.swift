import CareKitStore
import CarePlans
import CareTestSupport
import Foundation
import HealthKit
import TestSupport
import Testing

@testable import CareKitAdapter

@Suite("Pushes of the adapter") struct PushTests {
    @Test("revisions are in causal order, whatever the order of CareKit's revisions")
    func causalOrder() async throws {
        for seed in 0..<20 as Range<UInt64> {
            let server = ScriptedServer()
            let random = SimulationRandom(seed: seed)
            let remote = CareKitSynchronizer(
                server: server, options: CareKitSyncOptions(automaticallySynchronizes: false))
            let store = OCKStore(
                name: "order", remote: remote,
                surroundings: StoreSurroundings(random: { random.next() }, now: { random.now() }))
            var task = try await store.addTask(Make.task())
            for number in 1...6 {
                store.context.knowledgeVector.increment(clockFor: store.process)
                try await store.addOutcome(
                    OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 0, values: [OCKOutcomeValue(number)]))
                store.context.knowledgeVector.increment(clockFor: store.process)
                task = try await store.updateTask(
                    Make.task(title: "v\(number)", start: Make.day.addingTimeInterval(Double(number) * 864_000)))
            }
            server.set(
                CareAnswer(
                    revisions: [], knowledgeVector: KnowledgeVector([store.process: 0]), next: nil))
            try await store.synchronize()
            let pushed = server.pushes.flatMap(\.revisions).flatMap(\.entities)
            #expect(pushed.count == 13)
            for (index, entity) in pushed.enumerated() {
                let before = Set(pushed[..<index].map(\.uuid))
                #expect(before.isSuperset(of: entity.previous + (entity.event.map { [$0.task] } ?? [])))
            }
        }
    }

    @Test("a large push is divided between vectors, and only the last part claims the knowledge")
    func dividedPush() throws {
        let process = UUID()
        let revisions = try (1...6).reversed().map { clock in
            try Make.revision(
                (0..<3).map { .task(Make.task("t\(clock)-\($0)")) }, KnowledgeVector([process: clock]))
        }
        let size = try #require(revisions[0].entities[0].object.byteCount(upTo: 1 << 20))
        let knowledge = KnowledgeVector([process: 7])
        let whole = try CarePushes(revisions, knowledge: knowledge, bytesPerPush: size * 30).pushes
        #expect(whole.count == 1)
        let parts = try CarePushes(revisions, knowledge: knowledge, bytesPerPush: size * 7).pushes
        #expect(parts.count > 1)
        #expect(parts.dropLast().allSatisfy { $0.knowledge == KnowledgeVector() })
        #expect(parts.last?.knowledge == knowledge)
        #expect(parts.flatMap(\.revisions).flatMap(\.entities).count == 18)
        // No version of a part is covered by the vectors of the parts before.
        for (index, part) in parts.enumerated() {
            for earlier in parts[..<index].flatMap(\.revisions) {
                for revision in part.revisions {
                    #expect(!revision.knowledgeVector.isCovered(by: earlier.knowledgeVector))
                }
            }
        }
    }

    @Test("each kind of entity is the same after the way to JSON and back")
    func lossless() throws {
        var patient = Make.sent(
            OCKPatient(id: "p", givenName: "Ann", familyName: "Roe"), after: [UUID()], at: 0.123_456_7)
        patient.sex = .other("x")
        patient.birthday = Make.day
        patient.allergies = ["nuts"]
        patient.notes = [OCKNote(author: "a", title: nil, content: "c")]
        patient.userInfo = ["key": "value"]
        patient.schemaVersion = OCKSemanticVersion(majorVersion: 2, minorVersion: 1)
        var contact = Make.sent(OCKContact(id: "c", givenName: "Bob", familyName: "Roe", carePlanUUID: UUID()))
        contact.address = OCKPostalAddress(
            street: "Street", city: "City", state: "", postalCode: "1", country: "CH")
        contact.phoneNumbers = [OCKLabeledValue(label: "home", value: "1")]
        contact.category = .careProvider
        var calendar = Calendar(identifier: .hebrew)
        calendar.timeZone = try #require(TimeZone(identifier: "Pacific/Honolulu"))
        let element = OCKScheduleElement(
            start: Make.day, end: Make.day.addingTimeInterval(9e6), interval: DateComponents(day: 2, hour: 1),
            text: "x",
            targetValues: [OCKOutcomeValue(1.5, units: "mg")], duration: .minutes(90), calendar: calendar)
        let schedule = OCKSchedule(composing: [element])
        let task = Make.sent(OCKTask(id: "t", title: nil, carePlanUUID: nil, schedule: schedule))
        let healthKitTask = Make.sent(
            OCKHealthKitTask(
                id: "h", title: "Steps", carePlanUUID: nil, schedule: schedule,
                healthKitLinkage: OCKHealthKitLinkage(
                    quantityIdentifier: HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierStepCount"),
                    quantityType: .cumulative, unit: HKUnit(from: "count"))))
        var outcome = Make.sent(OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 3, values: []))
        outcome.values = [
            OCKOutcomeValue(1), OCKOutcomeValue(0.1), OCKOutcomeValue(true), OCKOutcomeValue("text"),
            OCKOutcomeValue(Data([1, 2, 3])), OCKOutcomeValue(Make.day),
        ]
        let entities: [OCKEntity] = [
            .patient(patient), .carePlan(Make.sent(OCKCarePlan(id: "l", title: "Plan", patientUUID: patient.uuid))),
            .contact(contact), .task(task), .healthKitTask(healthKitTask), .outcome(outcome),
        ]
        #expect(Set(entities.map(\.entityType)).count == OCKEntity.EntityType.allCases.count)
        for entity in entities {
            let version = try CareKitConversion.version(entity)
            #expect(version.uuid == entity.value.uuid)
            #expect(try CareKitConversion.entity(version) == entity)
            #expect(try CareKitConversion.version(CareKitConversion.entity(version)) == version)
        }
    }

    @Test("a number that JSON does not have is a text value", arguments: [Double.infinity, -.infinity, .nan])
    func infiniteValues(_ number: Double) throws {
        let outcome = OCKOutcome(
            taskUUID: UUID(), taskOccurrenceIndex: 0, values: [OCKOutcomeValue(1), OCKOutcomeValue(number)])
        let version = try CareKitConversion.version(.outcome(outcome))
        guard case .outcome(let read) = try CareKitConversion.entity(version) else { return }
        #expect(read.values.map(\.type) == [.integer, .text])
        let element = OCKScheduleElement(
            start: Make.day, end: nil, interval: DateComponents(day: 1),
            targetValues: [OCKOutcomeValue(2.5), OCKOutcomeValue(number)])
        let task = OCKTask(id: "t", title: nil, carePlanUUID: nil, schedule: OCKSchedule(composing: [element]))
        let pushed = try CareKitConversion.version(.task(Make.sent(task)))
        #expect(try CareTask(pushed).schedule.elements[0].targetValues.map { $0["type"] } == ["double", "text"])
        guard case .task(let readTask) = try CareKitConversion.entity(pushed) else { return }
        #expect(readTask.schedule.elements[0].targetValues.map(\.type) == [.double, .text])
    }
}
