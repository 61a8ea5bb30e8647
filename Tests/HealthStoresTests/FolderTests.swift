import Core
import Foundation
import HealthStores
import HealthSync
import TestSupport
import Testing

@Suite struct FolderTests {
    private static let stream = HealthStream(type: "HKQuantityTypeIdentifierHeartRate", store: "outbox")

    private static func uuid(_ random: inout Seeded) -> UUID {
        let words = [random.next(), random.next()]
        return words.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    @Test func savedStatePersistsAndStreamNamesAreNotUsedAsPaths() async throws {
        let folder = try TemporaryFolder()
        let location = folder.url.appendingPathComponent("progress")
        let streams = [
            Self.stream, HealthStream(type: "../../x", store: "ndjson=/a/b c.ndjson"),
            HealthStream(type: ".", store: ""), HealthStream(type: "org.example.mood", store: "outbox"),
            HealthStream(type: String(repeating: "ü", count: 200), store: "outbox"),
        ]
        let uuid = UUID()
        for (number, stream) in streams.enumerated() {
            let progress = HealthSyncFolder(location)
            #expect(try await progress.state(of: stream) == nil)
            try await progress.save(HealthStreamState().bytes(of: stream), of: stream)
            try await progress.record([IndexEntry(uuid: uuid, target: "Observation/o\(number)")], of: stream)
        }
        let progress = HealthSyncFolder(location)
        #expect(try await progress.streams() == streams.sorted())
        for (number, stream) in streams.enumerated() {
            #expect(try await progress.state(of: stream) == HealthStreamState().bytes(of: stream))
            #expect(
                try await progress.known([uuid, UUID()], of: stream)
                    == [uuid: IndexedSample(target: "Observation/o\(number)", count: 1)])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["progress"])
        try await progress.erase(Self.stream)
        #expect(try await progress.state(of: Self.stream) == nil)
        #expect(try await progress.known([uuid], of: Self.stream).isEmpty)
        #expect(try await progress.streams().count == streams.count - 1)
    }

    @Test func anIndexThatAHalfErasedStreamLeftIsForgotten() async throws {
        let folder = try TemporaryFolder()
        let uuid = UUID()
        let progress = HealthSyncFolder(folder.url)
        try await progress.save([1], of: Self.stream)
        try await progress.record([IndexEntry(uuid: uuid, target: "Observation/o")], of: Self.stream)
        // The process ended between the two removals.
        try FileManager.default.removeItem(
            at: folder.url.appendingPathComponent("outbox/HKQuantityTypeIdentifierHeartRate/state.json"))
        let next = HealthSyncFolder(folder.url)
        try await next.save([2], of: Self.stream)
        #expect(try await next.known([uuid], of: Self.stream).isEmpty)
    }

    @Test func truncatedIndexHasTheAcknowledgedEntries() async throws {
        var random = Seeded.fresh()
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("outbox/HKQuantityTypeIdentifierHeartRate/index")
        let uuids = (0..<40).map { _ in Self.uuid(&random) }
        var model: [UUID: HealthTarget] = [:]
        var progress = HealthSyncFolder(folder.url)
        try await progress.save([1], of: Self.stream)
        for _ in 0..<120 {
            let before = (try? Data(contentsOf: file)) ?? Data()
            let some = Array(uuids.shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random)))
            var next = model
            if Bool.random(using: &random) {
                let id = Self.uuid(&random).uuidString.lowercased()
                let target = HealthTarget("Observation/\(id)")
                try await progress.record(some.map { IndexEntry(uuid: $0, target: target) }, of: Self.stream)
                for uuid in some { next[uuid] = target }
            } else {
                try await progress.forget(some, of: Self.stream)
                for uuid in some { next[uuid] = nil }
            }
            let after = (try? Data(contentsOf: file)) ?? Data()
            if after.count > before.count, Bool.random(using: &random) {
                try after.prefix(Int.random(in: before.count..<after.count, using: &random)).write(to: file)
                progress = HealthSyncFolder(folder.url)
            } else {
                model = next
            }
            let known = try await progress.known(uuids, of: Self.stream)
            #expect(known.mapValues(\.target) == model)
        }
    }

    @Test func indexWithMostlyForgottenEntriesIsCompacted() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("outbox/HKQuantityTypeIdentifierHeartRate/index")
        let progress = HealthSyncFolder(folder.url)
        try await progress.save([1], of: Self.stream)
        let uuids = (0..<1_500).map { _ in UUID() }
        try await progress.record(uuids.map { IndexEntry(uuid: $0, target: "Observation/o") }, of: Self.stream)
        let size = try Data(contentsOf: file).count
        try await progress.forget(Array(uuids.dropLast()), of: Self.stream)
        #expect(try Data(contentsOf: file).count < size / 10)
        #expect(
            try await progress.known(uuids, of: Self.stream)
                == [uuids[1_499]: IndexedSample(target: "Observation/o", count: 1)])
        try await progress.record([IndexEntry(uuid: uuids[0], target: "Observation/p")], of: Self.stream)
        #expect(try await HealthSyncFolder(folder.url).known(uuids, of: Self.stream).count == 2)
    }

    @Test func lockHolderRemovesPartiallyWrittenFiles() async throws {
        let folder = try TemporaryFolder()
        try await HealthSyncFolder(folder.url).save([1], of: Self.stream)
        let location = folder.url.appendingPathComponent("outbox/HKQuantityTypeIdentifierHeartRate")
        try Data([2]).write(to: location.appendingPathComponent(".tmp-half"))
        _ = try await HealthSyncFolder(folder.url).lock()
        #expect(try FileManager.default.contentsOfDirectory(atPath: location.path) == ["state.json"])
    }

    @Test func oneHasTheLock() async throws {
        let folder = try TemporaryFolder()
        let location = folder.url.appendingPathComponent("progress")
        var lock: Any? = try await HealthSyncFolder(location).lock()
        var code: String?
        do { _ = try await HealthSyncFolder(location).lock(patience: 0) } catch {
            code = (error as? any CodedError)?.code
        }
        #expect(code == "file-busy" && lock != nil)
        lock = nil
        _ = try await HealthSyncFolder(location).lock(patience: 0)
    }
}
