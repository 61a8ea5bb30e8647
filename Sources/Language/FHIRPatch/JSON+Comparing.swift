import Core

extension JSON {
    /// Returns the cost of copying the value in a patch, and the nesting depth of its arrays and objects: 0 for a value
    /// that is neither. Counting ends at a limit.
    ///
    /// - Returns: the bytes of the texts, and a constant for each value; nil where they exceed the limit.
    func patchSize(upTo limit: Int) -> (bytes: Int, nesting: Int)? {
        var left = limit
        let nesting = measure(&left)
        return left < 0 ? nil : (limit - left, nesting)
    }

    /// The bytes that each value costs, whatever it is.
    private static let bytesOfValue = 8

    private func measure(_ left: inout Int) -> Int {
        left -= Self.bytesOfValue
        var deepest = 0
        switch self {
        case .null, .bool: return 0
        case .number(let number):
            left -= number.text.utf8.count
            return 0
        case .string(let text):
            left -= text.utf8.count
            return 0
        case .array(let items):
            for item in items where left >= 0 { deepest = max(deepest, item.measure(&left)) }
        case .object(let object):
            guard left >= 0 else { return 0 }
            for member in object.members where left >= 0 {
                left -= member.key.utf8.count
                deepest = max(deepest, member.value.measure(&left))
            }
        }
        return deepest + 1
    }

    /// Whether two values are equal by RFC 6902 section 4.6: numbers by their values, objects without regard to the
    /// order of their members, texts by their code points.
    func isSameData(as other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.string(let left), .string(let right)):
            left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
        case (.number(let left), .number(let right)): JSONNumber.order(left, right) == 0
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSameData(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.members.allSatisfy { member in
                    right[member.key].map { member.value.isSameData(as: $0) } ?? false
                }
        default: false
        }
    }
}
