import FHIR

/// A collection to which items are appended.
protocol ItemSink {
    mutating func append(_ value: FHIRPathValue)
}

extension Items: ItemSink {}
extension [FHIRPathValue]: ItemSink {}

/// Steps from an element to its children, as ``FHIR/TypedElement/children(_:)`` but with a prepared name and without an
/// array for a single child.
enum Navigation {
    static func append(_ name: MemberName, of element: TypedElement, to output: inout some ItemSink) {
        let object: JSONObject
        let type: TypeModel.TypeID
        if case .object(let members) = element.value {
            (object, type) = (members, element.type)
        } else if let sibling = element.sibling {
            // The children of a primitive are in its sibling.
            (object, type) = (sibling, NameIndex.shared.elementType)
        } else {
            return
        }
        if let known = name.plain?.member(of: type) {
            appendPlain(
                name, of: object, type: known.type, declaration: known.declaration, hasSibling: known.isPrimitive,
                to: &output)
        } else if let known = name.choice?.member(of: type) {
            appendChoice(known.declaration, name: name, of: object, type: type, to: &output)
        } else if name.isOpen, name.choiceMember?.member(of: type) == nil {
            appendPlain(name, of: object, type: .unknown, declaration: -1, hasSibling: true, to: &output)
        }
    }

    /// Appends all children in the order of the document, without `resourceType`.
    static func appendChildren(of element: TypedElement, to output: inout some ItemSink) {
        let object: JSONObject
        let type: TypeModel.TypeID
        if case .object(let members) = element.value {
            (object, type) = (members, element.type)
        } else if let sibling = element.sibling {
            (object, type) = (sibling, NameIndex.shared.elementType)
        } else {
            return
        }
        let hasSiblings = object.members.contains { $0.key.utf8.first == UInt8(ascii: "_") }
        for member in object.members where member.key != "resourceType" {
            var key = member.key
            var value: JSON? = member.value
            var sibling: JSON?
            if hasSiblings {
                if key.utf8.first == UInt8(ascii: "_") {
                    key = String(key.dropFirst())
                    if object[key] != nil { continue }
                    (value, sibling) = (nil, value)
                } else {
                    sibling = object.sibling(of: key)
                }
            }
            let known = NameIndex.shared.member(key, of: type)
            append(
                value, sibling: sibling, type: known?.type ?? .unknown, declaration: known?.declaration ?? -1,
                to: &output)
        }
    }

    private static func appendPlain(
        _ name: MemberName, of object: JSONObject, type: TypeModel.TypeID, declaration: Int32,
        hasSibling: Bool,
        to output: inout some ItemSink
    ) {
        var value: JSON?
        var sibling: JSON?
        for member in object.members {
            if value == nil, member.key == name.text {
                value = member.value
                if !hasSibling { break }
            } else if hasSibling, member.key == name.sibling {
                sibling = member.value
            }
        }
        if value != nil || sibling != nil {
            append(value, sibling: sibling, type: type, declaration: declaration, to: &output)
        }
    }

    /// Appends each member whose name begins with that of the choice and ends in one of its types.
    private static func appendChoice(
        _ choice: Int32, name: MemberName, of object: JSONObject, type: TypeModel.TypeID,
        to output: inout some ItemSink
    ) {
        for member in object.members {
            if member.key.utf8.first == name.text.utf8.first, member.key.utf8.starts(with: name.text.utf8) {
                guard let known = NameIndex.shared.choiceMember(member.key)?.member(of: type),
                    known.declaration == choice
                else { continue }
                let sibling = known.isPrimitive ? object.sibling(of: member.key) : nil
                append(member.value, sibling: sibling, type: known.type, declaration: choice, to: &output)
            } else if member.key.utf8.first == UInt8(ascii: "_"), member.key.utf8.starts(with: name.sibling.utf8) {
                let plain = String(member.key.dropFirst())
                guard object[plain] == nil,
                    let known = NameIndex.shared.choiceMember(plain)?.member(of: type),
                    known.declaration == choice
                else { continue }
                append(nil, sibling: member.value, type: known.type, declaration: choice, to: &output)
            }
        }
    }

    private static func append(
        _ value: JSON?, sibling: JSON?, type: TypeModel.TypeID, declaration: Int32,
        to output: inout some ItemSink
    ) {
        switch value {
        case .array(let values)?:
            let siblings = sibling?.array
            for (index, item) in values.enumerated() {
                let itemSibling = siblings.flatMap { index < $0.count ? $0[index].object : nil }
                appendOne(item, sibling: itemSibling, type: type, declaration: declaration, to: &output)
            }
        case nil:
            if case .array(let siblings)? = sibling {
                for item in siblings {
                    appendOne(.null, sibling: item.object, type: type, declaration: declaration, to: &output)
                }
            } else {
                appendOne(.null, sibling: sibling?.object, type: type, declaration: declaration, to: &output)
            }
        case let value?:
            appendOne(value, sibling: sibling?.object, type: type, declaration: declaration, to: &output)
        }
    }

    private static func appendOne(
        _ value: JSON, sibling: JSONObject?, type: TypeModel.TypeID, declaration: Int32,
        to output: inout some ItemSink
    ) {
        var type = type
        switch value {
        case .null: if sibling == nil { return }
        case .object(let object):
            // A contained resource has the type in its `resourceType`.
            if type == NameIndex.shared.resourceType { type = TypedElement.resourceType(of: object) }
        default: break
        }
        output.append(
            .element(TypedElement(value, sibling: sibling, type: type, declaration: declaration)))
    }
}
