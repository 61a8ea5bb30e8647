import Core
import FHIR
import Foundation
import HealthData
import HealthKit
import HealthStores
import HealthSync
import Synchronization
import TestSupport
import Testing

@testable import HealthKitAdapter

/// The summaries of days, for which HealthKit has neither anchors nor observers.
@Suite struct ActivitySummaryTests {
    /// A phone with a clock and a calendar day.
    private final class Days: Sendable {
        let database = HealthDatabase()
        let source: HealthKitSource
        private let clock: Clock
        static let type = "HKActivitySummary"
        /// 2026-03-01 08:00 in the phone's time zone.
        private static let first = Phone.date(0)

        init() {
            let clock = Clock(now: Self.first)
            self.clock = clock
            source = HealthKitSource(
                HKHealthStore(database: database), selection: HealthSelection(subject: "p1"),
                zone: TimeZone(secondsFromGMT: 3600) ?? .gmt, clock: { clock.date })
        }

        /// The wall clock on a day of March 2026.
        final class Clock: Sendable {
            private let value: Mutex<Date>
            init(now: Date) { value = Mutex(now) }
            var date: Date {
                get { value.withLock { $0 } }
                set { value.withLock { $0 = newValue } }
            }
        }

        func go(to day: Int) { clock.date = Self.first + Double(day - 1) * 86_400 }

        func set(_ day: Int, month: Int = 3, energy: Double, stand: Double = 10) {
            database.set(
                HKActivitySummary(
                    year: 2026, month: month, day: day, energy: (energy, 500), exercise: (30, 30), stand: (stand, nil)))
        }
    }

    private func days(_ readings: [HealthReading]) -> [String] {
        readings.map { reading in
            guard case .special(let record) = reading.content, let summary = record as? ActivitySummary else {
                return "\(reading.content)"
            }
            return "\(summary.day) \(summary.energy.value?.number.text ?? "-")"
        }
    }

    @Test func completedDayIsReadOnceAndAgainAfterAChange() async throws {
        let phone = Days()
        for day in 1...3 { phone.set(day, energy: Double(day) * 100) }
        phone.go(to: 2)
        let position = try #require(try await phone.source.position(of: Days.type))
        var changes = try await phone.source.changes(of: Days.type, after: position, limit: 10)
        #expect(changes.added.isEmpty && !changes.hasMore && changes.anchor == position)
        phone.go(to: 4)
        changes = try await phone.source.changes(of: Days.type, after: position, limit: 10)
        #expect(days(changes.added) == ["2026-03-02 200", "2026-03-03 300"])
        let uuids = changes.added.map(\.uuid)
        // The watch adds its measurements of the second day.
        phone.set(2, energy: 212.34567)
        phone.go(to: 5)
        changes = try await phone.source.changes(of: Days.type, after: changes.anchor, limit: 10)
        #expect(days(changes.added) == ["2026-03-02 212.346"] && changes.added.first?.uuid == uuids[0])
        changes = try await phone.source.changes(of: Days.type, after: changes.anchor, limit: 10)
        #expect(changes.added.isEmpty)
        #expect(days(try await phone.source.samples(of: Days.type, uuids + [UUID()])).count == 2)
        // The withdrawal of the permission deletes nothing.
        phone.database.deny(HKObjectType.activitySummaryType())
        let after = try await phone.source.changes(of: Days.type, after: changes.anchor, limit: 10)
        #expect(after.added.isEmpty && after.deleted.isEmpty)
    }

