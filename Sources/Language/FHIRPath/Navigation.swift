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
                name, of: object, known.type, known.declaration, hasSibling: known.isPrimitive, &output)
        } else if let known = name.choice?.member(of: type) {
            appendChoice(known.declaration, name, of: object, type, &output)
        } else if name.isOpen, name.choiceMember?.member(of: type) == nil {
            appendPlain(name, of: object, .unknown, -1, hasSibling: true, &output)
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
            append(value, sibling, known?.type ?? .unknown, known?.declaration ?? -1, &output)
        }
    }

    private static func appendPlain(
        _ name: MemberName, of object: JSONObject, _ type: TypeModel.TypeID, _ declaration: Int32,
        hasSibling: Bool,
        _ output: inout some ItemSink
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
        if value != nil || sibling != nil { append(value, sibling, type, declaration, &output) }
    }

    /// Appends each member whose name begins with that of the choice and ends in one of its types.
    private static func appendChoice(
        _ choice: Int32, _ name: MemberName, of object: JSONObject, _ type: TypeModel.TypeID,
        _ output: inout some ItemSink
    ) {
        for member in object.members {
            if member.key.utf8.first == name.text.utf8.first, member.key.utf8.starts(with: name.text.utf8) {
                guard let known = NameIndex.shared.choiceMember(member.key)?.member(of: type),
                    known.declaration == choice
                else { continue }
                let sibling = known.isPrimitive ? object.sibling(of: member.key) : nil
                append(member.value, sibling, known.type, choice, &output)
            } else if member.key.utf8.first == UInt8(ascii: "_"), member.key.utf8.starts(with: name.sibling.utf8) {
                let plain = String(member.key.dropFirst())
                guard object[plain] == nil,
                    let known = NameIndex.shared.choiceMember(plain)?.member(of: type),
                    known.declaration == choice
                else { continue }
                append(nil, member.value, known.type, choice, &output)
            }
        }
    }

    private static func append(
        _ value: JSON?, _ sibling: JSON?, _ type: TypeModel.TypeID, _ declaration: Int32,
        _ output: inout some ItemSink
    ) {
        switch value {
        case .array(let values)?:
            let siblings = sibling?.array
            for (index, item) in values.enumerated() {
                let beside = siblings.flatMap { index < $0.count ? $0[index].object : nil }
                appendOne(item, beside, type, declaration, &output)
            }
        case nil:
            if case .array(let siblings)? = sibling {
                for item in siblings { appendOne(.null, item.object, type, declaration, &output) }
            } else {
                appendOne(.null, sibling?.object, type, declaration, &output)
            }
        case let value?: appendOne(value, sibling?.object, type, declaration, &output)
        }
    }

    private static func appendOne(
        _ value: JSON, _ sibling: JSONObject?, _ type: TypeModel.TypeID, _ declaration: Int32,
        _ output: inout some ItemSink
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
