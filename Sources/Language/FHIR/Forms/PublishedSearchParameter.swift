/// A search parameter for published resources, forms and definitions: those that all of their types have
/// (<https://hl7.org/fhir/R4/questionnaire.html#search>). Several values, separated by commas, are alternatives.
public enum PublishedSearchParameter: String, Sendable, CaseIterable {
    case id = "_id"
    case identifier
    case name
    case status
    case title
    case url
    case version

    /// Whether a resource, in any release of FHIR, matches: `name` and `title` begin with one of the values, ignoring
    /// case; all other elements are equal to one of the values.
    ///
    /// - Parameter ids: the ids under which the resource is found; nil for its own id.
    public func matches(_ resource: Resource, _ value: String, ids: Set<String>? = nil) -> Bool {
        let values = value.split(separator: ",").map(String.init)
        let found = resource.object[rawValue]?.string
        switch self {
        case .id: return !(ids ?? Set([resource.id].compactMap(\.self))).isDisjoint(with: values)
        case .url, .version, .status: return found.map(values.contains) ?? false
        case .name, .title:
            let text = found?.lowercased() ?? ""
            return values.contains { text.hasPrefix($0.lowercased()) }
        case .identifier:
            guard let identifier = resource.object["identifier"] else { return false }
            // One identifier or several, depending on the release.
            return (identifier.array ?? [identifier]).contains { one in
                guard let own = one["value"]?.string else { return false }
                return values.contains { $0 == own || $0 == "\(one["system"]?.string ?? "")|\(own)" }
            }
        }
    }
}
