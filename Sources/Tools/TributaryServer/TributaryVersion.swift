/// The version of this program and its libraries.
public enum TributaryVersion {
    /// As the newest heading of CHANGELOG.md says it (<https://semver.org>).
    public static let text = "0.4.0"
}
