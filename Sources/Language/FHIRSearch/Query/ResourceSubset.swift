import FHIR

/// A part of a resource (<https://hl7.org/fhir/R4/search.html#summary>).
///
/// Every part contains the type, the id, `meta`, and the mandatory and modifier elements of R4, so that it is a
/// resource with the same meaning. It is marked as `SUBSETTED`.
package enum ResourceSubset: Sendable, Hashable {
    /// `_summary=true`: the elements that R4 marks as summary elements, at every depth.
    case summary
    /// `_summary=text`: the narrative.
    case text
    /// `_summary=data`: all but the narrative.
    case data
    /// `_elements`: these elements, and the mandatory ones.
    case elements(ElementSubset)

    /// Reads `_summary` and `_elements` of a request for one resource; nil where the whole resource is requested.
    ///
    /// - Throws: ``SearchConditionError``
    package init?(of parameters: [(name: String, value: String)]) throws {
        let elements = parameters.filter { $0.name == "_elements" }.map(\.value).joined(separator: ",")
        switch parameters.last(where: { $0.name == "_summary" })?.value {
        case "true": self = .summary
        case "text": self = .text
        case "data": self = .data
        case "false", nil:
            guard !elements.isEmpty else { return nil }
            self = .elements(try ElementSubset(elements))
            return
        default: throw SearchConditionError.invalid("_summary", "true, text, data or false")
        }
        guard elements.isEmpty else { throw SearchConditionError.summaryAndElements }
    }

    /// Returns the part of a resource.
    package func of(_ resource: Resource) -> Resource {
        if case .elements(let elements) = self { return elements.subset(of: resource) }
        guard let type = TypeModel.r4.type(resource.resourceType) else { return resource }
        var members: [JSONObject.Member] = []
        for member in resource.object.members {
            let key = member.key
            guard let kept = kept(key, member.value, of: type) else { continue }
            members.append(JSONObject.Member(key: key, value: kept))
        }
        var part = Resource(JSONObject(keepingFirst: members))
        part.markSubsetted()
        return part
    }

    private func kept(_ key: String, _ value: JSON, of type: TypeModel.TypeID) -> JSON? {
        if ["resourceType", "id", "meta"].contains(key) { return value }
        let plain = key.hasPrefix("_") ? String(key.dropFirst()) : key
        // In a conditional expression `nil` would be a JSON null.
        if self == .data {
            if plain == "text" { return nil }
            return value
        }
        guard let (element, inside) = TypeModel.r4.member(plain, of: type) else { return nil }
        if self == .summary { return Self.summarised(value, as: element, type: inside) }
        guard element.min > 0 || element.isModifier || plain == "text" else { return nil }
        return value
    }

    // MARK: Summaries

    /// Returns an element's part in a summary; nil where it has none.
    private static func summarised(_ value: JSON, as element: TypeModel.Element, type: TypeModel.TypeID) -> JSON? {
        guard element.isSummary || element.min > 0 || element.isModifier else { return nil }
        return inside(value, type)
    }

    private static func inside(_ value: JSON, _ type: TypeModel.TypeID) -> JSON {
        let model = TypeModel.r4
        switch value {
        case .array(let items): return .array(items.map { inside($0, type) })
        case .object(let object):
            // The content of a primitive belongs to it. The type of a contained resource is not known here.
            guard type.isKnown, model.kind(of: type) == .complex || model.kind(of: type) == .backbone else {
                return value
            }
            var members: [JSONObject.Member] = []
            for member in object.members {
                let (key, value) = (member.key, member.value)
                let plain = key.hasPrefix("_") ? String(key.dropFirst()) : key
                guard plain != "id" else {
                    members.append(JSONObject.Member(key: key, value: value))
                    continue
                }
                guard let (element, inner) = model.member(plain, of: type),
                    let kept = summarised(value, as: element, type: inner)
                else { continue }
                members.append(JSONObject.Member(key: key, value: kept))
            }
            // An element that would be empty is kept whole, because an empty object is invalid.
            return members.isEmpty ? value : .object(JSONObject(keepingFirst: members))
        default: return value
        }
    }
}

extension Resource {
    /// Marks the resource as incomplete (<https://terminology.hl7.org/CodeSystem-v3-ObservationValue.html>), so that no
    /// one takes the part for the whole.
    mutating func markSubsetted() {
        let system = "http://terminology.hl7.org/CodeSystem/v3-ObservationValue"
        var meta = meta ?? Meta()
        guard !meta.tag.contains(where: { $0.system == system && $0.code == "SUBSETTED" }) else { return }
        meta.tag.append(Coding(system: system, code: "SUBSETTED"))
        self.meta = meta
    }
}
