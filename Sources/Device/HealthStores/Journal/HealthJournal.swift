import Core
import DeviceSystem
import Foundation
import HealthData
import HealthSync

/// A journal of health data: a file of changes in the order in which HealthKit reports them. It replaces HealthKit on
/// systems without it.
///
/// ```
/// {"add":{"uuid":"…","type":"HKQuantityTypeIdentifierHeartRate","value":72,"unit":"count/min",
///         "start":"2026-03-01T08:00:00+01:00","end":"2026-03-01T08:00:00+01:00","metadata":{"HKWasUserEntered":1},
///         "source":{"name":"Watch","productType":"Watch6,1","version":"10.2"}}}
/// {"delete":{"uuid":"…","type":"HKQuantityTypeIdentifierHeartRate"}}
/// ```
/// - One change a line. A category has its raw value, a correlation its `members`, a workout the raw value of its
///   activity and its statistics as `members`. Types with a structure of their own, such as electrocardiograms, are not
///   supported.
/// - An anchor is the offset of a line with a digest of everything before it. A journal that was truncated or rewritten
///   before that offset is detected (`health-anchor-invalid`).
/// - The last line is read once it has its newline. An unreadable line counts as an unreadable sample.
/// - There is no order by date, so all data are read by the anchor, and there are no wakes.
/// - The next batch of a type is read while the previous one is processed (``JournalPrefetch``).
public actor HealthJournal: HealthSampleSource {
    /// The types in a journal.
    public struct Survey: Sendable, Hashable {
        /// The types that its lines name.
        public internal(set) var types: Set<String> = []
        /// The number of lines that name no type.
        public internal(set) var unreadable = 0
    }

    /// Maximum bytes of a line.
    public static let longestLine = 1_000_000
    /// Maximum number of types in a survey; HealthKit has about two hundred.
    private static let typeLimit = 2_000

    private let file: LogFile
    private let table: HealthTypeTable
    private var checks = JournalChecks()
    private var zones = TimeZoneOffsets()
    private var scanner = JournalScanner()
    private var prefetch = JournalPrefetch()

    /// Creates a journal in a file.
    public init(_ url: URL, table: HealthTypeTable = .standard) {
        file = LogFile(url)
        self.table = table
    }

    /// Reads the journal and returns its types.
    ///
    /// - Throws: `HealthSourceError` `health-unavailable` if there is no file; storage errors.
    public func survey() throws -> Survey {
        var survey = Survey()
        // Nearly all lines name the same type as the previous line.
        var last: [UInt8] = []
        try lines.read(from: 0, to: size()) { line in
            if line.isBlank { return true }
            var isKnown = false
            func take(_ type: ArraySlice<UInt8>) {
                isKnown = true
                guard type != last[...], survey.types.count < Self.typeLimit else { return }
                last = Array(type)
                survey.types.insert(String(decoding: type, as: UTF8.self))
            }
            if !JournalLine.eachType(in: line.bytes, take) {
                let type = JournalLine(line, named: "").type
                if !type.isEmpty { take(Array(type.utf8)[...]) }
            }
            if !isKnown { survey.unreadable += 1 }
            return true
        }
        return survey
    }

    // MARK: - HealthSampleSource

    public func position(of type: String) -> HealthAnchor? { nil }

    public func changes(of type: String, after anchor: HealthAnchor?, limit: Int) async throws -> HealthChanges {
        let request = JournalPrefetch.Request(type: type, anchor: anchor, limit: limit)
        let version = try JournalPrefetch.FileVersion(file.url)
        let changes = try await prefetch.take(request, of: version)?.changes() ?? read(request)
        if changes.hasMore {
            let next = JournalPrefetch.Request(type: type, anchor: changes.anchor, limit: limit)
            prefetch.begin(next, of: version) { Task { try self.read(next) } }
        }
        return changes
    }

    private func read(_ request: JournalPrefetch.Request) throws -> HealthChanges {
        let (type, anchor, limit) = (request.type, request.anchor, request.limit)
        let size = try size()
        let start = try anchor.map { try offset(of: $0, within: size) } ?? 0
        var changes = HealthChanges(anchor: anchor)
        var deleted: Set<UUID> = []
        let isKnown = table.type(type) != nil
        let end = try read(type, from: start, to: size) { line in
            // A sample that is added again after its deletion belongs to the next batch: within a batch, a deletion has
            // priority.
            guard changes.added.count + changes.deleted.count < limit, !deleted.contains(line.uuid) else {
                changes.hasMore = true
                return false
            }
            switch line.change {
            case .added(let sample, let end):
                changes.added.append(reading(line.uuid, sample: sample, end: end, isKnown: isKnown))
            case .deleted:
                deleted.insert(line.uuid)
                changes.deleted.append(line.uuid)
            }
            return true
        }
        if end > start {
            let check = try checks.check(file, at: end)
            changes.anchor = HealthAnchor("\(end)-\(check)".utf8)
        }
        return changes
    }

    public func history(of type: String, since: Double?, upTo: Double?, limit: Int) -> HealthPage {
        HealthPage([], hasMore: false)
    }

    public func samples(of type: String, _ uuids: [UUID]) throws -> [HealthReading] {
        let wanted = Set(uuids)
        var found: [UUID: HealthReading] = [:]
        let isKnown = table.type(type) != nil
        try read(type, from: 0, to: size()) { line in
            guard wanted.contains(line.uuid) else { return true }
            switch line.change {
            case .added(let sample, let end):
                found[line.uuid] = reading(line.uuid, sample: sample, end: end, isKnown: isKnown)
            case .deleted: found[line.uuid] = nil
            }
            return true
        }
        return uuids.compactMap { found.removeValue(forKey: $0) }
    }

    public func startObserving(
        _ types: [String], _ wake: @escaping @Sendable (ObserverUpdate) -> Void
    ) -> [String: HealthSourceError] {
        Dictionary(types.map { ($0, HealthSourceError(.deliveryRefused)) }, uniquingKeysWith: { first, _ in first })
    }

    public func stopObserving() { prefetch.cancel() }

    // MARK: - Reading

    private var lines: LogFileLines { LogFileLines(file: file, limit: Self.longestLine) }

    private func size() throws -> Int {
        guard FileManager.default.fileExists(atPath: file.url.path) else { throw HealthSourceError(.unavailable) }
        return try file.size()
    }

    /// Reads the lines of a type. Lines of other types are skipped by their bytes.
    @discardableResult
    private func read(
        _ type: String, from start: Int, to end: Int, _ body: (JournalLine) throws -> Bool
    ) throws -> Int {
        let bytes = Array("\"\(type)\"".utf8)
        // A line of the type is nearly always followed by another one, so the search for the type's name is skipped
        // then.
        var isRow = false
        return try lines.read(from: start, to: end) { line in
            guard
                isRow || line.bytes.end(of: bytes) != nil || line.bytes.contains(byte: UInt8(ascii: "\\")),
                !line.isBlank
            else { return true }
            let plain = line.isTooLong ? nil : scanner.read(line.bytes)
            let read = plain ?? JournalLine(line, named: JournalLine.types(in: line.bytes)?.first ?? "")
            isRow = read.type == type
            return isRow ? try body(read) : true
        }
    }

    private func offset(of anchor: HealthAnchor, within size: Int) throws -> Int {
        let parts = String(decoding: anchor.bytes, as: UTF8.self).split(separator: "-")
        guard parts.count == 2, let offset = Int(parts[0]), (0...size).contains(offset),
            try checks.check(file, at: offset) == parts[1]
        else { throw HealthSourceError(.anchorInvalid) }
        return offset
    }

    /// - Parameter isKnown: whether the sample's type is in the table.
    private func reading(
        _ uuid: UUID, sample: Result<HealthKitSample, SkipReason>, end: Double, isKnown: Bool
    ) -> HealthReading {
        switch sample {
        case .success(let sample):
            guard isKnown else { return HealthReading(uuid: uuid, end: end, .other(.null)) }
            do throws(SkipReason) {
                return HealthReading(uuid: uuid, end: end, .sample(try sample.sample(in: table, &zones)))
            } catch {
                return HealthReading(uuid: uuid, end: end, .unreadable(error))
            }
        case .failure(let reason): return HealthReading(uuid: uuid, end: end, .unreadable(reason))
        }
    }
}
