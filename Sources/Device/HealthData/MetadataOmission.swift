/// The reason why metadata is not converted.
public enum MetadataOmission: String, Error, Sendable, CaseIterable {
    /// The key belongs to an app: the value can contain anything.
    case ofApp = "of-app"
    /// The key is HealthKit's and is in no table.
    case unlisted
    /// The key reveals the person's location: weather and air pressure.
    case revealing
    /// The value is invalid for the key.
    case unreadable
    /// The key has a value already.
    case repeated
}
