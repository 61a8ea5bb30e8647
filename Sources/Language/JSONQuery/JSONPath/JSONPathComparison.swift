import Core

/// Comparisons of two scalars as in Json.NET, except that numbers are compared by their exact values.
extension JSONPathScalar {
    /// Whether both are equal, for `==` and `===` alike: a text never equals a number, and integers equal decimals with
    /// a fraction of zero.
    func equals(_ other: JSONPathScalar) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left, _), .number(let right, _)): return JSONNumber.order(left, right) == 0
        default:
            guard let left = text, let right = other.text else { return false }
            return left.utf8.elementsEqual(right.utf8)
        }
    }

    /// Returns the order of both. Null is less than all other values, and texts are ordered by their UTF-16 units. A
    /// text is converted to compare it with a number or a boolean; a boolean to the right of a number is 1 or 0.
    func order(to other: JSONPathScalar) throws(JSONPathError) -> Int {
        switch (self, other) {
        case (.null, .null): return 0
        case (_, .null): return 1
        case (.null, _): return -1
        case (.bool(let left), .bool(let right)): return Self.order(left, right)
        case (.number(let left, _), .number(let right, _)): return JSONNumber.order(left, right)
        case (.number(let left, _), .bool(let right)): return JSONNumber.order(left, JSONNumber(right ? 1 : 0))
        case (.number(let left, let kind), _):
            guard let text = other.text, let right = JSONPathNumber.read(text, as: kind) else { throw Self.refusal }
            return JSONNumber.order(left, right)
        case (_, .number(let right, let kind)):
            guard let text, let left = JSONPathNumber.read(text, as: kind) else { throw Self.refusal }
            return JSONNumber.order(left, right)
        case (_, .bool(let right)):
            guard let left = text.flatMap(Self.boolean) else { throw Self.refusal }
            return Self.order(left, right)
        default:
            guard let left = text, let right = other.text else { throw Self.refusal }
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf16.lexicographicallyPrecedes(right.utf16) ? -1 : 1
        }
    }

    /// Number of steps for a comparison with the scalar.
    var cost: Int {
        switch self {
        case .null, .bool: 0
        case .number(let number, _): number.cost
        case .text(let text): text.utf8.count / 16
        case .pattern(let pattern): pattern.text.utf8.count / 16
        }
    }

    private static let refusal = JSONPathError(
        .notComparable, "A filter compares values without a common order, such as a number and a text.")

    private static func order(_ left: Bool, _ right: Bool) -> Int { left == right ? 0 : right ? -1 : 1 }

    private static func boolean(_ text: String) -> Bool? {
        guard text.utf8.count <= 64 else { return nil }
        let word = text.filter { !$0.isWhitespace && $0 != "\0" }
        let isWhole = text.split(whereSeparator: { $0.isWhitespace || $0 == "\0" }).count == 1
        guard isWhole else { return nil }
        return word.lowercased() == "true" ? true : word.lowercased() == "false" ? false : nil
    }
}
