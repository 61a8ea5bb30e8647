import FHIR

/// The elements that `_elements` selects of resources
/// (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters>): the named ones, and the mandatory ones. A
/// tag marks the resource as incomplete.
package struct ElementSubset: Sendable, Hashable {
    /// The elements of all types.
    private var ofAll: Set<String> = []
    private var ofTypes: [String: Set<String>] = [:]

    /// Reads `status,Observation.code`.
    ///
    /// - Throws: ``SearchConditionError`` for an invalid element name.
    package init(_ text: String) throws(SearchConditionError) {
        for part in text.split(separator: ",") {
            let names = part.trimmingPrefix(" ").split(separator: ".", omittingEmptySubsequences: false).map(
                String.init)
            guard let last = names.last, names.count < 3, !last.isEmpty,
                last.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) })
            else { throw .invalid("_elements", "names of elements such as status or Observation.code") }
            if names.count == 1 {
                ofAll.insert(last)
            } else {
                guard RecordType.isHeld(names[0]) else { throw .invalid("_elements", "elements of resource types") }
                ofTypes[names[0], default: []].insert(last)
            }
        }
        guard !ofAll.isEmpty || !ofTypes.isEmpty else {
            throw .invalid("_elements", "names of elements such as status or Observation.code")
        }
    }

    /// Returns the selected part of a resource.
    package func subset(of resource: Resource) -> Resource {
        let type = resource.resourceType
        // A type without named elements is returned whole.
        guard !ofAll.isEmpty || ofTypes[type] != nil else { return resource }
        let named = ofAll.union(ofTypes[type] ?? [])
        let required = Self.required(of: type)
        var left = Resource(
            JSONObject(
                keepingFirst: resource.object.members.filter { member in
                    let key = member.key.hasPrefix("_") ? String(member.key.dropFirst()) : member.key
                    return ["resourceType", "id", "meta"].contains(key) || named.contains(key)
                        || required.contains(key)
                        // A choice is selected by the common prefix of its keys.
                        || named.contains { key.hasPrefix($0) && key.dropFirst($0.count).first?.isUppercase == true }
                }))
        left.markSubsetted()
        return left
    }

    /// Returns the mandatory elements of a type.
    private static func required(of type: String) -> Set<String> {
        let model = TypeModel.r4
        return Set(model.elements(of: model.type(type) ?? .unknown).filter { $0.min > 0 }.map(\.name))
    }
}
