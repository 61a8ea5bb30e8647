import FHIR

/// A profile that was read from a StructureDefinition (<https://hl7.org/fhir/R4/structuredefinition.html>).
struct Profile: Sendable {
    let url: String
    /// The version that the StructureDefinition states.
    let version: String?
    /// The type that it constrains.
    let type: String
    /// The canonical URL of what it is derived from.
    let base: String
    /// Whether it was read from its snapshot, which says everything; a differential needs its base beside it.
    let hasSnapshot: Bool
    let root: ProfileNode
    /// Of an extension: the elements that it may stand in; empty where that is not told by elements alone.
    var contexts: Set<String> = []
    /// The faults of the profile itself.
    let problems: [ValidationIssue]
}

/// The profiles that were supplied, by their canonical URLs.
struct ProfileSet: Sendable {
    private var byURL: [String: Profile] = [:]
    /// In the order in which they were supplied.
    private(set) var all: [Profile] = []
    /// What stands behind those.
    private let namespaces: [ProfileNamespace]

    init(_ definitions: [JSONObject] = [], namespaces: [ProfileNamespace] = []) {
        self.namespaces = namespaces
        for definition in definitions {
            let profile = ProfileReader.read(definition)
            if byURL[profile.url] == nil { all.append(profile) }
            byURL[profile.url] = profile
        }
    }

    /// The profile with the canonical URL, a version behind `|` aside.
    func profile(_ url: String) -> Profile? {
        if let found = byURL[url] { return found }
        let plain = CanonicalURL(url).url
        if let found = byURL[plain] ?? published(plain) { return found }
        // The tables of R4's own are read only for a name that could be one.
        guard plain.hasPrefix("http://hl7.org/fhir/StructureDefinition/") else { return nil }
        return StandardProfiles.r4.profile(plain)
    }

    private func published(_ url: String) -> Profile? {
        for namespace in namespaces {
            if let found = namespace.profile(url) { return found }
        }
        return nil
    }

    /// Whether a supplied profile defines the extension.
    func definesExtension(_ url: String) -> Bool { (byURL[url] ?? published(url))?.type == "Extension" }

    /// The profile and those that it is derived from, innermost first. What is supplied ends the chain; a circle does, too.
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
