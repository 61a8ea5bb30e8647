import FHIR

@testable import FHIRVersions

/// The values of a resource that are neither in its conversion nor named in the notes.
///
/// Every string, number and Boolean counts, as often as it occurs. A value may be missing if a note names it, or an
/// element that contains it, as left out or as written differently.
enum VanishedValues {
    static func of(_ source: Resource, in result: FHIRConversion.Converted) -> [String] {
        var there: [JSON: Int] = [:]
        walk(result.resource.json, at: "") { _, value in there[value, default: 0] += 1 }
        let named = Set(result.notes.filter { $0.kind == .leftOut || $0.kind == .changed }.map(\.location))
        var lost: [String] = []
        walk(source.json, at: source.resourceType) { path, value in
            guard !isNamed(path, named) else { return }
            if let count = there[value], count > 0 {
                there[value] = count - 1
            } else {
                lost.append("\(path) \(value.text())")
            }
        }
        return lost
    }

    /// Whether a note names the path or one that contains it. Notes write `name` for `_name`, unless the `_name` itself
    /// is not allowed there.
    private static func isNamed(_ path: String, _ named: Set<String>) -> Bool {
        var rest = path[...]
        while true {
            let end = rest.lastIndex { $0 == "." || $0 == "[" }
            let outer = end.map { rest[..<$0].replacing("._", with: ".") } ?? ""
            let last = end.map { String(rest[$0...]) } ?? String(rest)
            if named.contains(outer + last) || named.contains(outer + last.replacing("._", with: ".")) { return true }
            guard let end else { return false }
            rest = rest[..<end]
        }
    }

    /// Calls back for each value that is not a list and has no members, with its path.
    private static func walk(_ json: JSON, at path: String, body: (String, JSON) -> Void) {
        switch json {
        case .null: break
        case .string, .number, .bool: body(path, json)
        case .array(let values):
            for (index, value) in values.enumerated() { walk(value, at: "\(path)[\(index)]", body: body) }
        case .object(let object):
            for member in object.members { walk(member.value, at: path + "." + member.key, body: body) }
        }
    }
}
