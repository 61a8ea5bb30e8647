/// Options of a pattern, or of a part of it.
struct PatternOptions: Sendable {
    var ignoresCase = false
    var isMultiline = false
    var dotTakesLineEnds = false

    /// Sets the option of a letter; false if there is no such option.
    @discardableResult
    mutating func set(_ letter: UInt16, to value: Bool) -> Bool {
        switch letter {
        case UInt16(ascii: "i"), UInt16(ascii: "I"): ignoresCase = value
        case UInt16(ascii: "m"), UInt16(ascii: "M"): isMultiline = value
        case UInt16(ascii: "s"), UInt16(ascii: "S"): dotTakesLineEnds = value
        // Captures do not affect whether there is a match.
        case UInt16(ascii: "n"), UInt16(ascii: "N"): break
        default: return false
        }
        return true
    }
}

/// Parses a pattern in .NET's syntax.
struct PatternParser {
    let units: [UInt16]
    var options: PatternOptions
    var position = 0
    private var depth = 0

    /// Maximum nesting of groups.
    private static let maximumDepth = 50

    init(_ units: [UInt16], _ options: PatternOptions) {
        self.units = units
        self.options = options
    }

    /// Parses the whole pattern.
    mutating func pattern() throws(JSONPathError) -> PatternNode {
        let node = try choice()
        guard position == units.count else { throw Self.failure("a closing parenthesis has no opening one") }
        return node
    }

    static func failure(_ what: String) -> JSONPathError {
        JSONPathError(.invalidPattern, "The pattern of a filter is not a regular expression: \(what).")
    }

    static func refusal(_ what: String) -> JSONPathError {
        JSONPathError(.unsupportedPattern, "The pattern of a filter has \(what), which is not supported.")
    }

    // MARK: Units

    var unit: UInt16? { position < units.count ? units[position] : nil }

    mutating func take(_ text: String) -> Bool {
        guard units[position...].starts(with: text.utf16) else { return false }
        position += text.utf16.count
        return true
    }

    func set(_ unit: UInt16) -> PatternNode { .set(PatternSet(unit, ignoresCase: options.ignoresCase)) }

    // MARK: Structure

    private mutating func choice() throws(JSONPathError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw Self.refusal("more than \(Self.maximumDepth) nested groups") }
        var parts: [PatternNode] = []
        repeat { parts.append(try sequence()) } while take("|")
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(JSONPathError) -> PatternNode {
        var parts: [PatternNode] = []
        while let unit, unit != UInt16(ascii: "|"), unit != UInt16(ascii: ")") {
            parts.append(try repeated(try atom()))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated(_ node: PatternNode) throws(JSONPathError) -> PatternNode {
        guard let (minimum, maximum) = quantifier() else { return node }
        guard maximum ?? minimum >= minimum else { throw Self.failure("a repetition's bounds are in the wrong order") }
        // Greediness does not affect whether there is a match.
        _ = take("?")
        let start = position
        guard quantifier() == nil else { throw Self.failure("a repetition is repeated") }
        position = start
        return .repetition(node, minimum: minimum, maximum: maximum)
    }

    /// Parses `*`, `+`, `?`, `{2}`, `{2,}` or `{2,3}`; nil if there is none, as for a literal brace.
    private mutating func quantifier() -> (minimum: Int, maximum: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = position
        guard take("{"), let minimum = number() else {
            position = start
            return nil
        }
        if take("}") { return (minimum, minimum) }
        if take(",") {
            if take("}") { return (minimum, nil) }
            if let maximum = number(), take("}") { return (minimum, maximum) }
        }
        position = start
        return nil
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let unit, (0x30...0x39).contains(unit) {
            value = min((value ?? 0) * 10 + Int(unit - 0x30), Int(Int32.max))
            position += 1
        }
        return value
    }

    private mutating func atom() throws(JSONPathError) -> PatternNode {
        guard let unit else { return .empty }
        switch unit {
        case UInt16(ascii: "("): return try group()
        case UInt16(ascii: "["): return .set(try bracket())
        case UInt16(ascii: "\\"): return try escape()
        case UInt16(ascii: "*"), UInt16(ascii: "+"), UInt16(ascii: "?"):
            throw Self.failure("a repetition has nothing to repeat")
        case UInt16(ascii: "{"):
            guard quantifier() == nil else { throw Self.failure("a repetition has nothing to repeat") }
        default: break
        }
        position += 1
        switch unit {
        case UInt16(ascii: "^"): return .assertion(options.isMultiline ? .lineStart : .textStart)
        case UInt16(ascii: "$"): return .assertion(options.isMultiline ? .lineEnd : .lastLineEnd)
        case UInt16(ascii: "."):
            let lineEnd = UInt16(ascii: "\n")
            return .set(PatternSet(options.dotTakesLineEnds ? [] : [.range(lineEnd...lineEnd)], isNegated: true))
        default: return set(unit)
        }
    }

    // MARK: Groups

    private mutating func group() throws(JSONPathError) -> PatternNode {
        let outer = options
        position += 1
        if take("?") {
            if take("#") { return try comment() }
            if unit == UInt16(ascii: "=") || unit == UInt16(ascii: "!") { throw Self.refusal("a lookahead") }
            if unit == UInt16(ascii: ">") { throw Self.refusal("an atomic group") }
            if unit == UInt16(ascii: "(") { throw Self.refusal("a condition") }
            if unit == UInt16(ascii: "<") || unit == UInt16(ascii: "'") {
                try name()
            } else if !take(":") {
                // Options up to the end of the enclosing group, or only of this group.
                guard try inlineOptions() else { return .empty }
            }
        }
        let node = try choice()
        guard take(")") else { throw Self.failure("a parenthesis is not closed") }
        options = outer
        return node
    }

    private mutating func comment() throws(JSONPathError) -> PatternNode {
        while let unit {
            position += 1
            if unit == UInt16(ascii: ")") { return .empty }
        }
        throw Self.failure("a comment is not closed")
    }

    private mutating func name() throws(JSONPathError) {
        let close = unit == UInt16(ascii: "<") ? UInt16(ascii: ">") : UInt16(ascii: "'")
        position += 1
        if unit == UInt16(ascii: "=") || unit == UInt16(ascii: "!") { throw Self.refusal("a lookbehind") }
        let start = position
        while let unit, PatternSet.isWord(unit) { position += 1 }
        if unit == UInt16(ascii: "-") { throw Self.refusal("a balancing group") }
        guard position > start, unit == close else { throw Self.failure("a group's name is malformed") }
        position += 1
    }

    /// Parses options. Returns true if they open a group, false if they apply from here on.
    private mutating func inlineOptions() throws(JSONPathError) -> Bool {
        var value = true
        while let unit {
            position += 1
            switch unit {
            case UInt16(ascii: ":"): return true
            case UInt16(ascii: ")"): return false
            case UInt16(ascii: "-"): value = false
            case UInt16(ascii: "+"): value = true
            case UInt16(ascii: "x"), UInt16(ascii: "X"): throw Self.refusal("ignored white space")
            default:
                guard options.set(unit, to: value) else {
                    throw Self.failure("a group has an unknown option")
                }
            }
        }
        throw Self.failure("a parenthesis is not closed")
    }
}
