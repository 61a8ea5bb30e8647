import Core
import Foundation
import HealthData
import HealthSync
import TestSupport
import Testing

@testable import HealthStores

@Suite struct NDJSONStoreTests {
    private func wake(_ file: URL, _ journal: WrittenJournal, in folder: TemporaryFolder) async throws {
        let synchronizer = HealthSynchronizer(
            source: HealthJournal(journal.url),
            storage: HealthSyncFolder(folder.url.appendingPathComponent("progress")),
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), lookBackDays: nil,
                limits: HealthSyncLimits(seconds: HealthSyncLimits.unhurried)))
        await synchronizer.add(
            try await NDJSONHealthStore(file, subject: "p1"), named: "file",
            types: [WrittenJournal.heartRate, WrittenJournal.steps])
        let report = await synchronizer.run()
        #expect(!report.hasFailed && !report.hasMore)
    }

    private func lines(_ file: URL) throws -> [JSON] {
        try Data(contentsOf: file).split(separator: 0x0A).map { try JSON(Array($0)) }
    }

    @Test func sampleIsOneLineAndItsDeletionIsALaterLine() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("health.ndjson")
        var journal = try WrittenJournal(in: folder)
        let first = try journal.add(WrittenJournal.heartRate, 70, minute: 0)
        let same = try journal.add(WrittenJournal.heartRate, 70, minute: 0)
        try await wake(file, journal, in: folder)
        #expect(try lines(file).map { $0["resourceType"]?.string } == ["Device", "Observation"])
        try journal.delete(first, WrittenJournal.heartRate)
        try await wake(file, journal, in: folder)
        #expect(try lines(file).count == 2)
        try journal.delete(same, WrittenJournal.heartRate)
        try await wake(file, journal, in: folder)
        #expect(try lines(file).map { $0["resourceType"]?.string } == ["Device", "Observation", "Bundle"])
        #expect(try EnrolledDevice.observations(lines(file)).isEmpty)
        try journal.add(WrittenJournal.heartRate, 70, minute: 0)
        try await wake(file, journal, in: folder)
        #expect(try EnrolledDevice.observations(lines(file)) == journal.expected(subject: "p1"))
        #expect(try lines(file).count == 4)
    }

    @Test func incompleteLineIsCutAndAForeignFileStaysUnchanged() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("health.ndjson")
        let whole = #"{"resourceType":"Observation","id":"a"}"# + "\n"
        for rest in ["", "{", #"{"resourceType":"Obs"#, #"{"resourceType":"Observation","id":"b"}"#] {
            try Data((whole + rest).utf8).write(to: file)
            #expect(try await !NDJSONHealthStore(file, subject: nil).isEmpty)
            #expect(try String(contentsOf: file, encoding: .utf8) == whole)
        }
        for foreign in ["a diary", "a diary\n", #"{"add":{}}"# + "\n", whole + "[]\n", whole + "{\"resource\":1"] {
            try Data(foreign.utf8).write(to: file)
            var code: String?
            do { _ = try await NDJSONHealthStore(file, subject: nil) } catch { code = (error as? any CodedError)?.code }
            #expect(code == "health-file-foreign", "\(foreign)")
            #expect(try String(contentsOf: file, encoding: .utf8) == foreign)
        }
        try FileManager.default.removeItem(at: file)
        let store = try await NDJSONHealthStore(file, subject: nil)
        #expect(await store.isEmpty)
        var code: String?
        do {
            _ = try await NDJSONHealthStore(file, subject: nil, patience: 0)
        } catch { code = (error as? any CodedError)?.code }
        #expect(code == "file-busy")
        let unknown = DeletedSample(uuid: UUID(), type: "x", targets: ["Observation/n"])
        #expect(try await store.delete([unknown])[unknown.uuid] == .stored)
        #expect(await store.isEmpty)
    }

    private actor Holder {
        private var store: NDJSONHealthStore?

        init(store: NDJSONHealthStore) { self.store = store }

        func giveBack() { store = nil }
    }

    /// Waiting for the file blocks no thread that its holder needs: more tasks wait than the pool has threads.
    @Test func waitingTasksDoNotBlockTheHolderOfTheFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("health.ndjson")
        let holder = Holder(store: try await NDJSONHealthStore(file, subject: nil))
        let waiting = ProcessInfo.processInfo.activeProcessorCount * 4
        let opened = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<waiting { group.addTask { try await NDJSONHealthStore(file, subject: nil).isEmpty } }
            group.addTask(priority: .background) {
                await holder.giveBack()
                return true
            }
            return try await group.reduce(into: 0) { if $1 { $0 += 1 } }
        }
        #expect(opened == waiting + 1)
    }
}

/// The keys that identify a file's resources.
@Suite struct ResourceKeyTests {
    @Test func referencesHaveUniqueKeys() {
        var random = Seeded.fresh()
        var keys: Set<FingerprintKey> = []
        var set = FingerprintSet()
        var references: [String] = []
        for number in 0..<2_000 {
            let uuid = UUID((UInt64(0), UInt64(number)))
            references += [
                "Observation/" + uuid.uuidString.lowercased(), "Device/" + uuid.uuidString.lowercased(),
                "Observation/o\(number)",
                "Observation/" + UUID((random.next(), random.next())).uuidString.lowercased(),
            ]
        }
        // Ids are case-sensitive (FHIR R4, 2.24.0.1).
        references += [
            "Observation/" + "aaaaaaaa-0000-4000-8000-000000000001", "Observation/AAAAAAAA-0000-4000-8000-000000000001",
        ]
        for reference in references {
            #expect(keys.insert(ResourceKey.key(of: reference)).inserted)
            let isNew = set.insert(ResourceKey.key(of: reference))
            #expect(isNew)
        }
        #expect(references.allSatisfy { set.contains(ResourceKey.key(of: $0)) })
    }
}
