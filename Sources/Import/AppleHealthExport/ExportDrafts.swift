import HealthData

/// The metadata inside an element.
struct DraftDetails {
    var context = HealthContext()
    /// The name of the person's time zone.
    var zone: String?

    /// Returns false for what stands there already, and the first counts.
    mutating func add(_ meaning: KnownMetadata.Meaning) -> Bool {
        switch meaning {
        case .zone(let name): zone = name
        case .entry(let entry): return context.add(entry)
        case .dropped: break
        }
        return true
    }

    /// Completes a sample. An export shows all times with the offset of the day of the export; where the zone is known,
    /// the offset is the one that the person's clock had.
    func complete(_ sample: inout HealthSample.Content, _ zones: inout TimeZoneOffsets) {
        sample.context = context
        guard let zone else { return }
        if let offset = zones.minutes(in: zone, at: sample.start.seconds) { sample.start.offsetMinutes = offset }
        if let offset = zones.minutes(in: zone, at: sample.end.seconds) { sample.end.offsetMinutes = offset }
        if let created = sample.created, let offset = zones.minutes(in: zone, at: created.seconds) {
            sample.created?.offsetMinutes = offset
        }
    }
}

/// A record that is open.
struct RecordDraft {
    enum Role {
        case standalone
        /// A systolic or diastolic pressure outside of a correlation.
        case loose
        /// One inside.
        case member
    }

    let row: Int
    let role: Role
    var sample: HealthSample.Content
    var details = DraftDetails()

    init(row: Int, role: Role, sample: HealthSample.Content) {
        self.row = row
        self.role = role
        self.sample = sample
    }

    /// Whether it is a value of the heart rate variability, inside which there may be beats.
    var isVariability: Bool { sample.type.shortName == "HeartRateVariabilitySDNN" }
}

/// A correlation that is open: a blood pressure, a meal.
struct CorrelationDraft {
    /// A meal has some dozen members; thousands are a made-up file.
    static let memberLimit = 128

    let type: HealthType
    let row: Int
    let sample: Result<HealthSample.Content, SkipReason>
    var members: [(sample: HealthSample, row: Int)] = []
    var details = DraftDetails()
    var repairs: Repairs = []

    init(type: HealthType, row: Int, sample: Result<HealthSample.Content, SkipReason>) {
        self.type = type
        self.row = row
        self.sample = sample
    }

    /// The correlation with the values of its members: of a blood pressure the first of each.
    func finished(_ zones: inout TimeZoneOffsets) -> Result<HealthSample, SkipReason> {
        var sample: HealthSample.Content
        switch self.sample {
        case .failure(let reason): return .failure(reason)
        case .success(let read): sample = read
        }
        if let problem = HealthSample(sample).timeProblem { return .failure(problem) }
        for member in members { sample.repairs.formUnion(member.sample.repairs) }
        guard let value = type.isBloodPressure ? pressure : group else { return .failure(.incompleteCorrelation) }
        sample.value = value
        sample.repairs.formUnion(repairs)
        details.complete(&sample, &zones)
        if details.zone == nil, let member = members.first?.sample, member.start.seconds == sample.start.seconds {
            sample.start.offsetMinutes = member.start.offsetMinutes
            if member.end.seconds == sample.end.seconds { sample.end.offsetMinutes = member.end.offsetMinutes }
        }
        if details.context.wasUserEntered == nil, let member = members.first?.sample {
            sample.context.wasUserEntered = member.context.wasUserEntered
        }
        return .success(HealthSample(sample))
    }

    private var pressure: HealthValue? {
        var systolic: HealthQuantity?
        var diastolic: HealthQuantity?
        for member in members {
            guard case .bloodPressure(let first, let second) = member.sample.value else { continue }
            systolic = systolic ?? first
            diastolic = diastolic ?? second
        }
        return systolic == nil && diastolic == nil ? nil : .bloodPressure(systolic: systolic, diastolic: diastolic)
    }

    private var group: HealthValue? {
        let parts = members.compactMap { member -> HealthMember? in
            guard case .quantity(let quantity) = member.sample.value, let measure = member.sample.type.measure else {
                return nil
            }
            return HealthMember(measure: measure, quantity: quantity, fingerprint: member.sample.fingerprint)
        }
        return parts.isEmpty ? nil : .components(parts)
    }
}

extension HealthType {
    /// A blood pressure's two members make one value; other correlations are groups.
    var isBloodPressure: Bool { identifier == "HKCorrelationTypeIdentifierBloodPressure" }
}

extension AttributeValues {
    /// The value in the measure's unit.
    func quantity(as measure: HealthMeasure, _ slot: ExportTypes.Slot) throws(SkipReason) -> HealthQuantity {
        guard let value = text(.value) else { throw .valueMissing }
        guard let unit = slot.unit(self[.unit], of: measure) else { throw .unknownUnit }
        return try HealthQuantity(value, in: unit)
    }

    /// The value of a coded type.
    func option(of type: HealthType) throws(SkipReason) -> HealthValue {
        guard let text = text(.value), !text.isEmpty else { throw .valueMissing }
        guard let option = type.option(named: text) else { throw .unknownValue }
        return .option(option)
    }

    /// Start, end and creation. A missing end is the start; a creation that cannot be read is left out.
    func times(
        _ repairs: inout Repairs
    ) throws(SkipReason) -> (start: HealthInstant, end: HealthInstant, created: HealthInstant?) {
        guard let startText = self[.startDate], !startText.isEmpty else { throw .dateMissing }
        let start = try instant(startText, &repairs)
        let end: HealthInstant
        if let endText = self[.endDate], !endText.isEmpty {
            end = startText.isSame(as: endText) ? start : try instant(endText, &repairs)
        } else {
            end = start
            repairs.insert(.endMissing)
        }
        let created = self[.creationDate].flatMap { ExportDate.read($0) ?? ExportDate.readOld($0) }
        return (start, end, created.flatMap { HealthInstant.believable.contains($0.seconds) ? $0 : nil })
    }

    private func instant(
        _ text: UnsafeBufferPointer<UInt8>, _ repairs: inout Repairs
    ) throws(SkipReason) -> HealthInstant {
        if let instant = ExportDate.read(text) { return instant }
        guard let instant = ExportDate.readOld(text) else { throw .dateInvalid }
        repairs.insert(.dateFormat)
        return instant
    }
}
