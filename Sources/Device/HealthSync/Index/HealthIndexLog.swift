import DeviceSystem
import Foundation

/// The index of a stream as an append-only log. None of it is held in memory.
///
/// A format for implementations of ``HealthSyncStorage``. Recording and removing append only the new entries. A lookup,
/// which only deletions need, reads the log twice from beginning to end in pieces: about 33 bytes a sample. Its memory
/// is proportional to the number of samples that are looked up. ``compact(into:)`` rewrites a log that consists mainly
/// of removed samples.
///
/// A frame that is incomplete because the process ended was never acknowledged, and is overwritten.
/// ```
/// "tributary-ids-01" (length: 4 bytes, its complement: 4, checksum: 8, entries)*
/// entry: 1 UUID UUID-of-Observation | 2 UUID length: 2 bytes, target | 3 UUID
/// ```
public struct HealthIndexLog<File: GrowingFile>: Sendable {
    private var log: FramedLog
    /// Entries of the log, including those that a later entry undoes, as far as this process knows.
    public private(set) var entries = 0
    /// Entries that remove a sample.
    public private(set) var forgotten = 0

    /// Opens a log. An empty file is an empty log. The file is read once, to find its end.
    ///
    /// - Throws: ``HealthSyncError`` `health-index-damaged` if a frame is damaged and others follow, or if the file is
    ///   of another kind; any error of the file.
    public init(_ file: File) throws {
        var (entries, forgotten) = (0, 0)
        do {
            log = try FramedLog(file, heading: IndexFrame.heading) { content in
                IndexFrame.read(content) { entry in
                    entries += 1
                    if entry.target == nil { forgotten += 1 }
                }
            }
        } catch is FramedLog.Damage {
            throw HealthSyncError(.indexDamaged)
        }
        (self.entries, self.forgotten) = (entries, forgotten)
    }

    /// Records the resources of samples.
    public mutating func record(_ entries: [IndexEntry]) throws {
        try append(entries.map { IndexLogEntry(uuid: $0.uuid, target: $0.target) })
    }

    /// Removes samples.
    public mutating func forget(_ uuids: [UUID]) throws {
        try append(uuids.map { IndexLogEntry(uuid: $0, target: nil) })
        forgotten += uuids.count
    }

    /// Returns the entries of samples; samples without an entry are left out.
    ///
    /// 1. The last entry of a sample is valid.
    /// 2. A second scan counts the samples that are the same resources.
    public func known(_ uuids: [UUID]) throws -> [UUID: IndexedSample] {
        let wanted = Set(uuids)
        var targets: [UUID: HealthTarget] = [:]
        try scan { entry in
            if wanted.contains(entry.uuid) { targets[entry.uuid] = entry.target }
        }
        guard !targets.isEmpty else { return [:] }
        var samples: [HealthTarget: Set<UUID>] = Dictionary(
            targets.values.map { ($0, []) }, uniquingKeysWith: { first, _ in first })
        var counted: [UUID: HealthTarget] = [:]
        try scan { entry in
            if let old = counted.removeValue(forKey: entry.uuid) { samples[old]?.remove(entry.uuid) }
            if let target = entry.target, samples[target] != nil {
                samples[target]?.insert(entry.uuid)
                counted[entry.uuid] = target
            }
        }
        return targets.mapValues { IndexedSample(target: $0, count: samples[$0]?.count ?? 0) }
    }

    /// Returns all samples of the index, at 16 bytes each and the overhead of a set. It is intended for small indexes.
    public func identifiers() throws -> Set<UUID> {
        var identifiers: Set<UUID> = []
        try scan { entry in
            if entry.target == nil { identifiers.remove(entry.uuid) } else { identifiers.insert(entry.uuid) }
        }
        return identifiers
    }

    /// Whether less than half of the log is still valid. A log of few entries is left as it is.
    public var isWorthCompacting: Bool { forgotten > 1_000 && forgotten * 4 > entries }

    /// Writes the valid entries to another, empty file, and returns the log on it. The caller replaces the old file
    /// with it.
    ///
    /// The log is read sixteen times, once for each first hexadecimal digit of the identifiers, so that few entries are
    /// in memory at once.
    public func compact(into target: File) throws -> HealthIndexLog {
        var copy = try HealthIndexLog(target)
        for part in UInt8(0)..<16 {
            var live: [UUID: HealthTarget] = [:]
            try scan { entry in if entry.uuid.uuid.0 >> 4 == part { live[entry.uuid] = entry.target } }
            try copy.append(live.map { IndexLogEntry(uuid: $0.key, target: $0.value) })
        }
        return copy
    }

    private mutating func append(_ new: [IndexLogEntry]) throws {
        let frames = stride(from: 0, to: new.count, by: IndexFrame.entryLimit).map { start in
            IndexFrame.content(new[start..<min(start + IndexFrame.entryLimit, new.count)])
        }
        try log.append(frames)
        entries += new.count
    }

    /// Reads all entries, in pieces.
    private func scan(_ take: (IndexLogEntry) -> Void) throws {
        do {
            try log.scan { IndexFrame.read($0, take) }
        } catch is FramedLog.Damage {
            throw HealthSyncError(.indexDamaged)
        }
    }
}
