import HealthData

/// Collects the samples of sleep analysis and combines them into sleep sessions and nights.
///
/// 1. Successive samples of all sources without a gap of more than an hour (``gap``) form a sleep session.
/// 2. In a session each second has one stage: that of the first source by ``SourceRank`` that distinguishes awake from
///    asleep at that time. If one source has several stages at once (older apps write "asleep" for the whole night and
///    "awake" inside of it), the first of awake, deep, REM, core, unspecified is used.
/// 3. Time in bed is separate: the seconds for which any source reports it, each counted once.
/// 4. Sleep sessions are combined into nights (``HealthNight/day``).
///
/// The result does not depend on the order of the samples. The following samples are not used, but counted in
/// ``leftOut``: samples without duration, samples longer than a day (no night is that long), and samples beyond
/// ``sampleLimit``. Memory: 24 bytes a sample, and 32 more for its fingerprint if fingerprints are kept.
public struct HealthNights: Sendable {
    /// Maximum gap inside a session, in seconds.
    public static let gap: Int64 = 3600
    /// Maximum number of samples that are kept; ten years of nights have about four hundred thousand.
    public static let sampleLimit = 1_000_000
    /// Maximum duration of a sample that is used, in seconds.
    public static let longest: Int64 = 86_400
    /// Seconds from 18:00, when a night begins, to midnight.
    static let evening: Int64 = 6 * 3600

    /// The reason why a sample is in no night.
    public enum LeftOut: String, Sendable, CaseIterable {
        /// The sample has no duration.
        case empty
        /// The sample is longer than the limit.
        case tooLong = "too-long"
        /// The maximum number of samples is reached.
        case overLimit = "over-limit"
    }

    /// Number of samples that are in no night, by reason.
    public private(set) var leftOut: [LeftOut: Int] = [:]
    private var entries: [Entry] = []
    private var fingerprints: [SampleFingerprint] = []
    private let keepsFingerprints: Bool
    private var ranks: [SourceRank] = []
    private var sourceIndices: [SourceRank: UInt8] = [:]

    private struct Entry: Sendable {
        let start: Int64
        let length: UInt32
        /// The index of the fingerprint; zero for all samples if fingerprints are not kept.
        let fingerprint: UInt32
        let startOffset: Int16
        let endOffset: Int16
        let stage: SleepStage
        let source: UInt8

        var end: Int64 { start + Int64(length) }
        var range: Range<Int64> { start..<end }
    }

    /// - Parameter keepsFingerprints: whether the nights list their samples, which is necessary for a summary that is
    ///   derived from them (``HealthNight/observation(subject:)``).
    public init(keepsFingerprints: Bool = true) { self.keepsFingerprints = keepsFingerprints }

    /// Adds a sample of sleep analysis; ignores all other samples.
    public mutating func add(_ sample: HealthSample, fingerprint: SampleFingerprint) {
        guard case .option(let option) = sample.value, let stage = SleepStage(option) else { return }
        let length = sample.end.seconds - sample.start.seconds
        guard length > 0 else { return leaveOut(.empty) }
        guard length <= Self.longest else { return leaveOut(.tooLong) }
        guard entries.count < Self.sampleLimit else { return leaveOut(.overLimit) }
        entries.reserveForOneMore()
        entries.append(
            Entry(
                start: sample.start.seconds, length: UInt32(length), fingerprint: UInt32(fingerprints.count),
                startOffset: sample.start.offsetMinutes, endOffset: sample.end.offsetMinutes, stage: stage,
                source: sourceIndex(of: SourceRank(sample))))
        guard keepsFingerprints else { return }
        fingerprints.reserveForOneMore()
        fingerprints.append(fingerprint)
    }

    /// Adds an observation of sleep; ignores all others.
    public mutating func add(_ observation: HealthObservation) {
        add(observation.sample, fingerprint: observation.fingerprint)
    }

    /// Returns all nights, by day.
    public mutating func nights() -> [HealthNight] {
        var nights: [HealthNight] = []
        forEachNight { nights.append($0) }
        return nights
    }

