import Foundation

/// A sample with HealthKit's own values, from HealthKit or from a journal. It is converted to a ``HealthSample`` by the
/// same rules as an export, so that both result in the same resource.
public struct HealthKitSample: Sendable, Hashable {
    /// HealthKit's identifier of the sample, if it is known.
    public var uuid: UUID?
    /// HealthKit's identifier of the type.
    public var type: String
    /// The number as text; for a category its raw value, for a workout the raw value of its activity. Names of the
    /// values are accepted too.
    public var value: String?
    /// HealthKit's name of the unit, such as `count/min`.
    public var unit: String?
    /// The start, with the offset in the source.
    public var start: HealthInstant
    /// The end; equal to ``start`` for a single instant.
    public var end: HealthInstant
    /// The metadata by key, with values in the format of exports: `1`, `56 degF`.
    public var metadata: [String: String] = [:]
    /// The product that recorded the sample.
    public var source: HealthSource
    /// The samples of a correlation, or the statistics of a workout.
    public var members: [HealthKitSample] = []
    /// The events and the activities of a workout, in the order of the source.
    public var parts: [WorkoutPart] = []

    /// An event of a workout or one of its activities, with HealthKit's own values.
    public struct WorkoutPart: Sendable, Hashable {
        /// HealthKit's number or name of the kind of event; nil for an activity.
        public var event: String?
        public var start: HealthInstant
        public var end: HealthInstant
        /// The duration in seconds, with a finer resolution than ``start`` and ``end``.
        public var duration: Double
        /// The metadata by key, with values in the format of exports.
        public var metadata: [String: String] = [:]
        /// The statistics of an activity.
        public var members: [HealthKitSample] = []

        /// Creates a part from the members that all parts have.
        public init(event: String?, start: HealthInstant, end: HealthInstant, duration: Double) {
            self.event = event
            self.start = start
            self.end = end
            self.duration = duration
        }
    }

    /// Creates a sample from the members that all samples have.
    public init(
        uuid: UUID? = nil, type: String, value: String? = nil, unit: String? = nil, start: HealthInstant,
        end: HealthInstant, source: HealthSource
    ) {
        self.uuid = uuid
        self.type = type
        self.value = value
        self.unit = unit
        self.start = start
        self.end = end
        self.source = source
    }

    /// Returns the converted sample: names are removed, units are checked, and content that the table does not contain
    /// is omitted.
    ///
    /// - Parameter zones: the cache of time zones in metadata.
    /// - Throws: the ``SkipReason`` if the sample cannot be converted: unknown type, no value, unknown unit. It is also
    ///   thrown for types with a structure of their own (``SpecialKind``).
    public func sample(
        in table: HealthTypeTable, _ zones: inout TimeZoneOffsets
    ) throws(SkipReason) -> HealthSample {
        guard let type = table.type(type) else { throw .unsupportedType }
        let details = Self.details(metadata)
        if let (correlation, index) = table.correlation(of: type) {
            let quantity = try quantity(as: correlation.components[index].measure)
            return finished(
                correlation, value: .pressure(quantity, at: index), repairs: quantity.repairs, details: details,
                zones: &zones)
        }
        switch type.kind {
        case .quantity:
            guard let measure = type.measure else { throw .unsupportedType }
            let quantity = try quantity(as: measure)
            return finished(
                type, value: .quantity(quantity), repairs: quantity.repairs, details: details, zones: &zones)
        case .category where type.valueKind == .event:
            return finished(type, value: .event, repairs: [], details: details, zones: &zones)
        case .category:
            guard let value, !value.isEmpty else { throw .valueMissing }
            guard let option = type.option(named: value) else { throw .unknownValue }
            return finished(type, value: .option(option), repairs: [], details: details, zones: &zones)
        case .correlation: return try correlation(type, table: table, details: details, zones: &zones)
        case .workout:
            var repairs: Repairs = []
            var workout = workout(&repairs)
            if let zone = details.zone { workout.setOffsets { zones.minutes(in: zone, at: $0) } }
            return finished(type, value: .workout(workout), repairs: repairs, details: details, zones: &zones)
        default: throw .unsupportedType
        }
    }

    fileprivate static func details(_ metadata: [String: String]) -> HealthDetails {
        var details = HealthDetails()
        guard !metadata.isEmpty else { return details }
        // The sorted order decides between two spellings of one key. The table has no longer keys or values.
        for (key, value) in metadata.sorted(by: { $0.key < $1.key })
        where key.utf8.count <= 64 && value.utf8.count <= 64 {
            details.add(HealthDetails.meaning(of: key, value))
        }
        return details
    }

