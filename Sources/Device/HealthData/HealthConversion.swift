import FHIR
import Foundation

/// Converts samples to observations one by one: selects samples, removes duplicates, joins blood pressures, and counts
/// the results in the import report.
///
/// The only side effects are those of the sink's closures, and the only errors thrown are theirs. Memory grows by about
/// ten bytes a sample (its fingerprint), unless the sink detects duplicates (``HealthSink/counting``), and by the
/// members that wait for their correlation, up to ``pressureLimit`` and ``nutrientLimit``.
public final class HealthConversion {
    /// Maximum number of pressures that wait for their blood pressure. Exports contain all systolic pressures before
    /// the first diastolic one. When the limit is reached, the waiting pressures are joined and converted.
    public static let pressureLimit = 200_000
    /// Maximum number of nutrients that wait for their meal. When the limit is reached, the waiting nutrients become
    /// observations of their own, and the meal refers to them.
    public static let nutrientLimit = 10_000

    /// The import report so far.
    public var importReport = HealthImportReport()
    /// The selected samples and the form of their observations.
    public let selection: HealthSelection
    private let since: Int64
    private let sink: HealthSink
    private var seen = FingerprintSet()
    /// Members that were found inside a correlation.
    private var claimed = FingerprintSet()
    /// Members of the next correlation that are converted already.
    private var converted: [SampleFingerprint] = []
    private var pressures: [FingerprintKey: WaitingMember] = [:]
    private var nutrients: [FingerprintKey: WaitingMember] = [:]
    private var arrivals = 0
    /// The devices that were passed to the sink.
    private var devices: Set<HealthDevice> = []
    private var lastSource: HealthSource?
    private var frames: ObservationFrames

    /// A member that can still belong to a correlation.
    private struct WaitingMember {
        let sample: HealthSample
        let row: Int
        let arrival: Int
    }

    /// Creates a conversion that passes its results to a sink.
    public init(_ selection: HealthSelection, _ sink: HealthSink) {
        self.selection = selection
        self.sink = sink
        frames = ObservationFrames(subject: selection.subject, units: selection.units)
        since = selection.since.map { Int64($0.timeIntervalSince1970.rounded(.up)) } ?? .min
    }

    /// Creates a conversion that passes only observations.
    public convenience init(
        _ selection: HealthSelection, isKnown: @escaping (SampleFingerprint) -> Bool,
        emit: @escaping (HealthObservation) throws -> Void
    ) {
        self.init(selection, HealthSink(isKnown: isKnown, observation: emit))
    }

    /// Converts a sample, or counts the reason for skipping it, in a row of the import report.
    ///
    /// - Parameter fingerprint: the sample's fingerprint, if ``fingerprints(of:)`` returned it.
    /// - Throws: errors of the sink.
    public func add(_ sample: HealthSample, row: Int, fingerprint: SampleFingerprint? = nil) throws {
        if fingerprint == nil, let reason = reasonToSkip(sample) {
            importReport.skip(row, reason)
            return
        }
        let fingerprint = known(sample, as: fingerprint ?? sample.fingerprint)
        if let reason = enter(fingerprint, isKept: sink.counting == nil) {
            importReport.skip(row, reason)
            return
        }
        let isImplausible = sample.isImplausible
        sink.counting?(HealthImportReport.CounterKey(sample, row: row, isImplausible: isImplausible))
        try sink.observation(HealthObservation(sample, fingerprint: fingerprint, frame: try frame(of: sample.source)))
        importReport.convert(row, repairs: sample.repairs)
        if isImplausible { importReport.implausible[sample.type.identifier, default: 0] += 1 }
    }

    /// Returns the fingerprints of the samples that are added next; nil for a sample that is skipped by selection or
    /// time.
    ///
    /// Call it with many samples: their slots in memory are then prefetched together, instead of one memory access
    /// after the other.
    public func fingerprints(of samples: [HealthSample]) -> [SampleFingerprint?] {
        let fingerprints = samples.map { reasonToSkip($0) == nil ? $0.fingerprint : nil }
        if sink.counting == nil { seen.prefetch(fingerprints) }
        return fingerprints
    }

