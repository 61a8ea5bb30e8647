import Core

extension JSON {
    /// How deep arrays and objects lie within each other; 0 for a value that is neither.
    var nesting: Int {
        var deepest = 0
        var waiting: [(value: JSON, level: Int)] = [(self, 1)]
        while let (value, level) = waiting.popLast() {
            switch value {
            case .array(let items):
                deepest = max(deepest, level)
                for item in items { waiting.append((item, level + 1)) }
            case .object(let object):
                deepest = max(deepest, level)
                for member in object.members { waiting.append((member.value, level + 1)) }
            default: continue
            }
        }
        return deepest
    }

    /// Whether two values are the same data as RFC 6902 section 4.6 compares them: numbers by their values, objects without
    /// regard to the order of their members, texts by their code points.
    func isSameData(as other: JSON) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
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

    /// How many values there are in it, itself included.
    var valueCount: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
        case .object(let object): object.members.reduce(1) { $0 + $1.value.valueCount }
        default: 1
        }
    }
}
