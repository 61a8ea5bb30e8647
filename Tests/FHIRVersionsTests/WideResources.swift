import FHIR

@testable import FHIRVersions

/// Resources of an older release in which every repeating element occurs many times: once in the resource itself, and
/// once in one element of each nested list. They have the same number of members that no release has.
struct WideResources {
    let table: ElementTable
    /// Number of occurrences of each element.
    let count: Int
    private var number = 0

    init(_ table: ElementTable, count: Int) {
        self.table = table
        self.count = count
    }

    /// Maximum depth of nested wide lists.
    private static let depth = 3

    mutating func resource(_ type: String) -> Resource {
        var object = JSONObject()
        object["resourceType"] = .string(type)
        for member in element(type, 0, isWide: true).members { object[member.key] = member.value }
        object["id"] = "r"
        for index in 0..<count { object["unknown\(index)"] = .string("x") }
        return Resource(object)
    }

    private mutating func element(_ path: String, _ depth: Int, isWide: Bool) -> JSONObject {
        var object = JSONObject()
        guard depth <= WideResources.depth else {
            object["id"] = .string(mark())
            return object
        }
        for member in table.members(below: path) where member.name != "resourceType" {
            let isMany = isWide && member.isRepeated
            guard isMany || member.isRequired || depth == 0 || member.name == "linkId" else { continue }
            let type = member.types == ["*"] ? "string" : member.types.first ?? ""
            let key = member.isChoice ? member.name + ElementTable.suffix(type) : member.name
            let values = (0..<(isMany ? count : 1)).compactMap { index in
                value(type, children: member.children, depth: depth + 1, isWide: isWide && index == 0)
            }
            guard !values.isEmpty else { continue }
            object[key] = member.isRepeated ? .array(values) : values[0]
            if isMany, ElementTable.isPrimitive(type) {
                object["_" + key] = .array(values.map { _ in ["extension": [["url": "http://x.example/e"]]] })
            }
        }
        return object
    }

    private mutating func mark() -> String {
        number += 1
        return "m\(number)"
    }

    private mutating func value(_ type: String, children: String?, depth: Int, isWide: Bool) -> JSON? {
        switch type {
        case "Reference": return ["reference": .string("Order/" + mark())]
        case "Extension": return ["url": .string("http://x.example/" + mark()), "valueString": .string(mark())]
        case "Resource":
            return [
                "resourceType": "ValueSet", "id": .string(mark()),
                "codeSystem": ["system": "http://x.example/c", "concept": [["code": .string(mark())]]],
            ]
        case "Narrative": return ["status": "generated", "div": "<div>x</div>"]
        case "boolean": return true
        case "integer", "positiveInt", "unsignedInt", "decimal": return 7
        case "date": return "2015-01-02"
        case "dateTime", "instant": return "2015-01-02T03:04:05Z"
        case "time": return "10:11:12"
        case "uri", "canonical", "url", "oid", "uuid": return .string("http://x.example/" + mark())
        case "base64Binary": return "AAAA"
        default: break
        }
        guard let path = children ?? (ElementTable.isPrimitive(type) ? nil : type) else { return .string(mark()) }
        let object = element(path, depth, isWide: isWide)
        return object.isEmpty ? ["id": .string(mark())] : .object(object)
    }
}