    private func quantity(as measure: HealthMeasure) throws(SkipReason) -> HealthQuantity {
        guard let value else { throw .valueMissing }
        return try HealthQuantity(value, unit: unit ?? "", as: measure)
    }

    private func content(_ type: HealthType, value: HealthValue, repairs: Repairs) -> HealthSample.Content {
        HealthSample.Content(
            type: type, value: value, start: start, end: end, source: source, uuid: uuid, repairs: repairs)
    }

    private func finished(
        _ type: HealthType, value: HealthValue, repairs: Repairs, details: HealthDetails,
        zones: inout TimeZoneOffsets
    ) -> HealthSample {
        var content = content(type, value: value, repairs: repairs)
        details.complete(&content, &zones)
        return HealthSample(content)
    }

    private func correlation(
        _ type: HealthType, table: HealthTypeTable, details: HealthDetails, zones: inout TimeZoneOffsets
    ) throws(SkipReason) -> HealthSample {
        var repairs: Repairs = []
        var read: [HealthSample] = []
        for member in members {
            guard read.count < HealthSample.Content.memberLimit, member.members.isEmpty,
                let sample = try? member.sample(in: table, &zones)
            else {
                repairs.insert(.partDropped)
                continue
            }
            read.append(sample)
        }
        return try content(type, value: .bloodPressure(systolic: nil, diastolic: nil), repairs: repairs)
            .correlating(read, details: details, zones: &zones)
    }

    private func workout(_ repairs: inout Repairs) -> HealthWorkout {
        var workout = HealthWorkout(activityNamed: value ?? "", &repairs)
        for (identifier, _, quantity) in Self.figures(of: members, &repairs) { workout.add(identifier, quantity) }
        var activities: [HealthWorkoutPart] = []
        for part in parts {
            guard let read = part.read(&repairs), part.event == nil || workout.add(read) else {
                repairs.insert(.partDropped)
                continue
            }
            if part.event == nil { activities.append(read) }
        }
        if workout.add(activities: activities) > 0 { repairs.insert(.partDropped) }
        workout.addDuration(from: start, to: end)
        return workout
    }

    /// Returns the statistics that are components of a workout.
    fileprivate static func figures(
        of members: [HealthKitSample], _ repairs: inout Repairs
    ) -> [(identifier: String, measure: HealthMeasure, quantity: HealthQuantity)] {
        members.compactMap { member in
            guard let measure = HealthWorkout.measure(member.type), let quantity = try? member.quantity(as: measure)
            else {
                repairs.insert(.partDropped)
                return nil
            }
            repairs.formUnion(quantity.repairs)
            return (member.type, measure, quantity)
        }
    }
}

extension HealthKitSample.WorkoutPart {
    /// Returns the part; nil if its kind is unknown or its time is out of range.
    fileprivate func read(_ repairs: inout Repairs) -> HealthWorkoutPart? {
        var part: HealthWorkoutPart
        let milliseconds = HealthWorkoutPart.milliseconds(minutes: duration / 60)
        if milliseconds == nil { repairs.insert(.partDropped) }
        if let event {
            guard let kind = HealthWorkoutPart.event(named: event), HealthInstant.believable.contains(start.seconds)
            else { return nil }
            part = HealthWorkoutPart(kind, start: start, milliseconds: milliseconds ?? 0)
        } else {
            guard let activity = HealthWorkoutPart.activity(from: start, to: end, milliseconds: milliseconds ?? 0)
            else {
                return nil
            }
            part = activity
            for (identifier, measure, quantity) in HealthKitSample.figures(of: members, &repairs) {
                part.add(identifier, quantity, as: measure)
            }
        }
        part.context = HealthKitSample.details(metadata).context
        return part
    }
}

extension HealthSource {
    /// Creates a source from HealthKit's source name, which is not stored, and a model such as `Watch2,4`.
    ///
    /// - Parameter productType: the model of the measuring device; nil if no device is known, as for samples that an
    ///   app wrote.
    ///   app wrote.
    public convenience init(name: String, productType: String?, version: String) {
        // Long names are cut: the product is searched for only at the beginning.
        let words = String(decoding: name.utf8.prefix(256), as: UTF8.self)
        let product =
            productType.flatMap(Redaction.product(hardware:)) ?? Redaction.product(sourceName: words, device: nil)
        let device = productType.flatMap(Redaction.hardware).map { HealthDevice(product: product, hardware: $0) }
        self.init(product: product, version: version, device: device, name: words.utf8)
    }
}
