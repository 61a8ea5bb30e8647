import Core

extension JSONPathParser {
    /// Maximum nesting of filters, each of which uses much of the stack.
    private static let maximumNesting = 20

    /// Parses a filter from its question mark to the closing bracket, where the position then is.
    mutating func filter(until close: Unicode.Scalar) throws(JSONPathError) -> JSONPathCondition {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= min(Self.maximumNesting, limits.maximumDepth) else { throw JSONPathError(.depth, limits) }
        position += 1
        guard try next() == "(" else { throw failure("A parenthesis is expected after ?") }
        position += 1
        let condition = try condition()
        position += 1
        skipSpaces()
        guard try next() == close else { throw failure("The closing bracket is expected") }
        return condition
    }

    /// Operator that joins parts of a condition. Both have the same precedence: after a change of the operator,
    /// everything that follows is the right operand, so that `a && b || c` is `a && (b || c)`.
    private enum Joint { case and, or }

    /// Parses a condition up to its closing parenthesis. A part that no operator joins to the next one is ignored.
    private mutating func condition() throws(JSONPathError) -> JSONPathCondition {
        var levels: [(joint: Joint, parts: [JSONPathCondition])] = []
        while position < scalars.count {
            let part = try comparison()
            if try next() == ")" {
                guard !levels.isEmpty else { return part }
                levels[levels.count - 1].parts.append(part)
                return Self.folded(levels)
            }
            for (joint, sign, first) in [(Joint.and, "&&", "&" as Unicode.Scalar), (.or, "||", "|")]
            where try next() == first {
                guard take(sign) else { throw failure("A single \(first) is not an operator; write \(sign)") }
                if levels.last?.joint != joint {
                    levels.append((joint, []))
                    guard levels.count <= limits.maximumDepth else { throw JSONPathError(.depth, limits) }
                }
                levels[levels.count - 1].parts.append(part)
            }
        }
        throw failure("The path ends in the middle of a filter")
    }

    private static func folded(_ levels: [(joint: Joint, parts: [JSONPathCondition])]) -> JSONPathCondition {
        var inner: JSONPathCondition?
        for (joint, parts) in levels.reversed() {
            let all = parts + (inner.map { [$0] } ?? [])
            inner = joint == .and ? .all(all) : .any(all)
        }
        return inner ?? .all([])
    }

    private mutating func comparison() throws(JSONPathError) -> JSONPathCondition {
        let left = try operand()
        switch try next() {
        case ")", "|", "&": return .exists(left)
        default:
            for (sign, comparison) in Self.comparisons where take(sign) {
                return .comparison(comparison, left, try operand())
            }
            throw failure("A comparison is expected")
        }
    }

    /// Of two operators with the same beginning, the longer one comes first.
    private static let comparisons: [(String, JSONPathCondition.Comparison)] = [
        ("===", .strictlyEqual), ("==", .equal), ("=~", .matches), ("!==", .strictlyNotEqual), ("!=", .notEqual),
        ("<>", .notEqual), ("<=", .lessOrEqual), ("<", .less), (">=", .greaterOrEqual), (">", .greater),
    ]

    private mutating func operand() throws(JSONPathError) -> JSONPathCondition.Operand {
        skipSpaces()
        let operand: JSONPathCondition.Operand
        switch try next() {
        case "$", "@":
            let isRoot = scalars[position] == "$"
            position += 1
            var route = try route(nameStart: position, inFilter: true)
            if isRoot { route.steps.insert(.root, at: 0) }
            operand = .route(route)
        default: operand = .literal(try literal())
        }
        skipSpaces()
        _ = try next()
        return operand
    }

    private mutating func literal() throws(JSONPathError) -> JSONPathScalar {
        switch try next() {
        case "'": return .text(try quoted())
        case "/": return try pattern()
        case "t" where take("true"): return .bool(true)
        case "f" where take("false"): return .bool(false)
        case "n" where take("null"): return .null
        case "-", "0"..."9":
            let start = position
            while try next() != " ", scalars[position] != ")" { position += 1 }
            guard let number = JSONPathNumber.literal(Self.text(scalars[start..<position])) else {
                throw failure("A text that begins like a number is not a number")
            }
            return number
        default: throw failure("A value is expected")
        }
    }

    /// Parses a pattern between slashes and its option letters.
    private mutating func pattern() throws(JSONPathError) -> JSONPathScalar {
        let start = position
        position += 1
        while true {
            guard position < scalars.count else { throw failure("A pattern is not closed by a slash") }
            let scalar = scalars[position]
            position += scalar == "\\" && position + 1 < scalars.count ? 2 : 1
            if scalar == "/" { break }
        }
        while position < scalars.count, scalars[position].properties.isAlphabetic { position += 1 }
        return .pattern(.init(Self.text(scalars[start..<position])))
    }
}
