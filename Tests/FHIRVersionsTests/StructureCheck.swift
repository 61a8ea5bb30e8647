import FHIR

@testable import FHIRVersions

/// Says where a resource is not built as R4's definitions ask: unknown elements, wrong cardinalities and forms.
enum StructureCheck {
    static func problems(_ resource: Resource) -> [String] {
        ElementTable.r4.describes(resource.resourceType)
            ? problems(resource.object, resource.resourceType, resource.resourceType) : []
    }

    private static func problems(_ object: JSONObject, _ path: String, _ place: String) -> [String] {
        var found: [String] = []
        if object.isEmpty { found.append("\(place): empty") }
        for member in object.members where member.key != "resourceType" {
            let isSibling = member.key.hasPrefix("_")
            let key = isSibling ? String(member.key.dropFirst()) : member.key
            let here = place + "." + member.key
            guard let known = ElementTable.r4.member(key, below: path) else {
                found.append("\(here): unknown")
                continue
            }
            if (member.value.array != nil) != known.member.isRepeated { found.append("\(here): cardinality") }
            for value in member.value.array ?? [member.value] {
                if isSibling {
                    if value != .null { found += problems(siblingOf: value, here) }
                } else if known.type == "Resource" {
                    found += value.object.map { problems(Resource($0)) } ?? ["\(here): form"]
                } else if let inside = known.inside {
                    guard let object = value.object else {
                        found.append("\(here): form")
                        continue
                    }
                    if ElementTable.r4.describes(inside) { found += problems(object, inside, here) }
                } else {
                    found += problems(primitive: value, known.type, here, mayBeNull: object["_" + key] != nil)
                }
            }
        }
        for member in ElementTable.r4.members(below: path) where member.isRequired {
            let present = object.keys.contains { key in
                let name = key.hasPrefix("_") ? key.dropFirst() : key[...]
                return member.isChoice
                    ? name.hasPrefix(member.name) && name.dropFirst(member.name.count).first?.isUppercase ?? false
                    : name == member.name
            }
            // Choice elements of which only an extension stands there have their own rule.
            let onlyExtension = object.keys == ["extension"]
            if !present, !onlyExtension { found.append("\(place).\(member.name): missing") }
        }
        return found
    }

    private static func problems(siblingOf value: JSON, _ place: String) -> [String] {
        guard let object = value.object else { return ["\(place): form"] }
        return object.members.flatMap { member -> [String] in
            switch member.key {
            case "id": []
            case "extension":
                (member.value.array ?? []).flatMap { value in
                    value.object.map { problems($0, "Extension", place + ".extension") } ?? ["\(place): form"]
                }
            default: ["\(place).\(member.key): unknown"]
            }
        }
    }

    private static func problems(
        primitive value: JSON, _ type: String, _ place: String, mayBeNull: Bool
    ) -> [String] {
        switch (type, value) {
        case (_, .null): mayBeNull ? [] : ["\(place): null"]
        case ("boolean", .bool): []
        case ("integer", .number), ("decimal", .number), ("positiveInt", .number), ("unsignedInt", .number): []
        case ("boolean", _), ("integer", _), ("decimal", _), ("positiveInt", _), ("unsignedInt", _):
            ["\(place): form"]
        case ("date", .string(let text)), ("dateTime", .string(let text)):
            DateTime(text) == nil ? ["\(place): date"] : []
        case ("instant", .string(let text)):
            (DateTime(text)?.precision ?? .year) < .second ? ["\(place): instant"] : []
        case ("time", .string(let text)): TimeOfDay(text) == nil ? ["\(place): time"] : []
        case (_, .string): []
        default: ["\(place): form"]
        }
    }
}

/// The resource in the text.
func resource(_ text: String) throws -> Resource { try Resource(Array(text.utf8)) }

/// The R4 resource, which must have R4's structure.
func converted(_ text: String, _ version: FHIRVersion = .dstu2) throws -> FHIRConversion.Converted {
    try FHIRConversion.toR4(resource(text), from: version)
}

extension JSON {
    /// The value at a path such as `item.0.answer.0.valueString`.
    func path(_ path: String) -> JSON? {
        path.split(separator: ".").reduce(Optional(self)) { value, step in
            Int(step).map { value?[$0] } ?? value?[String(step)]
        }
    }
}
