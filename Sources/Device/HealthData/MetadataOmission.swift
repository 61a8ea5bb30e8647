/// The reason that a piece of metadata is not passed on.
public enum MetadataOmission: String, Error, Sendable, CaseIterable {
    /// The key is an app's own: its value may be whatever the app wrote.
    case ofApp = "of-app"
    /// The key is HealthKit's and stands in no table of ours.
    case unlisted
    /// The key tells where the person was: the weather and the air's pressure there.
    case revealing
    /// The value is none that the key can have.
    case unreadable
    /// There is a value of the key already.
    case repeated
}
