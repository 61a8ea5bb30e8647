import FHIR

/// A profile, read from a StructureDefinition (<https://hl7.org/fhir/R4/structuredefinition.html>).
struct Profile: Sendable {
    let url: String
    /// The version in the StructureDefinition.
    let version: String?
    /// The constrained type.
    let type: String
    /// The canonical URL of the base definition.
    let base: String
    /// Whether it was read from its snapshot, which is complete. A differential also needs its base profiles.
    let hasSnapshot: Bool
    let root: ProfileNode
    /// For an extension: the elements that it may extend; empty if the context is not defined only by elements.
    var contexts: Set<String> = []
    /// Faults of the profile itself.
    let problems: [ValidationIssue]
}

/// The given profiles, by their canonical URLs.
struct ProfileSet: Sendable {
    private var byURL: [String: Profile] = [:]
    /// The given profiles in their order.
    private(set) var all: [Profile] = []
    /// Further profiles, which are searched after the given ones.
    private let namespaces: [ProfileNamespace]

    init(_ definitions: [JSONObject] = [], namespaces: [ProfileNamespace] = []) {
        self.namespaces = namespaces
        for definition in definitions {
            let profile = ProfileReader.read(definition)
            if byURL[profile.url] == nil { all.append(profile) }
            byURL[profile.url] = profile
        }
    }

    /// Returns the profile with the canonical URL, ignoring a version after `|`.
    func profile(_ url: String) -> Profile? {
        if let found = byURL[url] { return found }
        let plain = CanonicalURL(url).url
        if let found = byURL[plain] ?? published(plain) { return found }
        // R4's own tables are read only for a URL that could be one of them.
        guard plain.hasPrefix("http://hl7.org/fhir/StructureDefinition/") else { return nil }
        return StandardProfiles.r4.profile(plain)
    }

    private func published(_ url: String) -> Profile? {
        for namespace in namespaces {
            if let found = namespace.profile(url) { return found }
        }
        return nil
    }

    /// Whether a given profile defines the extension.
    func definesExtension(_ url: String) -> Bool { (byURL[url] ?? published(url))?.type == "Extension" }

    /// Returns the profile and the profiles from which it is derived, innermost first. The chain ends at a snapshot, at
    /// an unknown base, or at a cycle.
    func chain(of profile: Profile) -> (profiles: [Profile], isCircular: Bool) {
        var chain = [profile]
        var seen: Set<String> = [profile.url]
        var current = profile
        while !current.hasSnapshot, let base = self.profile(current.base) {
            guard seen.insert(base.url).inserted else { return (chain, true) }
            chain.append(base)
            current = base
        }
        return (chain, false)
    }
}