    /// Converts a special record, or counts the reason for skipping it.
    ///
    /// - Parameter row: the row of the import report; nil for a record that is not an element of the source
    ///   (``HealthImportReport/otherResources``).
    /// - Throws: errors of the sink.
    public func add(_ record: any SpecialRecord, row: Int?, repairs: Repairs = []) throws {
        var reason = sink.special == nil ? .unsupportedType : reasonToSkip(record)
        if reason == nil { reason = enter(record.fingerprint, isKept: true) }
        if let row {
            if let reason { importReport.skip(row, reason) } else { importReport.convert(row, repairs: repairs) }
        } else {
            importReport.otherResources[record.kind.identifier, default: [:]][
                reason?.rawValue ?? "converted", default: 0] += 1
        }
        guard reason == nil, let special = sink.special else { return }
        if let source = record.origin.source { _ = try frame(of: source) }
        sink.counting?(HealthImportReport.CounterKey(record.kind, row: row, repairs: repairs))
        try special(HealthSpecial(record: record, fingerprint: record.fingerprint, subject: selection.subject))
    }

    private func reasonToSkip(_ record: any SpecialRecord) -> SkipReason? {
        guard selection.selects(record) else { return .notSelected }
        if let problem = record.timeProblem { return problem }
        switch record.time {
        case .period(_, let end): return end.seconds < since ? .beforeSince : nil
        case .day(let day):
            // The day can end half a day later than in UTC.
            let end = DateTime(day).map { Int64($0.start().timeIntervalSince1970) + 129_600 } ?? .max
            return end < since ? .beforeSince : nil
        case .unknown: return nil
        }
    }

    /// Returns the known fingerprint of a sample: its own, or that of the same value in another unit.
    private func known(_ sample: HealthSample, as own: SampleFingerprint) -> SampleFingerprint {
        let alternates = sample.alternateFingerprints
        guard !alternates.isEmpty, !seen.contains(own.key), !sink.isKnown(own) else { return own }
        return alternates.first { seen.contains($0.key) || sink.isKnown($0) } ?? own
    }

    /// Returns the fingerprint under which a member of a correlation was found before, or its own.
    private func seenFingerprint(of member: HealthSample) -> SampleFingerprint {
        func isSeen(_ fingerprint: SampleFingerprint) -> Bool {
            let key = fingerprint.key
            return claimed.contains(key) || pressures[key] != nil || nutrients[key] != nil || seen.contains(key)
        }
        let own = member.fingerprint
        let alternates = member.alternateFingerprints
        return alternates.isEmpty || isSeen(own) ? own : alternates.first(where: isSeen) ?? own
    }

    /// Inserts a fingerprint. Returns the reason to skip the sample if the fingerprint is not new.
    private func enter(_ fingerprint: SampleFingerprint, isKept: Bool) -> SkipReason? {
        guard !isKept || seen.insert(fingerprint.key) else { return .duplicate }
        return sink.isKnown(fingerprint) ? .alreadyKnown : nil
    }

    /// Returns the frame for the observations of a source. A device that is new is passed to the sink first.
    private func frame(of source: HealthSource) throws -> ObservationFrame {
        if lastSource !== source {
            if let device = source.device, devices.insert(device).inserted { try sink.device?(device) }
            lastSource = source
        }
        return frames.frame(of: source)
    }

    /// Adds a member of a correlation that occurs outside of one. It waits for the correlation that can contain it.
    ///
    /// - Throws: errors of the sink.
    public func addMember(_ sample: HealthSample, row: Int) throws {
        if let reason = reasonToSkip(sample) {
            importReport.skip(row, reason)
            return
        }
        let key = seenFingerprint(of: sample).key
        if claimed.contains(key) {
            importReport.skip(row, .memberOfCorrelation)
        } else if pressures[key] != nil || nutrients[key] != nil {
            importReport.skip(row, .duplicate)
        } else {
            let member = WaitingMember(sample: sample, row: row, arrival: arrivals)
            arrivals += 1
            if case .quantity = sample.value {
                if nutrients.count >= Self.nutrientLimit { try release() }
                nutrients[key] = member
            } else {
                if pressures.count >= Self.pressureLimit { try join() }
                pressures[key] = member
            }
        }
    }

    /// Registers a member that occurs inside a correlation. The same sample outside of it does not become an
    /// observation.
    public func claim(_ member: HealthSample) {
        let fingerprint = seenFingerprint(of: member)
        claimed.insert(fingerprint.key)
        if let waited = pressures.removeValue(forKey: fingerprint.key) ?? nutrients.removeValue(forKey: fingerprint.key)
        {
            importReport.skip(waited.row, .memberOfCorrelation)
        } else if case .quantity = member.value, seen.contains(fingerprint.key) {
            converted.append(fingerprint)
        }
    }