    /// Passes the nights one by one, by day. Throws the error of `body`.
    public mutating func forEachNight<Failure: Error>(
        _ body: (HealthNight) throws(Failure) -> Void
    ) throws(Failure) {
        let sorted = ranks.indices.sorted { ranks[$0] < ranks[$1] }
        var order = Array(repeating: 0, count: ranks.count)
        for (rank, source) in sorted.enumerated() { order[source] = rank }
        let fingerprints = fingerprints
        entries.sort { Self.precedes($0, $1, order: order, fingerprints: fingerprints) }
        var night: HealthNight?
        var begin = 0
        while begin < entries.count {
            var end = begin + 1
            var reach = entries[begin].end
            while end < entries.count, entries[end].start - reach <= Self.gap {
                reach = max(reach, entries[end].end)
                end += 1
            }
            let session = Self.session(of: entries[begin..<end], order, fingerprints)
            // After travel to the west, a later session can have an earlier day: it is added to the preceding night.
            if let day = night?.day, session.day <= day {
                night?.sessions.append(session)
            } else {
                if let night { try body(night) }
                night = HealthNight(day: session.day, sessions: [session])
            }
            begin = end
        }
        if let night { try body(night) }
    }

    private static func session(
        of samples: ArraySlice<Entry>, _ order: [Int], _ fingerprints: [SampleFingerprint]
    ) -> SleepSession {
        var times = SleepTimes()
        times[.inBed] = TimeSpans(sorted: samples.lazy.filter { $0.stage == .inBed }.map(\.range)).total
        // The groups in the order of their priority: by source, and by stage within a source.
        var groups: [Int: [Entry]] = [:]
        for sample in samples where sample.stage != .inBed {
            groups[order[Int(sample.source)] * SleepStage.allCases.count + sample.stage.rawValue, default: []]
                .append(sample)
        }
        var covered = TimeSpans()
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            let spans = TimeSpans(sorted: group.lazy.map(\.range))
            if let stage = group.first?.stage { times[stage] += spans.total - covered.secondsShared(with: spans) }
            covered.formUnion(spans)
        }
        // Of samples that begin or end together, the source with the highest priority determines the offset.
        func isBelieved(_ left: Entry, _ right: Entry) -> Bool { order[Int(left.source)] < order[Int(right.source)] }
        var (first, last) = (samples[samples.startIndex], samples[samples.startIndex])
        for sample in samples.dropFirst() {
            if sample.start == first.start, isBelieved(sample, first) { first = sample }
            if sample.end > last.end || sample.end == last.end && isBelieved(sample, last) { last = sample }
        }
        return SleepSession(
            start: HealthInstant(seconds: first.start, offsetMinutes: first.startOffset),
            end: HealthInstant(seconds: last.end, offsetMinutes: last.endOffset), times: times,
            samples: fingerprints.isEmpty ? [] : samples.map { fingerprints[Int($0.fingerprint)] })
    }

    /// Defines an order that depends only on the samples.
    private static func precedes(
        _ left: Entry, _ right: Entry, order: [Int], fingerprints: [SampleFingerprint]
    ) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.length != right.length { return left.length < right.length }
        if left.source != right.source { return order[Int(left.source)] < order[Int(right.source)] }
        if left.stage != right.stage { return left.stage.rawValue < right.stage.rawValue }
        if left.startOffset != right.startOffset { return left.startOffset < right.startOffset }
        if left.endOffset != right.endOffset { return left.endOffset < right.endOffset }
        return !fingerprints.isEmpty
            && fingerprints[Int(left.fingerprint)].text < fingerprints[Int(right.fingerprint)].text
    }

    private mutating func leaveOut(_ reason: LeftOut) { leftOut[reason, default: 0] += 1 }

    private mutating func sourceIndex(of rank: SourceRank) -> UInt8 {
        if let index = sourceIndices[rank] { return index }
        // After about two hundred versions, all further versions of one product are one source.
        if ranks.count >= 240, let product = rank.ofProduct { return sourceIndex(of: product) }
        let index = UInt8(ranks.count)
        ranks.append(rank)
        sourceIndices[rank] = index
        return index
    }
}
