import Core
import FHIR

/// A value in a FHIRPath Patch (<https://hl7.org/fhir/R4/fhirpatch.html>): `value[x]`, a resource, or an element made
/// of parts. The names of parts have no type suffix, so the JSON of the parts depends on the type of the element.
package struct FHIRPathPatchValue: Sendable {
    private enum Content: Sendable {
        case json(JSON)
        case parts([(name: String, value: FHIRPathPatchValue)])
    }

    private let content: Content
    /// The type after `value`, such as `Quantity`; nil for a resource and for an element made of parts.
    let type: String?

    /// Reads a part; nil where it has no value.
    init?(_ part: JSON) {
        self.init(part, depth: 0)
    }

    private init?(_ part: JSON, depth: Int) {
        guard depth < 32, let object = part.object else { return nil }
        if let member = object.members.first(where: { $0.key.hasPrefix("value") && $0.key.count > 5 }) {
            (content, type) = (.json(member.value), String(member.key.dropFirst(5)))
            return
        }
        type = nil
        if let resource = object["resource"], resource.object != nil {
            content = .json(resource)
            return
        }
        guard let parts = object["part"]?.array, !parts.isEmpty else { return nil }
        var read: [(name: String, value: FHIRPathPatchValue)] = []
        for part in parts {
            guard let name = part["name"]?.string, let value = FHIRPathPatchValue(part, depth: depth + 1) else {
                return nil
            }
            read.append((name, value))
        }
        content = .parts(read)
    }

    /// Returns the value as an element of a type: members of lists are arrays, and those of choices have the suffix of
    /// their types.
    ///
    /// - Returns: nil where an element that is not a list is repeated.
    func json(as type: TypeModel.TypeID) -> JSON? {
        guard case .parts(let parts) = content else {
            guard case .json(let json) = content else { return nil }
            return json
        }
        var made = JSONObject()
        for (name, value) in parts {
            let member = PatchMember(name, valueType: value.type, of: type)
            guard let json = value.json(as: member.type) else { return nil }
            let isKnown = TypeModel.r4.member(member.key, of: type) != nil
            if made[member.key] == nil {
                made[member.key] = member.isList ? .array([json]) : json
            } else if member.isList {
                made.update(member.key) { $0.withElements { $0.append(json) } }
            } else if !isKnown {
                // An unknown member becomes a list where it is repeated; validation refuses it.
                made.update(member.key) { present in
                    if present.array == nil { present = .array([present]) }
                    present.withElements { $0.append(json) }
                }
            } else {
                return nil
            }
        }
        return .object(made)
    }
}

/// The JSON member of an element in a type.
struct PatchMember {
    let key: String
    /// Whether it is an array in JSON.
    let isList: Bool
    let type: TypeModel.TypeID

    /// - Parameters:
    ///   - name: the name of the element, without a type suffix.
    ///   - valueType: the type of its value; nil where it is unknown.
    init(_ name: String, valueType: String? = nil, of owner: TypeModel.TypeID) {
        let model = TypeModel.r4
        for key in [name, valueType.map { name + $0 }].compactMap({ $0 }) {
            guard let declared = model.member(key, of: owner) else { continue }
            (self.key, isList, type) = (key, declared.element.isRepeated, declared.type)
            return
        }
        (key, isList, type) = (name, false, .unknown)
    }
}
