import FHIR
import TestSupport

@testable import FHIRVersions

/// Random resources that have the elements of an older release, each with a value of its type.
struct GeneratedResources {
    let table: ElementTable
    var random: Seeded

    /// Types of the open choices (`value[x]`) that are generated.
    private static let open = ["string", "boolean", "CodeableConcept", "Quantity", "Reference", "dateTime"]

    mutating func resource(_ type: String) -> Resource {
        var object = JSONObject()
        object["resourceType"] = .string(type)
        for member in element(type, depth: 0).members { object[member.key] = member.value }
        object["id"] = .string("r\(random.next() % 1000)")
        return Resource(object)
    }

    private mutating func element(_ path: String, depth: Int) -> JSONObject {
        var object = JSONObject()
        for member in table.members(below: path) where member.name != "resourceType" {
            let rare = ["contained", "extension", "modifierExtension", "id"].contains(member.name)
            guard member.isRequired || random.next() % (rare ? 12 : depth > 1 ? 4 : 2) == 0 else { continue }
            guard depth < 5 || member.isRequired && depth < 8 else { continue }
            var types = member.types
            if types == ["*"] { types = GeneratedResources.open }
            let type = types.isEmpty ? "" : types[Int(random.next() % UInt64(types.count))]
            guard type != "Resource", type != "Extension", type != "xhtml", type != "Narrative" else { continue }
            let key = member.isChoice ? member.name + ElementTable.suffix(type) : member.name
            let count = member.isRepeated ? 1 + Int(random.next() % 2) : 1
            let values = (0..<count).compactMap { _ in value(type, children: member.children, depth: depth) }
            guard !values.isEmpty else { continue }
            object[key] = member.isRepeated ? .array(values) : values[0]
            if ElementTable.isPrimitive(type), random.next() % 16 == 0 {
                let extended: JSON = ["extension": [["url": "http://x.example/e", "valueString": .string(mark())]]]
                object["_" + key] = member.isRepeated ? .array(values.map { _ in extended }) : extended
            }
        }
        return object
    }

    private mutating func mark() -> String { "m\(random.next() % 1_000_000_000)" }

    private mutating func value(_ type: String, children: String?, depth: Int) -> JSON? {
        if let path = children ?? (ElementTable.isPrimitive(type) ? nil : type) {
            if type == "Reference" { return ["reference": .string("Order/" + mark()), "display": .string(mark())] }
            let object = element(path, depth: depth + 1)
            return object.isEmpty ? ["id": .string(mark())] : .object(object)
        }
        switch type {
        case "boolean": return .bool(random.next() % 2 == 0)
        case "integer", "positiveInt", "unsignedInt": return .number(JSONNumber(Int(1 + random.next() % 1_000_000)))
        case "decimal": return JSONNumber(text: "\(random.next() % 100_000).50").map(JSON.number)
        case "date": return .string("20\(10 + random.next() % 20)-01-02")
        case "dateTime", "instant": return .string("20\(10 + random.next() % 20)-01-02T03:04:05Z")
        case "time": return "10:11:12"
        case "uri", "canonical", "url": return .string("http://x.example/" + mark())
        case "oid": return .string("urn:oid:1.2.\(random.next() % 100_000)")
        case "uuid": return "urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7"
        case "base64Binary": return "AAAA"
        case "code" where random.next() % 4 == 0:
            let codes = ["active", "draft", "completed", "DiagnosticOrder", "Patient", "*", "retired"]
            return .string(codes[Int(random.next() % UInt64(codes.count))])
        default: return .string(mark())
        }
    }
}
