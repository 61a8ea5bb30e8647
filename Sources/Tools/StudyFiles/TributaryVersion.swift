/// The version of this program and its libraries.
package enum TributaryVersion {
    /// The version in the newest heading of CHANGELOG.md (<https://semver.org>).
    package static let text = "0.4.0"
}
