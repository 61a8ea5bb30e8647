import Core
import Foundation
import HealthData
import HealthKit
import HealthStores
import HealthSync
import Synchronization
import TestSupport
import Testing

@testable import HealthKitAdapter

/// HealthKit's requirements of its callers, and the adapter's behaviour when a call fails.
@Suite struct SourceTests {
    private func until(_ condition: @Sendable () async -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(Patience.seconds)
        while ContinuousClock.now < end {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test func changesAreReadInPartsWithTheirAnchors() async throws {
        let phone = Phone()
        let samples = (0..<25).map { Phone.heart(60 + Double($0), minute: $0) }
        phone.database.add(samples)
        phone.database.delete(samples[3].uuid)
        var (anchor, added, deleted): (HealthAnchor?, Int, [UUID]) = (nil, 0, [])
        var hasMore = true
        while hasMore {
            let part = try await phone.source.changes(of: Phone.heartRate, after: anchor, limit: 10)
            #expect(part.added.count <= 10)
            (anchor, added, hasMore) = (part.anchor, added + part.added.count, part.hasMore)
            deleted += part.deleted
        }
        #expect(added == 24 && deleted == [samples[3].uuid])
        let empty = try await phone.source.changes(of: Phone.heartRate, after: anchor, limit: 10)
        #expect(empty.added.isEmpty && empty.deleted.isEmpty && !empty.hasMore)
        await #expect(throws: HealthSourceError(.anchorInvalid)) {
            try await phone.source.changes(of: Phone.heartRate, after: HealthAnchor("nonsense".utf8), limit: 1)
        }
    }

    @Test func positionFollowsTheExistingSamples() async throws {
        let phone = Phone()
        phone.database.add((0..<5).map { Phone.heart(60, minute: $0) })
        let position = try #require(try await phone.source.position(of: Phone.heartRate))
        #expect(try await phone.source.changes(of: Phone.heartRate, after: position, limit: 10).added.isEmpty)
        phone.database.add(Phone.heart(99, minute: -100_000))
        #expect(try await phone.source.changes(of: Phone.heartRate, after: position, limit: 10).added.count == 1)
    }

    @Test func historyIsReadFromTheLatestEndBackwards() async throws {
        let phone = Phone()
        phone.database.add((0..<10).shuffled().map { Phone.heart(60 + Double($0), minute: $0) })
        func seconds(_ minute: Int) -> Double { Phone.date(minute).timeIntervalSince1970 }
        let page = try await phone.source.history(of: Phone.heartRate, since: seconds(2), upTo: seconds(7), limit: 4)
        #expect(page.hasMore && page.samples.map(\.end) == [7, 6, 5, 4].map(seconds))
        let rest = try await phone.source.history(of: Phone.heartRate, since: seconds(2), upTo: seconds(3), limit: 4)
        #expect(!rest.hasMore && rest.samples.map(\.end) == [3, 2].map(seconds))
        let wanted = phone.database.samples(of: Phone.heartRate).prefix(2).map(\.uuid)
        let found = try await phone.source.samples(of: Phone.heartRate, wanted + [UUID()])
        #expect(Set(found.map(\.uuid)) == Set(wanted))
    }

    @Test func lockedPhoneIsDistinguishedFromOtherErrors() async throws {
        let phone = Phone()
        phone.database.fail(
            .anchored, with: HKError(.errorDatabaseInaccessible), HKError(.errorAuthorizationNotDetermined),
            HKError(.errorHealthDataRestricted), HKError(.errorNoData))
        for reason in [HealthSourceError.Reason.locked, .notAuthorized, .unavailable, .failed] {
            await #expect(throws: HealthSourceError(reason)) {
                try await phone.source.changes(of: Phone.heartRate, after: nil, limit: 1)
            }
        }
        phone.database.fail(.sample, with: HKError(.errorDatabaseInaccessible))
        await #expect(throws: HealthSourceError(.locked)) {
            try await phone.source.history(of: Phone.heartRate, since: nil, upTo: nil, limit: 1)
        }
        await #expect(throws: HealthSourceError(.typeUnknown)) {
            try await phone.source.changes(of: "HKNothing", after: nil, limit: 1)
        }
    }

    @Test(arguments: [HealthDatabase.Call.electrocardiogram, .heartbeats, .route])
    func failedPartIsReportedAndALockedPhoneIsRetried(call: HealthDatabase.Call) async throws {
        let phone = Phone()
        let type: String
        switch call {
        case .electrocardiogram:
            type = "HKElectrocardiogram"
            phone.database.add(
                HKElectrocardiogram(
                    start: Phone.date(0), end: Phone.date(0), classification: .notSet, symptoms: .notSet,
                    averageHeartRate: nil, samplingFrequency: HKQuantity(unit: HKUnit(from: "Hz"), doubleValue: 512),
                    voltages: [HKQuantity(unit: HKUnit(from: "mcV"), doubleValue: 1)], origin: Phone.origin()))
        case .heartbeats:
            type = "HKHeartbeatSeriesSample"
            phone.database.add(
                HKHeartbeatSeriesSample(
                    start: Phone.date(0), end: Phone.date(0), beats: [(1, false)], origin: Phone.origin()))
        default:
            type = "HKWorkoutRoute"
            phone.database.add(
                HKWorkoutRoute(
                    locations: [
                        CLLocation(
                            coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 1), altitude: 1,
                            horizontalAccuracy: 1, verticalAccuracy: 1,
                            course: 1,
                            speed: 1, timestamp: Phone.date(0))
                    ], origin: Phone.origin()))
        }
        phone.database.fail(call, with: HKError(.errorDatabaseInaccessible), HKError(.errorNoData))
        await #expect(throws: HealthSourceError(.locked)) {
            try await phone.source.changes(of: type, after: nil, limit: 1)
        }
        let named = try await phone.source.changes(of: type, after: nil, limit: 1)
        guard case .unreadable = named.added.first?.content else { throw TestFailure("it was read") }
        let read = try await phone.source.changes(of: type, after: nil, limit: 1)
        guard case .special = read.added.first?.content else { throw TestFailure("it was not read") }
    }

    @Test func observersWakeAndEachHandlerIsCalledOnce() async throws {
        let phone = Phone()
        let wakes = Mutex<[ObserverUpdate]>([])
        let failures = await phone.source.startObserving([Phone.heartRate, Phone.steps]) { wake in
            wakes.withLock { $0.append(wake) }
            wake.complete()
        }
        #expect(failures.isEmpty && phone.database.delivered == [Phone.heartRate, Phone.steps])
        #expect(await until { wakes.withLock { $0.count } == 2 })
        phone.database.add(Phone.heart(60))
        #expect(await until { wakes.withLock { $0.count } == 3 })
        // Stopped and started again: with new queries.
        await phone.source.stopObserving()
        #expect(phone.database.running == 0 && phone.database.delivered.isEmpty)
        _ = await phone.source.startObserving([Phone.heartRate]) { $0.complete() }
        #expect(await until { phone.database.running == 1 })
        #expect(await until { phone.database.deliveries.wakes == phone.database.deliveries.completions })
        #expect(phone.database.breaches.isEmpty, "\(phone.database.breaches)")
    }

    @Test func refusedDeliveryIsReportedWithAndWithoutAnError() async throws {
        let phone = Phone()
        phone.database.refuseDeliverySilently()
        let silent = await phone.source.startObserving([Phone.heartRate]) { $0.complete() }
        #expect(silent[Phone.heartRate]?.reason == .deliveryRefused)
        let other = Phone()
        other.database.fail(.delivery, with: HKError(.errorDatabaseInaccessible))
        let failed = await other.source.startObserving([Phone.heartRate]) { $0.complete() }
        #expect(failed[Phone.heartRate]?.reason == .locked)
    }

    @Test func anObserversErrorReachesTheWakeAndItsHandlerIsCalled() async throws {
        let phone = Phone()
        phone.database.fail(.observer, with: HKError(.errorDatabaseInaccessible))
        let wakes = Mutex<[ObserverUpdate]>([])
        _ = await phone.source.startObserving([Phone.heartRate]) { wake in
            wakes.withLock { $0.append(wake) }
            wake.complete()
        }
        #expect(await until { wakes.withLock { $0.count } == 1 })
        #expect(wakes.withLock { $0.first?.failure?.reason } == .locked)
        #expect(phone.database.breaches.isEmpty)
    }

    @Test func permissionsAndObserversOfACorrelationAreThoseOfItsMembers() async throws {
        let phone = Phone()
        let permissions = HealthPermissions(for: ["HKCorrelationTypeIdentifierBloodPressure", "HKVisionPrescription"])
        try await phone.source.requestAuthorization(for: permissions)
        _ = await phone.source.startObserving(permissions.observed) { $0.complete() }
        #expect(
            phone.database.delivered.isSuperset(of: [
                "HKQuantityTypeIdentifierBloodPressureSystolic", "HKQuantityTypeIdentifierBloodPressureDiastolic",
            ]))
        #expect(phone.database.breaches.isEmpty, "\(phone.database.breaches)")
        phone.database.fail(.authorization, with: HKError(.errorAuthorizationDenied))
        await #expect(throws: HealthSourceError.self) { try await phone.source.requestAuthorization(for: permissions) }
    }

    @Test func deniedReadingLooksLikeNoData() async throws {
        let phone = Phone()
        phone.database.add(Phone.heart(60))
        phone.database.deny(HKQuantityType(HKQuantityTypeIdentifier(rawValue: Phone.heartRate)))
        #expect(try await phone.source.changes(of: Phone.heartRate, after: nil, limit: 1).added.isEmpty)
    }

    /// The substitute enforces HealthKit's rules.
    @Test func substituteRecordsBreachesOfHealthKitsRules() async throws {
        let database = HealthDatabase()
        let store = HKHealthStore(database: database)
        let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: Phone.heartRate))
        let query = HKObserverQuery(sampleType: type, predicate: nil) { _, _, _ in }
        store.execute(query)
        store.execute(query)
        #expect(database.breaches == ["a query ran twice"])
        #expect(await until { database.deliveries.wakes == 1 })
        for minute in 0..<4 { database.add(Phone.heart(60, minute: minute)) }
        #expect(await until { database.breaches.count == 2 })
        let pressure = HKCorrelationType(
            HKCorrelationTypeIdentifier(rawValue: "HKCorrelationTypeIdentifierBloodPressure"))
        store.enableBackgroundDelivery(for: pressure, frequency: .immediate) { isEnabled, _ in #expect(!isEnabled) }
        #expect(database.breaches.count == 3)
    }

    // MARK: - From HealthKit to a store

    @Test func seededHistoriesEndEqualAfterAnyFailures() async throws {
        var random = Seeded.fresh()
        for _ in 0..<8 {
            let phone = Phone()
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("health.ndjson")
            func run() async throws -> HealthSyncReport {
                let synchronizer = HealthSynchronizer(
                    source: phone.source,
                    storage: HealthSyncFolder(folder.url.appendingPathComponent("health-sync")),
                    settings: HealthSyncSettings(
                        selection: HealthSelection(subject: "p1"), version: "1", lookBackDays: 100_000,
                        limits: HealthSyncLimits(seconds: 3_600, samples: 12, batch: 5)))
                await synchronizer.add(
                    try await NDJSONHealthStore(file, subject: "p1"), named: "file",
                    types: [Phone.heartRate, Phone.steps, Phone.sleep])
                return await synchronizer.run()
            }
            for _ in 0..<10 {
                for _ in 0..<Int.random(in: 0...6, using: &random) { change(phone, &random) }
                let failures: [HealthDatabase.Call] = [.anchored, .sample, .units]
                for call in failures where Int.random(in: 0..<4, using: &random) == 0 {
                    phone.database.fail(call, with: HKError(.errorDatabaseInaccessible))
                }
                _ = try await run()
            }
            phone.database.mend()
            var rounds = 0
            var report = try await run()
            while report.hasMore || report.hasFailed, rounds < 200 {
                report = try await run()
                rounds += 1
            }
            var present: Set<String> = []
            for line in try Data(contentsOf: file).split(separator: 0x0A) {
                let json = try JSON(Array(line))
                if json["resourceType"]?.string == "Observation", let id = json["id"]?.string { present.insert(id) }
                for entry in json["entry"]?.array ?? [] {
                    present.remove(String((entry["request"]?["url"]?.string ?? "").dropFirst("Observation/".count)))
                }
            }
            var expected: Set<String> = []
            for type in [Phone.heartRate, Phone.steps, Phone.sleep] {
                let all = try await phone.source.history(of: type, since: nil, upTo: nil, limit: 10_000)
                for case .sample(let sample) in all.samples.map(\.content) {
                    expected.insert(sample.fingerprint.resourceID(subject: "p1"))
                }
            }
            #expect(present == expected)
            #expect(phone.database.breaches.isEmpty)
        }
    }

    private func change(_ phone: Phone, _ random: inout Seeded) {
        let all = [Phone.heartRate, Phone.steps, Phone.sleep].flatMap { phone.database.samples(of: $0) }
        let minute = Int.random(in: 0..<10, using: &random)
        let value = Int.random(in: 1...4, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: phone.database.add(Phone.heart(Double(60 + value), minute: minute))
        case 1: phone.database.add(Phone.quantity(Phone.steps, value: Double(value), unit: "count", minute: minute))
        case 2: phone.database.add(Phone.category(Phone.sleep, value, minute: minute - 1_000_000))
        default: if let gone = all.randomElement(using: &random) { phone.database.delete(gone.uuid) }
        }
    }
}