    /// Converts a correlation whose members were claimed before. If a member already is an observation, because it
    /// could not wait, the correlation refers to it; otherwise its value would be stored twice.
    ///
    /// - Throws: errors of the sink.
    public func addCorrelation(_ sample: HealthSample, row: Int) throws {
        var sample = sample
        if case .components(let components) = sample.value, !converted.isEmpty {
            let alone = components.filter { converted.contains($0.fingerprint) }
            let others = components.filter { !converted.contains($0.fingerprint) }
            sample.change {
                $0.value = .components(others)
                $0.members = alone.map(\.fingerprint)
            }
        }
        converted = []
        try add(sample, row: row)
    }

    /// Converts the waiting members. Call it once, at the end.
    ///
    /// - Throws: errors of the sink.
    public func finish() throws {
        try join()
        try release()
    }

    /// Converts the nutrients that no meal contained.
    private func release() throws {
        let members = nutrients.sorted { $0.value.arrival < $1.value.arrival }
        nutrients = [:]
        for (key, member) in members {
            try add(member.sample, row: member.row)
            // A meal can still claim it, even if the sink detects duplicates.
            seen.insert(key)
        }
    }

    private func reasonToSkip(_ sample: HealthSample) -> SkipReason? {
        guard selection.selects(sample.type) else { return .notSelected }
        if let problem = sample.timeProblem { return problem }
        return sample.end.seconds < since ? .beforeSince : nil
    }

    // Joining the members that no correlation contained:
    // 1. members with the same time and source form a group, in the order in which they were added;
    // 2. the first systolic is joined with the first diastolic, and so on: one observation each;
    // 3. a member without a partner is an observation with one component.
    private func join() throws {
        let members = pressures.values.sorted { $0.arrival < $1.arrival }
        pressures = [:]
        var diastolics: [JoinKey: [WaitingMember]] = [:]
        for member in members.reversed() where member.sample.isDiastolic {
            diastolics[JoinKey(member.sample), default: []].append(member)
        }
        var joined: Set<Int> = []
        for member in members {
            guard !joined.contains(member.arrival) else { continue }
            guard !member.sample.isDiastolic, let partner = diastolics[JoinKey(member.sample)]?.popLast() else {
                // A diastolic value waits for a systolic value that comes later in the list.
                if member.sample.isDiastolic { continue }
                try add(member.sample, row: member.row)
                continue
            }
            joined.insert(partner.arrival)
            var pair = member.sample
            pair.change {
                if case .bloodPressure(let systolic, _) = $0.value,
                    case .bloodPressure(_, let diastolic) = partner.sample.value
                {
                    $0.value = .bloodPressure(systolic: systolic, diastolic: diastolic)
                }
                $0.repairs.formUnion(partner.sample.repairs)
            }
            try add(pair, row: member.row)
            importReport.skip(partner.row, .combinedWithSystolic)
        }
        let alone = diastolics.values.joined().sorted { $0.arrival < $1.arrival }
        for member in alone { try add(member.sample, row: member.row) }
    }

    private struct JoinKey: Hashable {
        let start: Int64
        let source: HealthSource

        init(_ sample: HealthSample) {
            start = sample.start.seconds
            source = sample.source
        }
    }
}

extension HealthSample {
    fileprivate var isDiastolic: Bool {
        if case .bloodPressure(nil, _) = value { true } else { false }
    }

    /// Whether a value is outside of the plausible range.
    fileprivate var isImplausible: Bool {
        func outside(_ quantity: HealthQuantity?, _ measure: HealthMeasure?) -> Bool {
            guard let quantity, let range = measure?.plausible else { return false }
            return !range.contains(quantity.number.double)
        }
        switch value {
        case .quantity(let quantity): return outside(quantity, type.measure)
        case .option, .event: return false
        case .components(let components): return components.contains { outside($0.quantity, $0.measure) }
        case .bloodPressure(let systolic, let diastolic):
            return zip(type.components, [systolic, diastolic]).contains { outside($1, $0.measure) }
        case .workout(let workout):
            return workout.figures.contains { figure in
                outside(figure.quantity, type.components.first { $0.identifier == figure.identifier }?.measure)
            }
        }
    }
}
