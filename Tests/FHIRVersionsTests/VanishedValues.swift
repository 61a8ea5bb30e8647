import FHIR

@testable import FHIRVersions

/// The values of a resource that are neither in what was made of it nor named in the notes.
///
/// Every string, number and truth value counts, as often as it occurs; one that a note names, itself or by what it
/// stands in, as left out or as written otherwise need not be there.
enum VanishedValues {
    static func of(_ source: Resource, in result: FHIRConversion.Converted) -> [String] {
        var there: [JSON: Int] = [:]
        walk(result.resource.json, "") { _, value in there[value, default: 0] += 1 }
        let named = Set(result.notes.filter { $0.kind == .leftOut || $0.kind == .changed }.map(\.place))
        var lost: [String] = []
        walk(source.json, source.resourceType) { path, value in
            guard !isNamed(path, named) else { return }
            if let count = there[value], count > 0 {
                there[value] = count - 1
            } else {
                lost.append("\(path) \(value.text())")
            }
        }
        return lost
    }

    /// Whether a note names the place or one around it. Notes write `name` for `_name`, unless it is the `_name` itself
    /// that does not belong there.
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

    /// Calls back for each value that is no list and has no members, with its place.
    private static func walk(_ json: JSON, _ path: String, _ body: (String, JSON) -> Void) {
        switch json {
        case .null: break
        case .string, .number, .bool: body(path, json)
        case .array(let values):
            for (index, value) in values.enumerated() { walk(value, "\(path)[\(index)]", body) }
        case .object(let object):
            for member in object.members { walk(member.value, path + "." + member.key, body) }
        }
    }
}
