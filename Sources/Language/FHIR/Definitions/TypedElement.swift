/// One element of a resource together with its type: what FHIRPath navigates and validation looks at.
///
/// Nothing is copied: the element holds the JSON value that stands in the resource.
public struct TypedElement: Sendable, Hashable {
    /// The value; `.null` where only the id or the extensions of a primitive stand.
    public let value: JSON

    /// The id and extensions of a primitive, which stand beside it under its name with `_` before it
    /// (<https://hl7.org/fhir/R4/json.html#primitive>).
    public let sibling: JSONObject?

    /// ``TypeModel/TypeID/unknown`` where R4 does not know the element.
    public let type: TypeModel.TypeID

    /// The number of the declaration, -1 for a resource and for what R4 does not know.
    public let declaration: Int32

    /// Makes an element of a value and its type, with the number of the element's declaration where it is known.
    public init(_ value: JSON, sibling: JSONObject? = nil, type: TypeModel.TypeID, declaration: Int32 = -1) {
        self.value = value
        self.sibling = sibling
        self.type = type
        self.declaration = declaration
    }

    /// A resource, of the type that it names.
    public init(resource: JSONObject) {
        value = .object(resource)
        sibling = nil
        type = TypedElement.resourceType(of: resource)
        declaration = -1
    }

    /// A value of the type with the name.
    public init(_ value: JSON, type: String) {
        self.init(value, type: TypeModel.r4.type(type) ?? .unknown)
    }

    /// The name of the type; empty where it is unknown.
    public var typeName: String { TypeModel.r4.name(of: type) }

    /// Whether this is a primitive by its type, or, of unknown type, by its JSON.
    public var isPrimitive: Bool {
        if type.isKnown { return TypeModel.r4.isPrimitive(type) }
        switch value {
        case .object, .array: return false
        default: return true
        }
    }

    /// The type of an object by its `resourceType`.
    public static func resourceType(of object: JSONObject) -> TypeModel.TypeID {
        guard let name = object["resourceType"]?.string, let type = TypeModel.r4.type(name),
            TypeModel.r4.kind(of: type) == .resource
        else { return .unknown }
        return type
    }
}

// MARK: Children

extension TypedElement {
    /// The children with a name as FHIRPath says it: `value` yields what stands as `valueQuantity`.
    public func children(_ name: String) -> [TypedElement] {
        var output: [TypedElement] = []
        appendChildren(name, to: &output)
        return output
    }

    /// As ``children(_:)``, without an array for each step.
    public func appendChildren(_ name: String, to output: inout [TypedElement]) {
        let model = TypeModel.r4
        guard case .object(let object) = value else {
            // The children of a primitive stand in its sibling.
            guard let sibling else { return }
            TypedElement.append(name, of: sibling, model.elementType, &output)
            return
        }
        TypedElement.append(name, of: object, type, &output)
    }

    private static func append(
        _ name: String, of object: JSONObject, _ type: TypeModel.TypeID, _ output: inout [TypedElement]
    ) {
        let model = TypeModel.r4
        // 1. A plain name, the common case.
        if let (element, inside) = model.memberIndex(name, of: type), !model.declared[Int(element)].isChoice {
            let values = object[name]
            let siblings = model.isPrimitive(inside) ? object.sibling(of: name) : nil
            if values != nil || siblings != nil { append(values, siblings, inside, element, &output) }
            return
        }
        // 2. A choice: each member whose name begins so and is one of its types.
        if let element = model.elementIndex(named: name, of: type) {
            for member in object.members {
                if member.key.hasPrefix(name) {
                    guard let (found, inside) = model.memberIndex(member.key, of: type), found == element else {
                        continue
                    }
                    let siblings = model.isPrimitive(inside) ? object.sibling(of: member.key) : nil
                    append(member.value, siblings, inside, element, &output)
                } else if member.key.utf8.first == UInt8(ascii: "_") {
                    let plain = String(member.key.dropFirst())
                    guard plain.hasPrefix(name), object[plain] == nil,
                        let (found, inside) = model.memberIndex(plain, of: type), found == element
                    else { continue }
                    append(nil, member.value, inside, element, &output)
                }
            }
            return
        }
        // 3. What R4 does not know is found by its JSON name.
        guard name != "resourceType", name.utf8.first != UInt8(ascii: "_") else { return }
        let values = object[name]
        let siblings = object.sibling(of: name)
        // `valueQuantity` is no name of FHIRPath where the table says `value[x]`.
        if model.memberIndex(name, of: type) != nil { return }
        if values != nil || siblings != nil { append(values, siblings, .unknown, -1, &output) }
    }

