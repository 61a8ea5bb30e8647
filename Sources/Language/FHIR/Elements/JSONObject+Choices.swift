/// Members whose name ends in their type: `valueQuantity` for `value[x]` (<https://hl7.org/fhir/R4/json.html#element>).
extension JSONObject {
    /// The value of a choice by its name without `[x]`: the first in the document, if there are several.
    ///
    /// Setting a value replaces the first one at its position and removes all others with their siblings. Setting nil
    /// removes all values; if there is no value, a sibling without a value remains.
    public subscript<Value: ChoiceValue>(choice name: String) -> Value? {
        get { choice(name).map { Value(type: $0.type, json: $0.value) } }
        set { setChoice(name, type: newValue?.type, json: newValue?.json) }
    }

    /// The id and extensions of the primitive that is the value of a choice, also if there is no value.
    ///
    /// Setting has no effect if the choice is absent, because the member's name depends on the type.
    public subscript(choiceSibling name: String) -> PrimitiveElement? {
        get { choiceKey(name).flatMap { self[sibling: $0] } }
        set {
            guard let key = choiceKey(name) else { return }
            self[sibling: key] = newValue
        }
    }

    /// Returns the value of a choice with the suffix of its name: `("Quantity", json)`.
    public func choice(_ name: String) -> (type: String, value: JSON)? {
        for member in members {
            if let type = JSONObject.choiceType(member.key[...], name) { return (type, member.value) }
        }
        return nil
    }

    /// Returns the name of the first value, or of the value to which a sibling without a value belongs.
    private func choiceKey(_ name: String) -> String? {
        if let (type, _) = choice(name) { return name + type }
        return keys.lazy.compactMap { JSONObject.siblingType($0, name) }.first.map { name + $0 }
    }

    /// Returns the suffix of a member's name, if the member is one of the choice.
    private static func choiceType(_ key: Substring, _ name: String) -> String? {
        guard key.utf8.starts(with: name.utf8) else { return nil }
        let type = key.utf8.dropFirst(name.utf8.count)
        guard let first = type.first, (0x41...0x5A).contains(first) else { return nil }
        return String(Substring(type))
    }

    private static func siblingType(_ key: String, _ name: String) -> String? {
        key.utf8.first == UInt8(ascii: "_") ? choiceType(key.dropFirst(), name) : nil
    }

    private mutating func setChoice(_ name: String, type: String?, json: JSON?) {
        let all = keys
        let values = all.filter { JSONObject.choiceType($0[...], name) != nil }
        guard type != nil || !values.isEmpty else { return }
        let chosen = type.map { name + $0 }
        let siblings = all.filter { JSONObject.siblingType($0, name) != nil }
        let index = all.firstIndex { $0 == values.first ?? siblings.first }
        for key in values where key != chosen { self[key] = nil }
        for key in siblings where key.dropFirst() != chosen ?? "" { self[key] = nil }
        guard let chosen, let json else { return }
        // Before the first value, the choice has only siblings of other values.
        let removed = all[..<(index ?? all.count)].filter { self[$0] == nil }.count
        set(chosen, json, at: (index ?? all.count) - removed)
    }
}
