/// The metadata of a sample: its circumstances, and the time zone of the person's clock.
public struct HealthDetails: Sendable {
    /// The meaning of a key with its value.
    public enum Meaning: Sendable {
        /// The name of the person's time zone.
        case zone(String)
        /// A circumstance that is converted.
        case entry(HealthContext.Entry)
        /// Metadata that is dropped.
        case dropped(MetadataOmission)
    }

    /// The circumstances.
    public var context = HealthContext()
    /// The name of the person's time zone.
    public var zone: String?

    /// Creates empty details.
    public init() {}

    /// Returns the meaning of a key and its value in the format of exports.
    public static func meaning(of key: String, _ value: String) -> Meaning {
        if key == "HKTimeZone" { return .zone(value) }
        switch HealthContext.reading(key: key, value: value) {
        case .success(let entry): return .entry(entry)
        case .failure(let omission): return .dropped(omission)
        }
    }

    /// Adds a meaning. Returns false if its key has a value already; the first value is kept.
    @discardableResult
    public mutating func add(_ meaning: Meaning) -> Bool {
        switch meaning {
        case .zone(let name): zone = name
        case .entry(let entry): return context.add(entry)
        case .dropped: break
        }
        return true
    }

    /// Completes a sample. The offsets in a source do not depend on the date; if the zone is known, the offset of the
    /// person's clock is used instead.
    public func complete(_ sample: inout HealthSample.Content, _ zones: inout TimeZoneOffsets) {
        sample.context = context
        guard let zone else { return }
        if let offset = zones.minutes(in: zone, at: sample.start.seconds) { sample.start.offsetMinutes = offset }
        if let offset = zones.minutes(in: zone, at: sample.end.seconds) { sample.end.offsetMinutes = offset }
        if let created = sample.created, let offset = zones.minutes(in: zone, at: created.seconds) {
            sample.created?.offsetMinutes = offset
        }
    }
}
