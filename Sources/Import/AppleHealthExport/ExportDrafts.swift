import HealthData

/// A record that is not closed yet.
struct RecordDraft {
    enum Role {
        case standalone
        /// A systolic or diastolic pressure outside of a correlation.
        case loose
        /// A pressure inside a correlation.
        case member
    }

    let row: Int
    let role: Role
    var sample: HealthSample.Content
    var details = HealthDetails()

    init(row: Int, role: Role, sample: HealthSample.Content) {
        self.row = row
        self.role = role
        self.sample = sample
    }

    /// Whether it is a value of the heart rate variability, which can contain beats.
    var isVariability: Bool { sample.type.shortName == "HeartRateVariabilitySDNN" }
}

/// A correlation that is not closed yet: a blood pressure, a meal.
struct CorrelationDraft {
    let type: HealthType
    let row: Int
    let sample: Result<HealthSample.Content, SkipReason>
    var members: [(sample: HealthSample, row: Int)] = []
    var details = HealthDetails()
    var repairs: Repairs = []

    init(type: HealthType, row: Int, sample: Result<HealthSample.Content, SkipReason>) {
        self.type = type
        self.row = row
        self.sample = sample
    }

    /// Returns the correlation with the values of its members: for a blood pressure the first of each.
    func finished(_ zones: inout TimeZoneOffsets) -> Result<HealthSample, SkipReason> {
        switch sample {
        case .failure(let reason): return .failure(reason)
        case .success(var read):
            read.repairs.formUnion(repairs)
            do throws(SkipReason) {
                return .success(try read.correlating(members.map(\.sample), details: details, zones: &zones))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension AttributeValues {
    /// Returns the value in the measure's unit.
    func quantity(as measure: HealthMeasure, _ slot: ExportTypes.Slot) throws(SkipReason) -> HealthQuantity {
        guard let value = text(.value) else { throw .valueMissing }
        guard let unit = slot.unit(self[.unit], of: measure) else { throw .unknownUnit }
        return try HealthQuantity(value, in: unit)
    }

    /// Returns the value of a coded type.
    func option(of type: HealthType) throws(SkipReason) -> HealthValue {
        guard let text = text(.value), !text.isEmpty else { throw .valueMissing }
        guard let option = type.option(named: text) else { throw .unknownValue }
        return .option(option)
    }

    /// Returns start, end and creation. A missing end is replaced by the start; a creation date that cannot be parsed
    /// is omitted.
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
