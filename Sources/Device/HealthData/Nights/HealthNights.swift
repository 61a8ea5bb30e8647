/// Gathers the samples of sleep analysis and puts them together to sleep sessions and nights.
///
/// 1. Samples that follow one another with no gap of more than an hour (``gap``) are a sleep session, whatever their
///    sources.
/// 2. In a session each second has one stage: that of the first source by ``SourceRank`` that tells awake from asleep
///    there. Where one source has several stages at once (older apps write "asleep" over the whole night and "awake"
///    inside of it), the first of awake, deep, REM, core, unspecified counts.
/// 3. Being in bed stands apart: the seconds that any source says so, each counted once.
/// 4. Sleep sessions are put together to nights (``HealthNight/day``).
///
/// The order in which samples come makes no difference. Not used, but in ``leftOut``: samples without length, samples
/// longer than a day (no night is), and what is over ``sampleLimit``. Memory: 24 bytes a sample, and 32 more
/// for its fingerprint where those are kept.
public struct HealthNights: Sendable {
    /// The longest break inside a session, in seconds.
    public static let gap: Int64 = 3600
    /// As many samples are kept; ten years of nights have some four hundred thousand.
    public static let sampleLimit = 1_000_000
    /// The longest sample that is used, in seconds.
    public static let longest: Int64 = 86_400
    /// From 18:00, where a night begins, to midnight.
    static let evening: Int64 = 6 * 3600

    /// The reason that a sample is in no night.
    public enum LeftOut: String, Sendable, CaseIterable {
        /// The sample ends before it has lasted.
        case empty
        /// The sample lasts longer than is believed.
        case tooLong = "too-long"
        /// More samples came than are kept.
        case overLimit = "over-limit"
    }

    /// How many samples are in no night.
    public private(set) var leftOut: [LeftOut: Int] = [:]
    private var entries: [Entry] = []
    private var fingerprints: [SampleFingerprint] = []
    private let keepsFingerprints: Bool
    private var ranks: [SourceRank] = []
    private var places: [SourceRank: UInt8] = [:]

    private struct Entry: Sendable {
        let start: Int64
        let length: UInt32
        /// The place of the fingerprint; zero for all where they are not kept.
        let fingerprint: UInt32
        let startOffset: Int16
        let endOffset: Int16
        let stage: SleepStage
        let source: UInt8

        var end: Int64 { start + Int64(length) }
        var range: Range<Int64> { start..<end }
    }

    /// - Parameter keepsIdentities: whether the nights shall name their samples, as a summary that is derived from them
    ///   must (``HealthNight/observation(subject:)``).
    public init(keepsFingerprints: Bool = true) { self.keepsFingerprints = keepsFingerprints }

    /// Takes a sample of sleep analysis; all others are passed over.
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
                source: place(of: SourceRank(sample))))
        guard keepsFingerprints else { return }
        fingerprints.reserveForOneMore()
        fingerprints.append(fingerprint)
    }

    /// Adds an observation of sleep; others are passed over.
    public mutating func add(_ observation: HealthObservation) {
        add(observation.sample, fingerprint: observation.fingerprint)
    }

    /// All nights, by day.
    public mutating func nights() -> [HealthNight] {
        var nights: [HealthNight] = []
        forEachNight { nights.append($0) }
        return nights
    }

    /// Gives the nights one by one, by day. Throws what `body` throws.
    public mutating func forEachNight<Failure: Error>(
        _ body: (HealthNight) throws(Failure) -> Void
    ) throws(Failure) {
        let sorted = ranks.indices.sorted { ranks[$0] < ranks[$1] }
        var order = Array(repeating: 0, count: ranks.count)
        for (place, source) in sorted.enumerated() { order[source] = place }
        let fingerprints = fingerprints
        entries.sort { Self.precedes($0, $1, order, fingerprints) }
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
            // Travelling west can give a later session an earlier day: it stays with the night before it.
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
        // The groups in the order in which they are believed: by source, and by stage within a source.
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
        // Of samples that begin or end together, the most believed source tells the offset.
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

    /// An order that depends on the samples alone.
    private static func precedes(
        _ left: Entry, _ right: Entry, _ order: [Int], _ fingerprints: [SampleFingerprint]
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

    private mutating func place(of rank: SourceRank) -> UInt8 {
        if let place = places[rank] { return place }
        // Beyond some two hundred versions, those of one kind of product are one source.
        if ranks.count >= 240, let product = rank.ofProduct { return place(of: product) }
        let place = UInt8(ranks.count)
        ranks.append(rank)
        places[rank] = place
        return place
    }
}
