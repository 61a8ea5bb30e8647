import Core
import DeviceSystem
import FHIR
import Foundation
import HealthData
import HealthKit
import HealthStores
import HealthSync
import Outbox
import TestSupport
import Testing
import Wire

@testable import HealthKitAdapter

/// One sample of an app's own query is the resource that a synchronization makes of it.
@Suite struct SampleResourcesTests {
    /// Records the samples that it is given.
    private actor RecordingStore: ExternalStore {
        private(set) var samples: [OutgoingSample] = []

        func add(_ samples: [OutgoingSample]) -> StoreAnswers<HealthOutcome> {
            self.samples += samples
            return StoreAnswers(forAll: .stored)
        }
        func update(_ samples: [OutgoingSample]) -> StoreAnswers<HealthOutcome> { StoreAnswers(forAll: .stored) }
        func delete(_ samples: [DeletedSample]) -> StoreAnswers<HealthOutcome> { StoreAnswers(forAll: .stored) }
    }

    private static let zone = TimeZone(secondsFromGMT: 3600) ?? .gmt

    /// Returns what a synchronization makes of a sample.
    private func synchronized(_ sample: HKSample, selection: HealthSelection) async throws -> [OutgoingSample] {
        var selection = selection
        selection.subject = "p1"
        let folder = try TemporaryFolder()
        let phone = Phone(selection: selection)
        phone.database.add(sample)
        let store = RecordingStore()
        let synchronizer = HealthSynchronizer(
            source: phone.source, storage: HealthSyncFolder(folder.url),
            settings: HealthSyncSettings(selection: selection, lookBackDays: nil))
        await synchronizer.add(store, named: "store", types: [sample.sampleType.identifier])
        for _ in 0..<5 { _ = await synchronizer.run() }
        return await store.samples
    }

    private func electrocardiogram() -> HKElectrocardiogram {
        func quantity(_ value: Double, _ unit: String) -> HKQuantity {
            HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
        }
        return HKElectrocardiogram(
            start: Phone.date(0), end: Phone.date(0), classification: .sinusRhythm, symptoms: .none,
            averageHeartRate: quantity(64, "count/min"), samplingFrequency: quantity(512, "Hz"),
            voltages: (0..<100).map { quantity(Double($0), "mcV") }, origin: Phone.origin())
    }

