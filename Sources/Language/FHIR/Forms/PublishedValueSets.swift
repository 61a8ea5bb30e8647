/// The value sets that a study has published with its forms, looked up by the names in questions
/// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.answerValueSet>).
///
/// A name is a canonical, which means the newest version if it has none, or a reference (`ValueSet/id`, also relative
/// to a server's URL), as in C3-PRO's forms.
public struct PublishedValueSets: Sendable {
    private let byURL: [String: [ValueSet]]
    private let byID: [String: ValueSet]

    /// Creates the collection from published value sets. Of two with the same version, the first is used.
    public init(_ sets: [ValueSet] = []) {
        let versions: [BusinessVersion] = sets.map { BusinessVersion($0.version) }
        let order: [Int] = sets.indices.sorted { left, right in
            versions[left] == versions[right] ? left < right : versions[left] > versions[right]
        }
        var byURL: [String: [ValueSet]] = [:]
        var byID: [String: ValueSet] = [:]
        for set in order.map({ sets[$0] }) {
            if let url = set.url { byURL[url, default: []].append(set) }
            if let id = set.id, byID[id] == nil { byID[id] = set }
        }
        self.byURL = byURL
        self.byID = byID
    }

    /// Returns the value set for a name; nil if no such value set, or no such version of it, is published.
    public func valueSet(_ name: String) -> ValueSet? {
        let canonical = CanonicalURL(name)
        if let found = byURL[canonical.url] {
            guard let version = canonical.version else { return found.first }
            return found.first { $0.version == version }
        }
        guard let literal = Reference(canonical.url).literal, literal.type == ValueSet.resourceType else { return nil }
        return byID[literal.id]
    }
}
