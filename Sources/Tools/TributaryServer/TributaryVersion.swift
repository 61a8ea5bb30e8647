/// The version of this program and its libraries.
public enum TributaryVersion {
    /// The version in the newest heading of CHANGELOG.md (<https://semver.org>).
    public static let text = "0.4.0"
}
