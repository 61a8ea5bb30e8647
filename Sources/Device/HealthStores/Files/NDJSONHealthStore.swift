import Core
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
    /// The source of the sample before, whose device stands in the file.
    private var lastSource: HealthSource?

    /// A resource has so many bytes at most.
    private static let longestLine = 50_000_000

    /// Opens the file, and makes it where there is none.
    ///
    /// - Parameters:
    ///   - subject: the id of the Patient whose the samples are; nil leaves the subject out.
    ///   - patience: how long another who writes to it is waited for, in seconds.
    /// - Throws: ``HealthStoreError`` `health-file-foreign`: then nothing was changed. `OutboxError` `outbox-busy` where another
    ///   process writes to it; storage errors.
    public init(_ url: URL, subject: String?, patience: Double = 10) async throws {
        lock = try await PosixFiles().lock(url, awaiting: patience)
        file = LogFile(url)
        self.subject = subject
        let size = try file.size()
        var present = FingerprintSet()
        end = try FileLines(file: file, limit: Self.longestLine).read(from: 0, to: size) { line in
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

    /// What is there is the same: its id is made of its content.
    public func update(_ samples: [OutgoingSample]) -> StoreAnswers<HealthOutcome> { StoreAnswers(forAll: .stored) }

    public func add(_ samples: [OutgoingSample]) throws -> StoreAnswers<HealthOutcome> {
        var lines: [UInt8] = []
        lines.reserveCapacity(samples.reduce(2_048) { $0 + $1.lines.count })
        // What this call adds counts as present for the samples behind it.
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

    /// The reference to the resource of a line that begins as those that are written here: nothing behind its id need be read.
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
