import Core

/// Comparison by value, for ``ResultCondition``. `==` compares numbers as they are written.
extension JSON {
    /// Whether both have the same JSON type: null, boolean, number, text, array or object.
    func isSameType(as other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null), (.bool, .bool), (.number, .number), (.string, .string), (.array, .array),
            (.object, .object):
            true
        default: false
        }
    }

    /// Whether both are equal: numbers by value, texts by code points, objects without regard to the order of members.
    /// The depth of the calls is that of the second value, which comes from the reader and its limit.
    func isSameValue(as other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let another)): one == another
        case (.number(let one), .number(let another)): JSONNumber.order(one, another) == 0
        case (.string(let one), .string(let another)): one.utf8.elementsEqual(another.utf8)
        case (.array(let one), .array(let another)):
            one.count == another.count && zip(one, another).allSatisfy { $0.isSameValue(as: $1) }
        case (.object(let one), .object(let another)):
            one.count == another.count
                && another.members.allSatisfy { member in
                    one[WantedName(member.key)]?.isSameValue(as: member.value) ?? false
                }
        default: false
        }
    }

    /// Returns the order of two numbers or of two texts: negative if this one is less, 0 if they are equal; nil for
    /// other values.
    func order(to other: JSON) -> Int? {
        switch (self, other) {
        case (.number(let one), .number(let another)): return JSONNumber.order(one, another)
        case (.string(let one), .string(let another)):
            if one.utf8.elementsEqual(another.utf8) { return 0 }
            // The order of UTF-8 bytes is that of code points.
            return one.utf8.lexicographicallyPrecedes(another.utf8) ? -1 : 1
        default: return nil
        }
    }
}
