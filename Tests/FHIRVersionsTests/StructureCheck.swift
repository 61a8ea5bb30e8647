import FHIR

@testable import FHIRVersions

/// Reports where a resource does not have the structure of R4's definitions: unknown elements, wrong cardinalities and
/// types.
enum StructureCheck {
    static func problems(_ resource: Resource) -> [String] {
        ElementTable.r4.describes(resource.resourceType)
            ? problems(resource.object, below: resource.resourceType, at: resource.resourceType) : []
    }

    private static func problems(_ object: JSONObject, below path: String, at location: String) -> [String] {
        var found: [String] = []
        if object.isEmpty { found.append("\(location): empty") }
        for member in object.members where member.key != "resourceType" {
            let isSibling = member.key.hasPrefix("_")
            let key = isSibling ? String(member.key.dropFirst()) : member.key
            let here = location + "." + member.key
            guard let known = ElementTable.r4.member(key, below: path) else {
                found.append("\(here): unknown")
                continue
            }
            if (member.value.array != nil) != known.member.isRepeated { found.append("\(here): cardinality") }
            for value in member.value.array ?? [member.value] {
                if isSibling {
                    if value != .null { found += problems(siblingOf: value, at: here) }
                } else if known.type == "Resource" {
                    found += value.object.map { problems(Resource($0)) } ?? ["\(here): form"]
                } else if let inside = known.inside {
                    guard let object = value.object else {
                        found.append("\(here): form")
                        continue
                    }
                    if ElementTable.r4.describes(inside) { found += problems(object, below: inside, at: here) }
                } else {
                    found += problems(primitive: value, type: known.type, at: here, mayBeNull: object["_" + key] != nil)
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
            // Choice elements with only an extension have their own rule.
            let onlyExtension = object.keys == ["extension"]
            if !present, !onlyExtension { found.append("\(location).\(member.name): missing") }
        }
        return found
    }

    private static func problems(siblingOf value: JSON, at location: String) -> [String] {
        guard let object = value.object else { return ["\(location): form"] }
        return object.members.flatMap { member -> [String] in
            switch member.key {
            case "id": []
            case "extension":
                (member.value.array ?? []).flatMap { value in
                    value.object.map { problems($0, below: "Extension", at: location + ".extension") } ?? [
                        "\(location): form"
                    ]
                }
            default: ["\(location).\(member.key): unknown"]
            }
        }
    }

    private static func problems(
        primitive value: JSON, type: String, at location: String, mayBeNull: Bool
    ) -> [String] {
        switch (type, value) {
        case (_, .null): mayBeNull ? [] : ["\(location): null"]
        case ("boolean", .bool): []
        case ("integer", .number), ("decimal", .number), ("positiveInt", .number), ("unsignedInt", .number): []
        case ("boolean", _), ("integer", _), ("decimal", _), ("positiveInt", _), ("unsignedInt", _):
            ["\(location): form"]
        case ("date", .string(let text)), ("dateTime", .string(let text)):
            DateTime(text) == nil ? ["\(location): date"] : []
        case ("instant", .string(let text)):
            (DateTime(text)?.precision ?? .year) < .second ? ["\(location): instant"] : []
        case ("time", .string(let text)): TimeOfDay(text) == nil ? ["\(location): time"] : []
        case (_, .string): []
        default: ["\(location): form"]
        }
    }
}

/// Returns the resource in the text.
func resource(_ text: String) throws -> Resource { try Resource(Array(text.utf8)) }

/// Converts a resource to R4; the result must have R4's structure.
func converted(_ text: String, _ version: FHIRVersion = .dstu2) throws -> FHIRConversion.Converted {
    try FHIRConversion.toR4(resource(text), from: version)
}

extension JSON {
    /// Returns the value at a path such as `item.0.answer.0.valueString`.
    func path(_ path: String) -> JSON? {
        path.split(separator: ".").reduce(Optional(self)) { value, step in
            Int(step).map { value?[$0] } ?? value?[String(step)]
        }
    }
}
