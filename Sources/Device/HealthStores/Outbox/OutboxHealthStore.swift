import FHIR
import Foundation
import HealthData
import HealthSync
import Outbox

/// The outbox as a store of health data. It queues sealed batches, in the format of an export, and deletions.
///
/// A sample is stored when it is durably queued. Samples that an export sent are present and are not sent again.
/// Deletions are transaction Bundles of `DELETE Observation/ID`, in submissions of their own.
public actor OutboxHealthStore: ExternalStore {
    private let store: DeviceStore
    private let subject: String
    private var sent: SentHealthData

    /// Maximum number of samples or deletions in a submission.
    static let batchSize = 500

    /// Creates the store of a device's outbox.
    ///
    /// - Parameter subject: the id of the participant's Patient, to whom the samples belong.
    /// - Throws: as ``SentHealthData/init(folder:)``.
    public init(_ store: DeviceStore, subject: String) throws {
        self.store = store
        self.subject = subject
        sent = try SentHealthData(folder: store.folder)
    }

    public func fetch(_ samples: [OutgoingSample]) async -> StoreAnswers<StorePresence> {
        var present: [UUID: StorePresence] = [:]
        for sample in samples where isSent(sample) { present[sample.uuid] = .present }
        return StoreAnswers(forAll: .absent, but: present)
    }

    /// Reports all as stored: an existing resource is the same, because its id is derived from its content.
    public func update(_ samples: [OutgoingSample]) -> StoreAnswers<HealthOutcome> { StoreAnswers(forAll: .stored) }

    public func add(_ samples: [OutgoingSample]) throws -> StoreAnswers<HealthOutcome> {
        for start in stride(from: 0, to: samples.count, by: Self.batchSize) {
            try queue(samples[start..<min(start + Self.batchSize, samples.count)].filter { !isSent($0) })
        }
        return StoreAnswers(forAll: .stored)
    }

    public func delete(_ samples: [DeletedSample]) throws -> StoreAnswers<HealthOutcome> {
        var refused: [UUID: HealthOutcome] = [:]
        var ids: [String] = []
        var asked: Set<String> = []
        for sample in samples {
            let own = sample.targets.compactMap(Self.observationID)
            // The study accepts no deletion of a resource that a hospital wrote.
            guard own.count == sample.targets.count else {
                refused[sample.uuid] = .refused(code: "deletion-not-taken")
                continue
            }
            ids += own.filter { asked.insert($0).inserted }
        }
        // Recorded first: if the Bundle is not queued, a sample that is added again is still sent again.
        try sent.delete(ids)
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            let bundle = Self.deletion(ids[start..<min(start + Self.batchSize, ids.count)].map { "Observation/" + $0 })
            try store.queue(bundle.data(), kind: "Bundle", as: .resource)
        }
        return StoreAnswers(forAll: .stored, but: refused)
    }

    public func backlog() async throws -> Int { try store.outbox.entries().count }

    /// Returns a transaction that deletes resources (<https://hl7.org/fhir/R4/http.html#transaction>).
    static func deletion(_ targets: [String]) -> JSON {
        [
            "resourceType": "Bundle", "type": "transaction",
            "entry": .array(targets.map { ["request": ["method": "DELETE", "url": .string($0)]] }),
        ]
    }

    private static func observationID(_ target: String) -> String? {
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0] == "Observation" ? String(parts[1]) : nil
    }

    private func isSent(_ sample: OutgoingSample) -> Bool {
        if sample.fingerprint.map({ sent.contains($0, id: sample.resourceID) }) ?? false { return true }
        // An export may have sent it with its value in another unit.
        guard case .observation(let observation) = sample.content else { return false }
        return observation.sample.alternateFingerprints.contains {
            sent.contains($0, id: $0.resourceID(subject: subject))
        }
    }

    // 1. Devices, each before its measurements.
    // 2. A submission for each type of resource, in the order of the samples.
    // 3. The samples are recorded as sent last: after a crash before that, they are sent again with the same ids.
    private func queue(_ samples: [OutgoingSample]) throws {
        guard !samples.isEmpty else { return }
        try queueDevices(of: samples)
        var batches: [(kind: String, lines: [UInt8])] = []
        for sample in samples {
            for (type, text) in sample.leaving {
                let index = batches.firstIndex { $0.kind == type } ?? batches.count
                if index == batches.count { batches.append((type, [])) }
                batches[index].lines += text
                batches[index].lines.append(0x0A)
            }
        }
        for batch in batches { try store.queue(Data(batch.lines), kind: batch.kind, as: .batch) }
        for sample in samples {
            if let fingerprint = sample.fingerprint { sent.stage(fingerprint, id: sample.resourceID) }
        }
        do { try sent.commit() } catch {
            sent.discard()
            throw error
        }
    }

    private func queueDevices(of samples: [OutgoingSample]) throws {
        var ids: [String] = []
        var lines: [UInt8] = []
        for case let device? in samples.map(\.device) {
            let id = device.resourceID(subject: subject)
            guard !ids.contains(id), !sent.contains(device: id) else { continue }
            ids.append(id)
            device.resource(subject: subject).write(to: &lines)
            lines.append(0x0A)
        }
        guard !ids.isEmpty else { return }
        try store.queue(Data(lines), kind: "Device", as: .batch)
        try sent.record(devices: ids)
    }
}
