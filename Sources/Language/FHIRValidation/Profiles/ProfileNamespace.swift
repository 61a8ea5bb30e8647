import FHIR

/// Profiles whose canonical URLs begin alike, read once a resource names such a URL: whoever validates what bears none of
/// them does not pay for them.
///
/// ```swift
/// enum Published {
///     static let profiles = ProfileNamespace.Profiles(definitions)
///     static let namespace = ProfileNamespace(prefix: "urn:example:", profiles: profiles)
/// }
/// ```
public struct ProfileNamespace: Sendable {
    /// StructureDefinitions that were read.
    public struct Profiles: Sendable {
        let set: ProfileSet

        /// - Parameter definitions: StructureDefinitions of profiles and extensions, with a snapshot or a differential.
        public init(_ definitions: [JSONObject]) { set = ProfileSet(definitions) }
    }

    /// The first characters of the canonical URLs.
    public let prefix: String
    private let profiles: @Sendable () -> Profiles

    /// - Parameter profiles: evaluated at each question, so that a `static let` belongs here.
    public init(prefix: String, profiles: @autoclosure @escaping @Sendable () -> Profiles) {
        self.prefix = prefix
        self.profiles = profiles
    }

    /// Returns the profile with the canonical URL, without a version.
    func profile(_ url: String) -> Profile? { url.hasPrefix(prefix) ? profiles().set.profile(url) : nil }
}