    @Test func observationHasTheIDAndContentOfTheSynchronization() async throws {
        let samples: [HKSample] = [
            Phone.heart(72),
            Phone.quantity(Phone.steps, value: 100, unit: "count", metadata: ["HKWasUserEntered": true]),
            Phone.category(Phone.sleep, 3), electrocardiogram(),
        ]
        for sample in samples {
            let outgoing = try await synchronized(sample, selection: HealthSelection())
            let expected = try #require(outgoing.first, "\(sample.sampleType.identifier)")
            let database = HealthDatabase()
            database.add(sample)
            let store = HKHealthStore(database: database)
            let observation = try await sample.observation(subject: "p1", in: store, zone: Self.zone)
            #expect(
                observation.json == expected.resources.first
                    && expected.targets.first == "Observation/\(observation.id ?? "")")
            let resources = try await sample.resources(subject: "p1", in: store, zone: Self.zone)
            #expect(resources.map(\.resourceType) == ["Device", "Observation"])
            #expect(resources.last?.json == observation.json)
            #expect(observation.object["device"]?["reference"]?.string == "Device/\(resources.first?.id ?? "")")
        }
    }

    @Test func clinicalRecordHasItsResourcesIfTheyAreIncluded() async throws {
        let fhir = Data(#"{"resourceType":"AllergyIntolerance","id":"a1","patient":{"reference":"Patient/x"}}"#.utf8)
        let sample = HKClinicalRecord(
            type: HKClinicalType(HKClinicalTypeIdentifier(rawValue: "HKClinicalTypeIdentifierAllergyRecord")),
            displayName: "Peanut",
            resource: HKFHIRResource(
                type: "AllergyIntolerance", identifier: "a1", data: fhir,
                sourceURL: URL(string: "https://ehr.example/r4/AllergyIntolerance/a1"), version: "4.0.1"),
            date: Phone.date(0), origin: Phone.origin())
        let store = HKHealthStore(database: HealthDatabase())
        await #expect(throws: SkipReason.notSelected) { try await sample.observation(subject: "p1", in: store) }
        var selection = HealthSelection()
        selection.inclusions = [.clinicalRecords]
        let resources = try await sample.resources(subject: "p1", in: store, selection: selection, zone: Self.zone)
        let outgoing = try await synchronized(sample, selection: selection)
        #expect(resources.filter { $0.resourceType != "Device" }.map(\.json) == outgoing.first?.resources)
        let included = selection
        await #expect(throws: HealthKitSampleError.notAnObservation) {
            try await sample.observation(subject: "p1", in: store, selection: included)
        }
    }

    @Test func typeWithoutMappingIsRefusedWithItsReason() async throws {
        let store = HKHealthStore(database: HealthDatabase())
        let unknown = Phone.category("HKCategoryTypeIdentifierOfTheFuture", 1)
        let error = await #expect(throws: SkipReason.unsupportedType) {
            try await unknown.observation(subject: "p1", in: store)
        }
        #expect(error?.code == "unsupported-type")
        await #expect(throws: SkipReason.unknownValue) {
            try await Phone.category(Phone.sleep, 9_999).resources(subject: "p1", in: store)
        }
    }

    // MARK: - The synchronization of a study

    private func enrolled(in folder: TemporaryFolder) throws -> (store: DeviceStore, key: PrivateKey) {
        let store = try DeviceStore.open(folder.url, secrets: FileSecrets(folder: folder.url))
        let key = try PrivateKey.generateP256()
        try store.save(
            Enrolment(
                baseURL: "https://study.example", clientID: "c", clientSecret: "s", antispam: "w",
                jwks: String(decoding: PublicKey.jwks([key.publicKey]), as: UTF8.self)))
        try store.queue(Resource(JSONObject(resourceType: "Contract", id: "c")))
        return (store, key)
    }

    @Test func studyIsSynchronizedInOneCall() async throws {
        let folder = try TemporaryFolder()
        let (store, key) = try enrolled(in: folder)
        let database = HealthDatabase()
        let health = try await HealthSynchronizer.study(
            store, participant: "p1", version: "2.1", health: HKHealthStore(database: database))
        // The streams begin; a sample that is added afterwards is a change.
        let end = Patience.deadline
        var completed = 0
        while completed < 3, ContinuousClock.now < end {
            if await health.synchronizer.run().code == nil { completed += 1 }
        }
        #expect(completed == 3)
        let minutes = Int(Date.now.timeIntervalSince(Phone.date(0)) / 60) - 10
        database.add(Phone.heart(72, minute: minutes))
        while ContinuousClock.now < end, try store.outbox.entries().count < 3 {
            _ = await health.synchronizer.run()
        }
        await health.synchronizer.stop()
        let entries = try store.outbox.entries()
        #expect(entries.map(\.kind) == ["Contract", "Device", "Observation"])
        let last = try #require(entries.last)
        let text = String(
            decoding: try OpenedEnvelope.open(store.outbox.read(last), with: KeySet([key])).payload, as: UTF8.self)
        #expect(text.contains(#""reference":"Patient/p1""#) && text.contains("8867-4"))
        #expect(health.types == Set(health.collected.table.all.map(\.identifier)))
        #expect(FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("health-sync").path))
        #expect(database.breaches.isEmpty)
        // The progress is found again.
        let again = try await HealthSynchronizer.study(
            store, participant: "p1", version: "2.1", health: HKHealthStore(database: database), asksForAccess: false)
        _ = await again.synchronizer.run()
        await again.synchronizer.stop()
        #expect(try store.outbox.entries() == entries)
    }
}
