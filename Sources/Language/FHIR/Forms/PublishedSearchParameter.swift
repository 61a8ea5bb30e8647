/// A parameter of searches among published resources, forms and definitions: those that all of their types have
/// (<https://hl7.org/fhir/R4/questionnaire.html#search>). Several values, with commas between them, mean any of them.
public enum PublishedSearchParameter: String, Sendable, CaseIterable {
    case id = "_id"
    case identifier
    case name
    case status
    case title
    case url
    case version

    /// Whether a resource, in any release of FHIR, has what is asked for: `name` and `title` begin with one of the values,
    /// whatever the case, and all else is equal to one.
    ///
    /// - Parameter ids: the ids under which the resource is found; its own where nil.
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
            // One, or several: the releases differ.
            return (identifier.array ?? [identifier]).contains { one in
                guard let own = one["value"]?.string else { return false }
                return values.contains { $0 == own || $0 == "\(one["system"]?.string ?? "")|\(own)" }
            }
        }
    }
}
