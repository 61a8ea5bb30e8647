import Core
import Foundation
import HealthData
import HealthStores
import HealthSync
import Outbox
import TestSupport
import Wire

extension HealthSyncLimits {
    /// Seconds of one run in tests that do not test its duration: a busy machine can take long for two samples.
    static let unhurried = 3_600.0
}

/// A journal in a folder, written by a test, with the content that a store should have.
struct WrittenJournal {
    static let heartRate = "HKQuantityTypeIdentifierHeartRate"
    static let steps = "HKQuantityTypeIdentifierStepCount"
    static let sleep = "HKCategoryTypeIdentifierSleepAnalysis"

    let url: URL
    /// The present samples with their content except for the identifier.
    var samples: [UUID: String] = [:]

    init(in folder: TemporaryFolder, _ name: String = "journal.ndjson") throws {
        url = folder.url.appendingPathComponent(name)
        try Data().write(to: url)
    }

    func write(_ line: String) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((line + "\n").utf8))
    }

    static func content(_ type: String, _ value: Int, minute: Int) -> String {
        let time =
            "2026-03-01T\(8 + minute / 60 < 10 ? "0" : "")\(8 + minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60):00+01:00"
        let unit = type == heartRate ? #","unit":"count/min""# : type == steps ? #","unit":"count""# : ""
        return #""type":"\#(type)","value":\#(value)\#(unit),"start":"\#(time)","end":"\#(time)","#
            + #""source":{"name":"Kim’s Watch","productType":"Watch6,1","version":"10.2"}"#
    }

    @discardableResult
    mutating func add(_ type: String, _ value: Int, minute: Int, uuid: UUID = UUID()) throws -> UUID {
        let content = Self.content(type, value, minute: minute)
        try write(#"{"add":{"uuid":"\#(uuid.uuidString)",\#(content)}}"#)
        samples[uuid] = content
        return uuid
    }

    mutating func delete(_ uuid: UUID, _ type: String) throws {
        try write(#"{"delete":{"uuid":"\#(uuid.uuidString)","type":"\#(type)"}}"#)
        samples[uuid] = nil
    }

    /// Makes a random change: new samples, equal contents, an edit, a deletion.
    mutating func change(_ random: inout Seeded) throws {
        let type = [Self.heartRate, Self.steps, Self.sleep].randomElement(using: &random) ?? Self.steps
        let known = samples.keys.sorted { $0.uuidString < $1.uuidString }.randomElement(using: &random)
        func add(_ journal: inout WrittenJournal, _ type: String) throws {
            try journal.add(
                type, Int.random(in: 0...4, using: &random), minute: Int.random(in: 0...9, using: &random))
        }
        guard let known, let content = samples[known], Int.random(in: 0..<3, using: &random) == 0 else {
            return try add(&self, type)
        }
        let its = [Self.heartRate, Self.steps, Self.sleep].first { content.contains($0) } ?? type
        try delete(known, its)
        if Bool.random(using: &random) { try add(&self, its) }
    }

    /// Returns the ids of the Observations that a store should have for a subject, computed by the conversion only.
    func expected(subject: String) throws -> Set<String> {
        var zones = TimeZoneOffsets()
        return try Set(
            samples.values.map { content in
                let json = try JSON(parsing: "{\(content)}")
                let start = DateTime(json["start"]?.string ?? "").map { HealthInstant($0.start(), offsetMinutes: 60) }
                let moment = start ?? HealthInstant(seconds: 0, offsetMinutes: 0)
                let sample = HealthKitSample(
                    type: json["type"]?.string ?? "", value: json["value"]?.number?.text, unit: json["unit"]?.string,
                    start: moment, end: moment,
                    source: HealthSource(name: "Kim’s Watch", productType: "Watch6,1", version: "10.2"))
                return try sample.sample(in: .standard, &zones).fingerprint.resourceID(subject: subject)
            })
    }
}

/// An enrolled device with its consent, and the key that opens its sealed submissions.
struct EnrolledDevice {
    let folder: TemporaryFolder
    let store: DeviceStore
    private let key: PrivateKey

    init() throws {
        folder = try TemporaryFolder()
        store = try DeviceStore.open(folder.url)
        key = try PrivateKey.generateP256()
        try store.save(
            Enrolment(
                baseURL: "https://study.example", clientID: "c", clientSecret: "s", antispam: "w",
                jwks: String(decoding: PublicKey.jwks([key.publicKey]), as: UTF8.self)))
        try store.queue(Data(#"{"resourceType":"Contract","id":"c"}"#.utf8), kind: "Contract", as: .resource)
    }

    /// Returns the submissions after the Contract, in order: the kind in the file's name, and the resources.
    func submissions() throws -> [(kind: String, resources: [JSON])] {
        try store.outbox.entries().dropFirst().map { entry in
            let opened = try OpenedEnvelope.open(store.outbox.read(entry), with: KeySet([key]))
            let lines = opened.payload.split(separator: 0x0A)
            return (entry.kind, try lines.map { try JSON(Array($0)) })
        }
    }

    /// Returns the ids of the Observations that exist after all submissions are processed in order.
    func observations() throws -> Set<String> { try Self.observations(submissions().flatMap(\.resources)) }

    static func observations(_ resources: [JSON]) throws -> Set<String> {
        var ids: Set<String> = []
        for resource in resources {
            switch resource["resourceType"]?.string {
            case "Observation": if let id = resource["id"]?.string { ids.insert(id) }
            case "Bundle":
                for entry in resource["entry"]?.array ?? [] {
                    ids.remove(String((entry["request"]?["url"]?.string ?? "").dropFirst("Observation/".count)))
                }
            default: break
            }
        }
        return ids
    }
}

/// A folder of progress that sometimes saves nothing, like a process that ends at that point.
struct FailingProgress: HealthSyncStorage {
    struct Ended: Error {}

    let folder: HealthSyncFolder
    let fails: @Sendable () -> Bool

    func state(of stream: HealthStream) async throws -> [UInt8]? { try await folder.state(of: stream) }
    func save(_ state: [UInt8], of stream: HealthStream) async throws {
        if fails() { throw Ended() }
        try await folder.save(state, of: stream)
    }
    func known(_ uuids: [UUID], of stream: HealthStream) async throws -> [UUID: IndexedSample] {
        try await folder.known(uuids, of: stream)
    }
    func record(_ notes: [IndexEntry], of stream: HealthStream) async throws {
        try await folder.record(notes, of: stream)
    }
    func forget(_ uuids: [UUID], of stream: HealthStream) async throws {
        if fails() { throw Ended() }
        try await folder.forget(uuids, of: stream)
    }
    func erase(_ stream: HealthStream) async throws { try await folder.erase(stream) }
}
