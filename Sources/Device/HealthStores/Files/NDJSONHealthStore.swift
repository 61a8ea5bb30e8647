import Core
import DeviceSystem
import FHIR
import Foundation
import HealthData
import HealthSync

/// A file of resources as a store of health data, one resource a line (<https://hl7.org/fhir/R4/nd-json.html>).
///
/// Each added resource is stored once. A deletion is a later line of its own: a transaction Bundle of `DELETE`, as the
/// study receives it. Read from the first line to the last, the file has the content of the source. A device precedes
/// its measurements.
///
/// An incomplete last line, which a terminated process leaves, is removed when the file is opened. The set of the
/// file's resources is held in memory at about ten bytes each.
public actor NDJSONHealthStore: ExternalStore {
    private let file: LogFile
    private let lock: FileLock
    private let subject: String?
    private var end: Int
    private var present = FingerprintSet()
    /// The source of the previous sample, whose device is in the file.
    private var lastSource: HealthSource?

    /// Maximum bytes of a resource.
    private static let longestLine = 50_000_000

    /// Opens the file, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - subject: the id of the Patient to whom the samples belong; nil leaves the subject out.
    ///   - patience: seconds to wait for another process that writes to the file.
    /// - Throws: ``HealthStoreError`` `health-file-foreign`, without any change to the file; `DeviceStorageError`
    ///   `file-busy` if another process writes to it; storage errors.
    public init(_ url: URL, subject: String?, patience: Double = 10) async throws {
        lock = try await PosixFiles().lock(url, awaiting: patience)
        file = LogFile(url)
        self.subject = subject
        let size = try file.size()
        var present = FingerprintSet()
        end = try LogFileLines(file: file, limit: Self.longestLine).read(from: 0, to: size) { line in
            if line.isBlank { return true }
            guard !line.isTooLong else { throw HealthStoreError(.fileForeign) }
            switch try Self.meaning(of: line.bytes) {
            case .resource(let target): present.insert(ResourceKey.key(of: target))
            case .deletion(let targets): for target in targets { present.remove(ResourceKey.key(of: target)) }
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

    public func fetch(_ samples: [OutgoingSample]) async -> StoreAnswers<StorePresence> {
        var present: [UUID: StorePresence] = [:]
        for sample in samples where has(sample) { present[sample.uuid] = .present }
        return StoreAnswers(forAll: .absent, but: present)
    }

    /// Reports all as stored: an existing resource is the same, because its id is derived from its content.
    public func update(_ samples: [OutgoingSample]) -> StoreAnswers<HealthOutcome> { StoreAnswers(forAll: .stored) }

    public func add(_ samples: [OutgoingSample]) throws -> StoreAnswers<HealthOutcome> {
        var lines: [UInt8] = []
        lines.reserveCapacity(samples.reduce(2_048) { $0 + $1.lines.count })
        // Resources that this call adds count as present for the following samples.
        var added: [FingerprintKey] = []
        added.reserveCapacity(samples.count + 1)
        func add(_ key: FingerprintKey, _ line: [UInt8]) {
            guard present.insert(key) else { return }
            added.append(key)
            lines += line
        }
        for sample in samples {
            if let source = sample.source, source !== lastSource {
                guard !has(sample) else { continue }
                if let device = source.device {
                    let key = ResourceKey.key(of: "Device/" + device.resourceID(subject: subject))
                    if !present.contains(key) { add(key, device.resource(subject: subject).bytes() + [0x0A]) }
                }
                lastSource = source
            }
            switch sample.target {
            case .observation(let id): add(ResourceKey.key(of: id), sample.lines)
            case .other:
                for (target, line) in zip(sample.targets, sample.lines.split(separator: 0x0A)) {
                    add(ResourceKey.key(of: target), line + [0x0A])
                }
            }
        }
        do {
            try append(lines)
        } catch {
            for key in added { present.remove(key) }
            lastSource = nil
            throw error
        }
        return StoreAnswers(forAll: .stored)
    }

    public func delete(_ samples: [DeletedSample]) throws -> StoreAnswers<HealthOutcome> {
        var asked: Set<String> = []
        let targets = samples.flatMap(\.targets)
            .filter { present.contains(ResourceKey.key(of: $0)) && asked.insert($0).inserted }
        if !targets.isEmpty {
            try append(OutboxHealthStore.deletion(targets).bytes() + [0x0A])
            for target in targets { present.remove(ResourceKey.key(of: target)) }
            lastSource = nil
        }
        return StoreAnswers(forAll: .stored)
    }

    private func append(_ lines: [UInt8]) throws {
        guard !lines.isEmpty else { return }
        try file.write(lines, at: end)
        end += lines.count
    }

    private func has(_ sample: OutgoingSample) -> Bool {
        switch sample.target {
        case .observation(let id): present.contains(ResourceKey.key(of: id))
        case .other(let text): !text.isEmpty && sample.targets.allSatisfy { present.contains(ResourceKey.key(of: $0)) }
        }
    }

    /// Returns the reference to the resource of a line that begins like those written here, without parsing the line
    /// after the id.
    private static func target(beginning line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: typeStart), line.last == UInt8(ascii: "}") else { return nil }
        let type = line.dropFirst(typeStart.count).prefix(64).prefix { $0 != UInt8(ascii: "\"") }
        let rest = line[type.endIndex...]
        guard rest.starts(with: idStart) else { return nil }
        let id = rest.dropFirst(idStart.count).prefix(65).prefix { $0 != UInt8(ascii: "\"") }
        guard id.endIndex < line.endIndex, line[id.endIndex] == UInt8(ascii: "\"") else { return nil }
        let (name, text) = (String(decoding: type, as: UTF8.self), String(decoding: id, as: UTF8.self))
        return Resource.isTypeName(name) && ResourceName.isID(text) ? name + "/" + text : nil
    }

    private static let typeStart = Array(#"{"resourceType":""#.utf8)
    private static let idStart = Array(#"","id":""#.utf8)

    private enum Meaning {
        case resource(String)
        case deletion([String])
    }

    private static func meaning(of line: ArraySlice<UInt8>) throws(HealthStoreError) -> Meaning {
        if let target = target(beginning: line) { return .resource(target) }
        guard let json = JSON(reading: line), let type = json["resourceType"]?.string, Resource.isTypeName(type) else {
            throw HealthStoreError(.fileForeign)
        }
        if let id = json["id"]?.string { return .resource(type + "/" + id) }
        guard type == "Bundle", let entries = json["entry"]?.array else { throw HealthStoreError(.fileForeign) }
        return .deletion(entries.compactMap { $0["request"]?["url"]?.string })
    }
}