    @Test func manyDaysAreReadInParts() async throws {
        let phone = Days()
        phone.go(to: 60)
        for day in 1...31 { phone.set(day, energy: Double(day)) }
        var (anchor, all, hasMore): (HealthAnchor?, [String], Bool) = (nil, [], true)
        while hasMore {
            let part = try await phone.source.changes(of: Days.type, after: anchor, limit: 7)
            #expect(part.added.count <= 7)
            all += days(part.added)
            (anchor, hasMore) = (part.anchor, part.hasMore)
        }
        #expect(all.count == 31 && all == all.sorted())
        await #expect(throws: HealthSourceError(.anchorInvalid)) {
            try await phone.source.changes(of: Days.type, after: HealthAnchor("nonsense".utf8), limit: 1)
        }
    }

    @Test func historyIsReadFromTheLatestDayBackwards() async throws {
        let phone = Days()
        for day in 1...20 { phone.set(day, energy: Double(day)) }
        phone.go(to: 20)
        let all = try await phone.source.history(of: Days.type, since: nil, upTo: nil, limit: 5)
        #expect(all.hasMore && days(all.samples).first == "2026-03-19 19" && all.samples.count == 5)
        let oldest = try #require(all.samples.last)
        let rest = try await phone.source.history(
            of: Days.type, since: oldest.end - 86_400 * 3, upTo: oldest.end, limit: 50)
        #expect(days(rest.samples) == ["2026-03-15 15", "2026-03-14 14", "2026-03-13 13", "2026-03-12 12"])
        phone.database.fail(.summaries, with: HKError(.errorDatabaseInaccessible))
        await #expect(throws: HealthSourceError(.locked)) {
            try await phone.source.history(of: Days.type, since: nil, upTo: nil, limit: 5)
        }
    }

    @Test func ringsAreReadInThePreferredUnit() async throws {
        let phone = Days()
        phone.database.prefer(
            "kJ", for: HKQuantityType(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierActiveEnergyBurned")))
        phone.set(1, energy: 100, stand: 12)
        phone.go(to: 2)
        let page = try await phone.source.history(of: Days.type, since: nil, upTo: nil, limit: 5)
        guard case .special(let record)? = page.samples.first?.content, let summary = record as? ActivitySummary else {
            throw TestFailure("no summary")
        }
        #expect(summary.energy.value?.writtenUnit == "kJ" && summary.energy.value?.written == "418.4")
        #expect(summary.standHours.value?.number.text == "12" && summary.standHours.goal == nil)
    }

    @Test func dayIsOneResourceAfterAnyNumberOfChanges() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("out.ndjson")
        let phone = Days()
        phone.go(to: 3)
        for day in 1...5 { phone.set(day, energy: Double(day)) }
        let storage = HealthSyncFolder(folder.url.appendingPathComponent("progress"))
        func run() async throws -> HealthSyncReport {
            let synchronizer = HealthSynchronizer(
                source: phone.source, storage: storage,
                settings: HealthSyncSettings(
                    selection: HealthSelection(subject: "p1"), lookBackDays: 36_500,
                    limits: HealthSyncLimits(seconds: 3_600)))
            await synchronizer.add(try await NDJSONHealthStore(file, subject: "p1"), named: "file", types: [Days.type])
            return await synchronizer.run()
        }
        for _ in 0..<3 { #expect(try await run().hasFailed == false) }
        phone.set(1, energy: 1_000)
        phone.go(to: 6)
        for _ in 0..<3 { #expect(try await run().hasFailed == false) }
        var last: [String: String] = [:]
        for line in try Data(contentsOf: file).split(separator: 0x0A) {
            let json = try JSON(Array(line))
            last[try #require(json["id"]?.string)] = json["effectiveDateTime"]?.string
        }
        #expect(last.values.sorted() == (1...5).map { "2026-03-0\($0)" })
        #expect(phone.database.breaches.isEmpty)
    }

    @Test func authorizationIsRequestedForActivitySummaries() async throws {
        let phone = Days()
        try await phone.source.requestAuthorization(for: HealthPermissions(for: [Days.type, Phone.heartRate]))
        #expect(phone.database.asked == ["HKActivitySummaryTypeIdentifier", Phone.heartRate])
        #expect(phone.database.breaches.isEmpty)
    }
}
