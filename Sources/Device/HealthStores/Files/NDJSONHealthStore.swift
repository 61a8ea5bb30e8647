import Crypto
import FHIR
import Foundation
import HealthData
import HealthSync
import Outbox

/// A file of resources as a store of health data, one resource a line (<https://hl7.org/fhir/R4/nd-json.html>).
///
/// What was added stands there once; a deletion is a line of its own behind it, a transaction Bundle of `DELETE`, as the study
/// gets it. Read from the first line to the last, the file is what the source has. A device stands before what it measured.
///
/// What a process was writing when it ended is a line that is not whole: it is cut when the file is opened. Which resources
/// the file has is known at some ten bytes each.
public actor NDJSONHealthStore: ExternalStore {
    private let file: LogFile
    private let lock: FileLock
    private let subject: String?
    private var end: Int
    private var present = FingerprintSet()

    /// A resource has so many bytes at most.
    private static let longestLine = 50_000_000

    /// Opens the file, and makes it where there is none.
    ///
    /// - Parameters:
    ///   - subject: the id of the Patient whose the samples are; nil leaves the subject out.
    ///   - patience: how long another who writes to it is waited for, in seconds.
    /// - Throws: ``HealthStoreError`` `health-file-foreign`: then nothing was changed. `OutboxError` `outbox-busy` where another
    ///   process writes to it; storage errors.
    public init(_ url: URL, subject: String?, patience: Double = 10) throws {
        lock = try PosixFiles().lock(url, patience: patience)
        file = LogFile(url)
        self.subject = subject
        let size = try file.size()
        var present = FingerprintSet()
        end = try FileLines(file: file, limit: Self.longestLine).read(from: 0, to: size) { line in
            if line.isBlank { return true }
            guard !line.isTooLong else { throw HealthStoreError(.fileForeign) }
            switch try Self.meaning(of: line.bytes) {
            case .resource(let target): present.insert(Self.key(of: target))
            case .deletion(let targets): for target in targets { present.remove(Self.key(of: target)) }
            }
            return true
        }
        self.present = present
        guard end < size else { return }
        let heading = Array(#"{"resourceType":"#.utf8)
        let rest = try file.read(from: end, count: heading.count)
        guard rest.elementsEqual(heading.prefix(rest.count)) else { throw HealthStoreError(.fileForeign) }
        try file.write([], at: end)
    }

    /// Whether the file has no lines.
    public var isEmpty: Bool { end == 0 }

    public func fetch(_ samples: [OutgoingSample]) async -> [UUID: StorePresence] {
        Dictionary(samples.map { ($0.uuid, has($0) ? .present : .absent) }, uniquingKeysWith: { first, _ in first })
    }

    /// What is there is the same: its id is made of its content.
    public func update(_ samples: [OutgoingSample]) -> [UUID: HealthOutcome] { Self.stored(samples.map(\.uuid)) }

    public func add(_ samples: [OutgoingSample]) throws -> [UUID: HealthOutcome] {
        var lines: [UInt8] = []
        var added: Set<String> = []
        for sample in samples where !has(sample) && added.isDisjoint(with: sample.targets) {
            if let device = sample.device {
                let target = "Device/" + device.resourceID(subject: subject)
                if !present.contains(Self.key(of: target)), added.insert(target).inserted {
                    device.resource(subject: subject).write(to: &lines)
                    lines.append(0x0A)
                }
            }
            added.formUnion(sample.targets)
            lines += sample.lines
        }
        try append(lines)
        for target in added { present.insert(Self.key(of: target)) }
        return Self.stored(samples.map(\.uuid))
    }

    public func delete(_ samples: [DeletedSample]) throws -> [UUID: HealthOutcome] {
        var asked: Set<String> = []
        let targets = samples.flatMap(\.targets)
            .filter { present.contains(Self.key(of: $0)) && asked.insert($0).inserted }
        if !targets.isEmpty {
            try append(OutboxHealthStore.deletion(targets).bytes() + [0x0A])
            for target in targets { present.remove(Self.key(of: target)) }
        }
        return Self.stored(samples.map(\.uuid))
    }

    private func append(_ lines: [UInt8]) throws {
        guard !lines.isEmpty else { return }
        try file.write(lines, at: end)
        end += lines.count
    }

    private func has(_ sample: OutgoingSample) -> Bool {
        !sample.targets.isEmpty && sample.targets.allSatisfy { present.contains(Self.key(of: $0)) }
    }

    private static func stored(_ uuids: [UUID]) -> [UUID: HealthOutcome] {
        Dictionary(uuids.map { ($0, .stored) }, uniquingKeysWith: { first, _ in first })
    }

    private static func key(of target: String) -> FingerprintKey {
        SHA256.hash(data: Data(target.utf8)).withUnsafeBytes { bytes in
            FingerprintKey(
                high: bytes.loadUnaligned(as: UInt64.self),
                low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    private enum Meaning {
        case resource(String)
        case deletion([String])
    }

    private static func meaning(of line: ArraySlice<UInt8>) throws(HealthStoreError) -> Meaning {
        guard let json = JSON(reading: line), let type = json["resourceType"]?.string, Resource.isTypeName(type) else {
            throw HealthStoreError(.fileForeign)
        }
        if let id = json["id"]?.string { return .resource(type + "/" + id) }
        guard type == "Bundle", let entries = json["entry"]?.array else { throw HealthStoreError(.fileForeign) }
        return .deletion(entries.compactMap { $0["request"]?["url"]?.string })
    }
}