    private static func append(
        _ value: JSON?, _ sibling: JSON?, _ type: TypeModel.TypeID, _ element: Int32, _ output: inout [TypedElement]
    ) {
        if case .array(let values) = value {
            let siblings = sibling?.array
            for (index, item) in values.enumerated() {
                let beside = siblings.flatMap { index < $0.count ? $0[index].object : nil }
                appendOne(item, beside, type, element, &output)
            }
            return
        }
        if value == nil, case .array(let siblings) = sibling {
            for item in siblings { appendOne(.null, item.object, type, element, &output) }
            return
        }
        appendOne(value ?? .null, sibling?.object, type, element, &output)
    }

    private static func appendOne(
        _ value: JSON, _ sibling: JSONObject?, _ type: TypeModel.TypeID, _ element: Int32,
        _ output: inout [TypedElement]
    ) {
        if case .null = value, sibling == nil { return }
        var type = type
        if case .object(let object) = value {
            // A resource inside says itself what it is.
            if type == TypeModel.r4.resourceType { type = resourceType(of: object) }
        }
        output.append(TypedElement(value, sibling: sibling, type: type, declaration: element))
    }

    /// All children, in the order of the document; `resourceType` is none.
    public func children() -> [TypedElement] {
        var output: [TypedElement] = []
        forEachChild { output.append($0) }
        return output
    }

    /// Calls the body with each child, in the order of the document.
    public func forEachChild(_ body: (TypedElement) throws -> Void) rethrows {
        let model = TypeModel.r4
        let object: JSONObject
        let within: TypeModel.TypeID
        switch value {
        case .object(let members): (object, within) = (members, type)
        default:
            guard let sibling else { return }
            (object, within) = (sibling, model.elementType)
        }
        var found: [TypedElement] = []
        for member in object.members where member.key != "resourceType" {
            let key: String
            let value: JSON?
            let sibling: JSON?
            if member.key.utf8.first == UInt8(ascii: "_") {
                key = String(member.key.dropFirst())
                if object[key] != nil { continue }
                (value, sibling) = (nil, member.value)
            } else {
                (key, value) = (member.key, member.value)
                if case .object = member.value { sibling = nil } else { sibling = object.sibling(of: key) }
            }
            let known = model.memberIndex(key, of: within)
            TypedElement.append(value, sibling, known?.type ?? .unknown, known?.element ?? -1, &found)
            for child in found { try body(child) }
            found.removeAll(keepingCapacity: true)
        }
    }

    /// The name without `[x]` under which the element stands in its parent; empty for a resource on its own.
    public var name: String {
        declaration >= 0 ? TypeModel.r4.declared[Int(declaration)].name : ""
    }
}

extension JSONObject {
    /// The value under the name with `_` before it: what stands beside a primitive
    /// (<https://hl7.org/fhir/R4/json.html#primitive>).
    public func sibling(of name: String) -> JSON? {
        // Few members are scanned without making a text of the name; many have an index.
        if count > JSONObject.mostScanned { return self["_" + name] }
        for member in members where member.key.utf8.first == UInt8(ascii: "_") && member.key.dropFirst() == name {
            return member.value
        }
        return nil
    }
}
