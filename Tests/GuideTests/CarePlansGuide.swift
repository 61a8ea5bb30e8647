import AccountClient
import CarePlans
import CareStores
import Core
import DeviceSystem
import Foundation

/// The examples of docs/care-plans.md as an app would contain them; `GuideTests` compares the two texts.
enum CarePlansGuide {
    static func open(_ client: AccountClient, account: String) async throws -> CarePlanStore {
        let server = AccountCareServer(client: client, patient: account)
        let store = try await CarePlanStore(patient: account, folder: client.plansFolder, server: server)
        return store
    }

    static func change(_ store: CarePlanStore, walk: JSON) async throws {
        try await store.add([["type": "task", "object": walk]])
        try await store.recordOutcome(task: "walk", occurrence: 0, values: [["value": 30, "units": "min"]])
        try await store.removeOutcome(task: "walk", occurrence: 0)
        try await store.update([["type": "task", "object": ["id": "walk", "title": "Walk far"]]])
        try await store.delete(.task, id: "walk")
    }

    static func read(_ store: CarePlanStore, start: Date, end: Date) async throws {
        for entity in await store.entities(.task) { show(entity.id, entity.object["title"]?.string ?? "") }
        for event in try await store.events(from: start, to: end) {
            show(event.task.id, event.outcome == nil ? "due" : "done")
        }
        if let first = CareDay("2026-11-01"), let last = CareDay("2026-11-30") {
            for day in try await store.adherence(from: first, to: last) {
                show(day.day.text, "\(day.done) of \(day.due)")
            }
        }
    }

    static func synchronise(_ store: CarePlanStore) async {
        do {
            let report = try await store.sync()
            show("\(report.pulled) versions arrived", "\(report.pushed) were sent")
        } catch let error as CareServerError {
            show("It is tried again later.", error.code)
        } catch {
            show("The plan is not complete.", "\(error)")
        }
    }

    static func follow(_ store: CarePlanStore) async {
        let following = Task { try await store.follow() }
        for await change in await store.changes() where change.isRemote {
            show("\(change.versions.count) versions arrived", "")
        }
        following.cancel()
    }

    static func quarantine(_ store: CarePlanStore) async throws {
        for version in await store.quarantine { show(version.uuid.uuidString, version.code) }
        try await store.retryQuarantined()
        try await store.discardQuarantined()
    }

    static func team(_ client: AccountClient, start: Date, end: Date) async throws {
        let plans = TeamPlans(client: client)
        try await plans.pull { report in
            for failure in report.failed { show(failure.patient, failure.code) }
        }
        for patient in try await client.pulledPatients() {
            let store = try await plans.store(of: patient)
            show(patient, "\(try await store.events(from: start, to: end).count) events")
        }
    }

    private static func show(_ first: String, _ second: String) { print(first, second) }
}
