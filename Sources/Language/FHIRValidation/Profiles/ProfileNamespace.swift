import FHIR

/// Profiles whose canonical URLs have the same prefix. They are read when a resource first names such a URL, so that
/// validation of other resources does not pay for them.
///
/// ```swift
/// enum Published {
///     static let profiles = ProfileNamespace.Profiles(definitions)
///     static let namespace = ProfileNamespace(prefix: "urn:example:", profiles: profiles)
/// }
/// ```
public struct ProfileNamespace: Sendable {
    /// Parsed StructureDefinitions.
    public struct Profiles: Sendable {
        let set: ProfileSet

        /// - Parameter definitions: StructureDefinitions of profiles and extensions, with a snapshot or a differential.
        public init(_ definitions: [JSONObject]) { set = ProfileSet(definitions) }
    }

    /// The common prefix of the canonical URLs.
    public let prefix: String
    private let profiles: @Sendable () -> Profiles

    /// - Parameter profiles: evaluated at each lookup, so a `static let` should be used.
    public init(prefix: String, profiles: @autoclosure @escaping @Sendable () -> Profiles) {
        self.prefix = prefix
        self.profiles = profiles
    }

    /// Returns the profile with the canonical URL, without a version.
    func profile(_ url: String) -> Profile? { url.hasPrefix(prefix) ? profiles().set.profile(url) : nil }
}
