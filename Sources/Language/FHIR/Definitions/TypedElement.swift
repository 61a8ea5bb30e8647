/// One element of a resource with its type, for FHIRPath navigation and validation.
///
/// Nothing is copied: the element holds the JSON value of the resource.
public struct TypedElement: Sendable, Hashable {
    /// The value; `.null` if only the id or the extensions of a primitive exist.
    public let value: JSON

    /// The id and extensions of a primitive, which are in the sibling member of the same name with the prefix `_`
    /// (<https://hl7.org/fhir/R4/json.html#primitive>).
    public let sibling: JSONObject?

    /// The type; ``TypeModel/TypeID/unknown`` if R4 does not define the element.
    public let type: TypeModel.TypeID

    /// The number of the declaration; -1 for a resource and for elements that R4 does not define.
    public let declaration: Int32

    /// Creates an element from a value and its type, with the number of the element's declaration if it is known.
    public init(_ value: JSON, sibling: JSONObject? = nil, type: TypeModel.TypeID, declaration: Int32 = -1) {
        self.value = value
        self.sibling = sibling
        self.type = type
        self.declaration = declaration
    }

    /// Creates an element from a resource, with the type in `resourceType`.
    public init(resource: JSONObject) {
        value = .object(resource)
        sibling = nil
        type = TypedElement.resourceType(of: resource)
        declaration = -1
    }

    /// Creates an element from a value of the type with the name.
    public init(_ value: JSON, type: String) {
        self.init(value, type: TypeModel.r4.type(type) ?? .unknown)
    }

    /// The name of the type; empty for the unknown type.
    public var typeName: String { TypeModel.r4.name(of: type) }

    /// Whether the element is a primitive, by its type or, if that is unknown, by its JSON.
    public var isPrimitive: Bool {
        if type.isKnown { return TypeModel.r4.isPrimitive(type) }
        switch value {
        case .object, .array: return false
        default: return true
        }
    }

    /// Returns the type of an object from its `resourceType`.
    public static func resourceType(of object: JSONObject) -> TypeModel.TypeID {
        guard let name = object["resourceType"]?.string, let type = TypeModel.r4.type(name),
            TypeModel.r4.kind(of: type) == .resource
        else { return .unknown }
        return type
    }
}

// MARK: Children

extension TypedElement {
    /// Returns the children with a name of FHIRPath: `value` returns the member `valueQuantity`.
    public func children(_ name: String) -> [TypedElement] {
        var output: [TypedElement] = []
        appendChildren(name, to: &output)
        return output
    }

    /// Appends the children, as ``children(_:)`` but without an array for each step.
    public func appendChildren(_ name: String, to output: inout [TypedElement]) {
        let model = TypeModel.r4
        guard case .object(let object) = value else {
            // The children of a primitive are in its sibling member.
            guard let sibling else { return }
            TypedElement.append(name, of: sibling, type: model.elementType, to: &output)
            return
        }
        TypedElement.append(name, of: object, type: type, to: &output)
    }

    private static func append(
        _ name: String, of object: JSONObject, type: TypeModel.TypeID, to output: inout [TypedElement]
    ) {
        let model = TypeModel.r4
        // 1. A plain name, the usual case.
        if let (element, inside) = model.memberIndex(name, of: type), !model.declared[Int(element)].isChoice {
            let values = object[name]
            let siblings = model.isPrimitive(inside) ? object.sibling(of: name) : nil
            if values != nil || siblings != nil {
                append(values, sibling: siblings, type: inside, element: element, to: &output)
            }
            return
        }
        // 2. A choice: each member whose name has this prefix and one of its types.
        if let element = model.elementIndex(named: name, of: type) {
            for member in object.members {
                if member.key.hasPrefix(name) {
                    guard let (found, inside) = model.memberIndex(member.key, of: type), found == element else {
                        continue
                    }
                    let siblings = model.isPrimitive(inside) ? object.sibling(of: member.key) : nil
                    append(member.value, sibling: siblings, type: inside, element: element, to: &output)
                } else if member.key.utf8.first == UInt8(ascii: "_") {
                    let plain = String(member.key.dropFirst())
                    guard plain.hasPrefix(name), object[plain] == nil,
                        let (found, inside) = model.memberIndex(plain, of: type), found == element
                    else { continue }
                    append(nil, sibling: member.value, type: inside, element: element, to: &output)
                }
            }
            return
        }
        // 3. An element that R4 does not define is found by its JSON name.
        guard name != "resourceType", name.utf8.first != UInt8(ascii: "_") else { return }
        let values = object[name]
        let siblings = object.sibling(of: name)
        // `valueQuantity` is not a FHIRPath name if the tables define `value[x]`.
        if model.memberIndex(name, of: type) != nil { return }
        if values != nil || siblings != nil {
            append(values, sibling: siblings, type: .unknown, element: -1, to: &output)
        }
    }

    private static func append(
        _ value: JSON?, sibling: JSON?, type: TypeModel.TypeID, element: Int32, to output: inout [TypedElement]
    ) {
        if case .array(let values) = value {
            let siblings = sibling?.array
            for (index, item) in values.enumerated() {
                let itemSibling = siblings.flatMap { index < $0.count ? $0[index].object : nil }
                appendOne(item, sibling: itemSibling, type: type, element: element, to: &output)
            }
            return
        }
        if value == nil, case .array(let siblings) = sibling {
            for item in siblings { appendOne(.null, sibling: item.object, type: type, element: element, to: &output) }
            return
        }
        appendOne(value ?? .null, sibling: sibling?.object, type: type, element: element, to: &output)
    }

    private static func appendOne(
        _ value: JSON, sibling: JSONObject?, type: TypeModel.TypeID, element: Int32,
        to output: inout [TypedElement]
    ) {
        if case .null = value, sibling == nil { return }
        var type = type
        if case .object(let object) = value {
            // A contained resource has the type in its `resourceType`.
            if type == TypeModel.r4.resourceType { type = resourceType(of: object) }
        }
        output.append(TypedElement(value, sibling: sibling, type: type, declaration: element))
    }

    /// Returns all children in the order of the document, without `resourceType`.
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
            TypedElement.append(
                value, sibling: sibling, type: known?.type ?? .unknown, element: known?.element ?? -1, to: &found)
            for child in found { try body(child) }
            found.removeAll(keepingCapacity: true)
        }
    }

    /// The name of the element without `[x]` in its parent; empty for a resource on its own.
    public var name: String {
        declaration >= 0 ? TypeModel.r4.declared[Int(declaration)].name : ""
    }
}

extension JSONObject {
    /// Returns the sibling member of a primitive: the value of the name with the prefix `_`
    /// (<https://hl7.org/fhir/R4/json.html#primitive>).
    public func sibling(of name: String) -> JSON? {
        // A small object is scanned without creating a string of the name; a large one has an index.
        if count > JSONObject.maximumScanned { return self["_" + name] }
        for member in members where member.key.utf8.first == UInt8(ascii: "_") && member.key.dropFirst() == name {
            return member.value
        }
        return nil
    }
}
