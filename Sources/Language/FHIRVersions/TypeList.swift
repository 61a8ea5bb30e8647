import FHIR

/// The types of an element, of which R4 lists each one once (eld-13). Types with the same code are joined; the cost is
/// linear in the added content.
struct TypeList {
    private var indices: [JSON: Int] = [:]
    /// Number of types that are indexed.
    private var seen = 0
    /// The values that a type's member already has.
    private var present: [MemberKey: Set<JSON>] = [:]

    private struct MemberKey: Hashable {
        let type: Int
        let key: String
    }

    /// Joins a type to the one with the same code; false if there is none, or if they cannot be joined.
    mutating func join(_ type: JSONObject, _ output: inout ConversionOutput) -> Bool {
        // Only the output references the types when they change, so that nothing is copied.
        guard let index = index(for: type, in: output.object["type"]?.array ?? []) else { return false }
        change(index, by: type, &output)
        return true
    }

    private mutating func index(for type: JSONObject, in types: [JSON]) -> Int? {
        for index in seen..<max(seen, types.count) {
            if let code = types[index]["code"], indices[code] == nil { indices[code] = index }
        }
        seen = max(seen, types.count)
        guard let code = type["code"], let index = indices[code], let one = types[index].object,
            TypeList.fits(type, one)
        else { return nil }
        for member in type.members where TypeList.isJoined(member) {
            let key = MemberKey(type: index, key: member.key)
            if present[key] == nil { present[key] = Set(one[member.key]?.array ?? []) }
        }
        return index
    }

    /// Adds the new values.
    private mutating func change(_ index: Int, by type: JSONObject, _ output: inout ConversionOutput) {
        for member in type.members where TypeList.isJoined(member) {
            let before = present[MemberKey(type: index, key: member.key)] ?? []
            let more = (member.value.array ?? []).filter { !before.contains($0) }
            present[MemberKey(type: index, key: member.key)]?.formUnion(more)
            output.object.update("type") { types in
                types.withElements { types in
                    types[index].withMembers { one in
                        if one[member.key]?.array == nil { one[member.key] = [] }
                        one.update(member.key) { values in values.withElements { $0 += more } }
                    }
                }
            }
        }
    }

    private static func isJoined(_ member: JSONObject.Member) -> Bool {
        member.value.array != nil && member.key != "aggregation" && !member.key.hasPrefix("_")
    }

    /// Whether all members that are not joined are equal in both.
    private static func fits(_ type: JSONObject, _ one: JSONObject) -> Bool {
        type["aggregation"] == one["aggregation"]
            && type.members.allSatisfy { isJoined($0) || one[$0.key] == $0.value }
    }
}
