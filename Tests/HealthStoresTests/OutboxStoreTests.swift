import Core
import Foundation
import HealthData
import HealthStores
import HealthSync
import Outbox
import TestSupport
import Testing

@Suite struct OutboxStoreTests {
    private static let heartRate = WrittenJournal.heartRate

    private func wake(_ device: EnrolledDevice, _ journal: WrittenJournal) async throws -> HealthSyncReport {
        var environment = HealthSyncEnvironment.system()
        // The first stream begins.
        environment.random = { 0 }
        let synchronizer = HealthSynchronizer(
            source: HealthJournal(journal.url),
            storage: HealthSyncFolder(device.folder.url.appendingPathComponent("health-sync")),
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), lookBackDays: nil,
                limits: HealthSyncLimits(seconds: HealthSyncLimits.unhurried)),
            environment: environment)
        await synchronizer.add(
            try OutboxHealthStore(device.store, subject: "p1"), named: "outbox",
            types: [Self.heartRate, WrittenJournal.steps])
        return await synchronizer.run()
    }

    @Test func deviceIsSentOnceBeforeItsSamplesAndEachSubmissionHasOneType() async throws {
        let device = try EnrolledDevice()
        var journal = try WrittenJournal(in: device.folder)
        let first = try journal.add(Self.heartRate, 70, minute: 0)
        try journal.add(WrittenJournal.steps, 9, minute: 0)
        _ = try await wake(device, journal)
        try journal.add(Self.heartRate, 71, minute: 1)
        try journal.delete(first, Self.heartRate)
        _ = try await wake(device, journal)
        let submissions = try device.submissions()
        #expect(submissions.map(\.kind) == ["Device", "Observation", "Observation", "Bundle", "Observation"])
        for (kind, resources) in submissions {
            #expect(resources.allSatisfy { $0["resourceType"]?.string == kind })
        }
        let owner = submissions[0].resources[0]["id"]?.string ?? ""
        #expect(submissions[1].resources[0]["device"]?["reference"]?.string == "Device/" + owner)
        #expect(submissions[1].resources[0]["identifier"]?[0]?["value"]?.string == first.uuidString)
        let deletion = submissions[3].resources[0]
        let id = submissions[1].resources[0]["id"]?.string ?? ""
        #expect(deletion["type"]?.string == "transaction")
        #expect(deletion["entry"]?.array?.map { $0["request"]?["url"]?.string } == ["Observation/" + id])
        #expect(deletion["entry"]?[0]?["request"]?["method"]?.string == "DELETE")
        let backlog = try await OutboxHealthStore(device.store, subject: "p1").backlog()
        #expect(backlog == 6)
    }

    @Test func samplesOfAnExportAreNotSentAgainUnlessTheyWereDeleted() async throws {
        let device = try EnrolledDevice()
        var journal = try WrittenJournal(in: device.folder)
        let first = try journal.add(Self.heartRate, 70, minute: 0)
        // An export sent it.
        var zones = TimeZoneOffsets()
        let moment = HealthInstant(seconds: 1_772_348_400, offsetMinutes: 60)
        let sample = try HealthKitSample(
            type: Self.heartRate, value: "70", unit: "count/min", start: moment, end: moment,
            source: HealthSource(name: "", productType: "Watch6,1", version: "10.2")
        ).sample(in: .standard, &zones)
        let id = sample.fingerprint.resourceID(subject: "p1")
        #expect(try journal.expected(subject: "p1") == [id])
        var sent = try SentHealthData(folder: device.store.folder)
        sent.stage(sample.fingerprint, id: id)
        try sent.commit()

        var report = try await wake(device, journal)
        #expect(report.rows.first?.updated == 1 && report.rows.first?.added == 0)
        #expect(try device.submissions().isEmpty)
        // Another sample of equal content; the resource is deleted with the last of them.
        let second = try journal.add(Self.heartRate, 70, minute: 0)
        try journal.delete(first, Self.heartRate)
        report = try await wake(device, journal)
        #expect(try device.submissions().isEmpty && !report.hasFailed)
        try journal.delete(second, Self.heartRate)
        _ = try await wake(device, journal)
        #expect(try device.submissions().map(\.kind) == ["Bundle"])
        #expect(try !SentHealthData(folder: device.store.folder).contains(sample.fingerprint, id: id))
        try journal.add(Self.heartRate, 70, minute: 0)
        _ = try await wake(device, journal)
        #expect(try device.submissions().map(\.kind) == ["Bundle", "Device", "Observation"])
        #expect(try device.observations() == [id])
        #expect(try SentHealthData(folder: device.store.folder).contains(sample.fingerprint, id: id))
    }

    @Test func sampleAddedAgainFollowsADeletionQueuedBeforeACrash() async throws {
        let device = try EnrolledDevice()
        var journal = try WrittenJournal(in: device.folder)
        let first = try journal.add(Self.heartRate, 70, minute: 0)
        _ = try await wake(device, journal)
        try journal.delete(first, Self.heartRate)
        // The process ends after it queued the deletion and before it saved its progress.
        let progress = HealthSyncFolder(device.folder.url.appendingPathComponent("health-sync"))
        let synchronizer = HealthSynchronizer(
            source: HealthJournal(journal.url), storage: FailingProgress(folder: progress) { true },
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), lookBackDays: nil,
                limits: HealthSyncLimits(seconds: HealthSyncLimits.unhurried)))
        await synchronizer.add(
            try OutboxHealthStore(device.store, subject: "p1"), named: "outbox", types: [Self.heartRate])
        #expect(await synchronizer.run().hasFailed)
        try journal.add(Self.heartRate, 70, minute: 0)
        _ = try await wake(device, journal)
        #expect(try device.observations() == journal.expected(subject: "p1"))
    }

    @Test func withoutAConsentEverythingIsKept() async throws {
        let folder = try TemporaryFolder()
        let store = try DeviceStore.open(folder.url)
        var journal = try WrittenJournal(in: folder)
        try journal.add(Self.heartRate, 70, minute: 0)
        let synchronizer = HealthSynchronizer(
            source: HealthJournal(journal.url), storage: HealthSyncFolder(folder.url.appendingPathComponent("sync")),
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), lookBackDays: nil,
                limits: HealthSyncLimits(seconds: HealthSyncLimits.unhurried)))
        await synchronizer.add(
            try OutboxHealthStore(store, subject: "p1"), named: "outbox", types: [Self.heartRate])
        let report = await synchronizer.run()
        #expect(report.rows.map(\.code) == ["not-enrolled"] && report.rows.map(\.waiting) == [1] && report.hasMore)
    }
}
