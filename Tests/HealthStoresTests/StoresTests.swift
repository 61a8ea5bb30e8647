import Core
import Foundation
import HealthData
import HealthStores
import HealthSync
import Outbox
import Synchronization
import TestSupport
import Testing

/// The guarantee of all stores: in the end each has the content of the source, each item once, wherever a process
/// ended.
@Suite struct StoresTests {
    private static let types: Set = [WrittenJournal.heartRate, WrittenJournal.steps, WrittenJournal.sleep]

    @Test func storesEndEqualToTheJournalAfterAnyCrash() async throws {
        var random = Seeded.fresh()
        for _ in 0..<12 {
            let device = try EnrolledDevice()
            let file = device.folder.url.appendingPathComponent("health.ndjson")
            var journal = try WrittenJournal(in: device.folder)
            for _ in 0..<8 {
                for _ in 0..<Int.random(in: 0...12, using: &random) { try journal.change(&random) }
                _ = try await wake(journal, device: device, file: file, faults: 0.3, random: &random)
            }
            var report = try await wake(journal, device: device, file: file, faults: 0, random: &random)
            for _ in 0..<100 where report.hasMore {
                report = try await wake(journal, device: device, file: file, faults: 0, random: &random)
            }
            #expect(!report.hasMore && !report.hasFailed)
            let expected = try journal.expected(subject: "p1")
            #expect(try device.observations() == expected)
            let lines = try Data(contentsOf: file).split(separator: 0x0A).map { try JSON(Array($0)) }
            #expect(try EnrolledDevice.observations(lines) == expected)
            // A run without changes writes nothing.
            let (queued, size) = (try device.store.outbox.entries().count, try Data(contentsOf: file).count)
            report = try await wake(journal, device: device, file: file, faults: 0, random: &random)
            #expect(report.rows.allSatisfy { $0.added + $0.updated + $0.deleted == 0 })
            #expect(try device.store.outbox.entries().count == queued)
            #expect(try Data(contentsOf: file).count == size)
        }
    }

    /// A process: it opens everything again, runs once, and can end at any point between store and progress.
    private func wake(
        _ journal: WrittenJournal, device: EnrolledDevice, file: URL, faults: Double, random: inout Seeded
    ) async throws -> HealthSyncReport {
        if faults > 0, Bool.random(using: &random), let content = try? Data(contentsOf: file), !content.isEmpty {
            // The line that the last process was writing.
            try (content + Data(#"{"resourceType":"Observ"#.utf8)).write(to: file)
        }
        let dice = Dice(random.next())
        let progress = HealthSyncFolder(device.folder.url.appendingPathComponent("health-sync"))
        let lock = try await progress.lock()
        defer { withExtendedLifetime(lock) {} }
        let storage = FailingProgress(folder: progress) {
            dice.throwOnce() < faults
        }
        let limits = HealthSyncLimits(
            seconds: HealthSyncLimits.unhurried,
            samples: Int.random(in: 1...30, using: &random), batch: Int.random(in: 1...10, using: &random))
        let synchronizer = HealthSynchronizer(
            source: HealthJournal(journal.url), storage: storage,
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), version: "1", lookBackDays: nil, limits: limits))
        await synchronizer.add(
            try OutboxHealthStore(device.store, subject: "p1"), named: "outbox", types: Self.types)
        await synchronizer.add(try await NDJSONHealthStore(file, subject: "p1"), named: "file", types: Self.types)
        return await synchronizer.run()
    }
}

/// Random numbers for concurrent tasks.
private final class Dice: Sendable {
    private let state: Mutex<Seeded>

    init(_ seed: UInt64) { state = Mutex(Seeded(seed)) }

    func throwOnce() -> Double { state.withLock { Double.random(in: 0..<1, using: &$0) } }
}
