/// The metadata of a sample as it is read: its circumstances, and the time zone that the person's clock had.
public struct HealthDetails: Sendable {
    /// The meaning of a key with its value.
    public enum Meaning: Sendable {
        /// The name of the person's time zone.
        case zone(String)
        /// A circumstance that is passed on.
        case entry(HealthContext.Entry)
        /// It is not passed on.
        case dropped(MetadataOmission)
    }

    /// The circumstances.
    public var context = HealthContext()
    /// The name of the person's time zone.
    public var zone: String?

    /// Details of which nothing is known.
    public init() {}

    /// Returns the meaning of a key and its value, as exports write it.
    public static func meaning(of key: String, _ value: String) -> Meaning {
        if key == "HKTimeZone" { return .zone(value) }
        switch HealthContext.reading(key: key, value: value) {
        case .success(let entry): return .entry(entry)
        case .failure(let omission): return .dropped(omission)
        }
    }

    /// Returns false for what stands there already, and the first counts.
    @discardableResult
    public mutating func add(_ meaning: Meaning) -> Bool {
        switch meaning {
        case .zone(let name): zone = name
        case .entry(let entry): return context.add(entry)
        case .dropped: break
        }
        return true
    }

    /// Completes a sample. Sources show times with an offset that says nothing of the day; where the zone is known, the
    /// offset is the one that the person's clock had.
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
