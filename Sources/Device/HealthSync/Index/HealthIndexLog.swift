import Foundation

/// The index of a stream as a log: what is noted and forgotten stands one after the other, and nothing of it in memory.
///
/// A form for those who implement ``HealthSyncStorage``. Noting and forgetting write as much as there is to say; looking up, which
/// deletions alone need, reads the log twice from its beginning to its end in pieces: some 33 bytes a sample. The memory is that
/// of what is asked for. A log that is mostly of what is forgotten is written anew (``compact(into:)``).
///
/// What a process was writing when it ended is a frame that is not whole: it was never acknowledged, and is written over.
/// ```
/// "tributary-ids-01" (length: 4 bytes, its complement: 4, checksum: 8, entries)*
/// entry: 1 UUID UUID-of-Observation | 2 UUID length: 2 bytes, target | 3 UUID
/// ```
public struct HealthIndexLog<File: HealthLogFile>: Sendable {
    private let file: File
    /// The end of the last whole frame.
    private var end: Int
    /// Entries of the log, and those among them that another one undid, as far as this process knows.
    public private(set) var entries = 0
    /// Entries that say that a sample is forgotten.
    public private(set) var forgotten = 0

    /// Opens a log; a file of no bytes is an empty one. It is read once, for its end.
    ///
    /// - Throws: ``HealthSyncError`` `health-index-damaged` where a frame is not as it was written and others follow, or the
    ///   file is of another kind; what the file throws.
    public init(_ file: File) throws {
        self.file = file
        end = 0
        let size = try file.size()
        let heading = try file.read(from: 0, count: IndexFrame.heading.count)
        guard heading.elementsEqual(IndexFrame.heading.prefix(heading.count)) else {
            throw HealthSyncError(.indexDamaged)
        }
        guard heading.count == IndexFrame.heading.count else { return }
        end = heading.count
        var (entries, forgotten) = (0, 0)
        end = try scan(to: size) { entry in
            entries += 1
            if entry.target == nil { forgotten += 1 }
        }
        (self.entries, self.forgotten) = (entries, forgotten)
    }

    /// Notes which resources samples are.
    public mutating func note(_ notes: [HealthNote]) throws {
        try append(notes.map { IndexEntry(uuid: $0.uuid, target: $0.target) })
    }

    /// Forgets samples.
    public mutating func forget(_ uuids: [UUID]) throws {
        try append(uuids.map { IndexEntry(uuid: $0, target: nil) })
        forgotten += uuids.count
    }

    /// What is known of samples; those that are not known are left out.
    ///
    /// 1. What stands last of a sample counts.
    /// 2. Then those are counted that are the same resources.
    public func known(_ uuids: [UUID]) throws -> [UUID: IndexedSample] {
        let wanted = Set(uuids)
        var targets: [UUID: HealthTarget] = [:]
        try scan(to: end) { entry in
            if wanted.contains(entry.uuid) { targets[entry.uuid] = entry.target }
        }
        guard !targets.isEmpty else { return [:] }
        var samples: [HealthTarget: Set<UUID>] = Dictionary(
            targets.values.map { ($0, []) }, uniquingKeysWith: { first, _ in first })
        var counted: [UUID: HealthTarget] = [:]
        try scan(to: end) { entry in
            if let old = counted.removeValue(forKey: entry.uuid) { samples[old]?.remove(entry.uuid) }
            if let target = entry.target, samples[target] != nil {
                samples[target]?.insert(entry.uuid)
                counted[entry.uuid] = target
            }
        }
        return targets.mapValues { IndexedSample(target: $0, count: samples[$0]?.count ?? 0) }
    }

    /// All samples that are known, at 16 bytes each and what a set needs: for an index of few.
    public func identifiers() throws -> Set<UUID> {
        var identifiers: Set<UUID> = []
        try scan(to: end) { entry in
            if entry.target == nil { identifiers.remove(entry.uuid) } else { identifiers.insert(entry.uuid) }
        }
        return identifiers
    }

    /// Whether less than half of the log still counts. A log of few entries is left as it is.
    public var isWorthCompacting: Bool { forgotten > 1_000 && forgotten * 4 > entries }

    /// Writes what counts to another, empty file, and returns the log on it. The caller puts the file in the place of the old one.
    ///
    /// It reads the log sixteen times, each time for the samples of one first digit, so that few are in memory at once.
    public func compact(into target: File) throws -> HealthIndexLog {
        var copy = try HealthIndexLog(target)
        for part in UInt8(0)..<16 {
            var live: [UUID: HealthTarget] = [:]
            try scan(to: end) { entry in if entry.uuid.uuid.0 >> 4 == part { live[entry.uuid] = entry.target } }
            try copy.append(live.map { IndexEntry(uuid: $0.key, target: $0.value) })
        }
        return copy
    }

    private mutating func append(_ new: [IndexEntry]) throws {
        guard !new.isEmpty else { return }
        var bytes = end == 0 ? IndexFrame.heading : []
        for start in stride(from: 0, to: new.count, by: IndexFrame.entryLimit) {
            IndexFrame.write(new[start..<min(start + IndexFrame.entryLimit, new.count)], to: &bytes)
        }
        try file.write(bytes, at: end)
        end += bytes.count
        entries += new.count
    }

    /// Reads all entries, in pieces.
    ///
    /// - Returns: the end of the last whole frame.
    @discardableResult
    private func scan(to size: Int, _ take: (IndexEntry) -> Void) throws -> Int {
        var place = IndexFrame.heading.count
        var buffer: [UInt8] = []
        var used = 0
        while place + used < size || used < buffer.count {
            // 1. A frame's head, then the frame: more is read where the piece ends inside of it.
            let needed = try IndexFrame.length(in: buffer[used...])
            guard needed > 0 else { break }
            if buffer.count - used < needed {
                guard place + buffer.count < size else { break }
                buffer.removeFirst(used)
                place += used
                used = 0
                let count = max(IndexFrame.pieceLength, needed)
                let piece = try file.read(
                    from: place + buffer.count, count: min(count, size - place - buffer.count))
                guard !piece.isEmpty else { break }
                buffer += piece
                continue
            }
            // 2. One that is not as it was written is the last one, which a process did not end, or damage.
            let frame = buffer[used..<used + needed]
            guard IndexFrame.read(frame, take) else {
                guard place + used + needed >= size else { throw HealthSyncError(.indexDamaged) }
                break
            }
            used += needed
        }
        return place + used
    }
}
