import Core

/// Parses tokens into an expression by operator precedence, as the grammar requires
/// (<https://jmespath.org/specification.html#grammar>).
struct JMESPathParser {
    /// A node with its bounds: the number of levels of its evaluation, and the number of levels of arrays and objects
    /// that it adds to a result.
    struct Part {
        var node: JMESPathNode
        var height = 1
        var growth = 0
    }

    /// Binding strength of a token to the expression before it.
    private enum Strength {
        static let none = 0, pipe = 1, or = 2, and = 3, comparison = 5, flatten = 9
        /// Tokens with less binding strength end a projection.
        static let projectionEnd = 10
        static let star = 20, filter = 21, dot = 40, not = 45, brace = 50, bracket = 55, parenthesis = 60
    }

    private let tokens: [JMESPathLexer.LocatedToken]
    private let limits: QueryLimits
    private var position = 0
    private var depth = 0
    /// Whether the result may contain a value of the document more often than the document, or a literal many times.
    private(set) var mayRepeatValues = false
    /// A fault of a function or a slice. It is thrown after the whole expression is parsed, because a syntax error
    /// precedes it.
    private var fault: JMESPathError?

    init(tokens: [JMESPathLexer.LocatedToken], limits: QueryLimits) {
        self.tokens = tokens
        self.limits = limits
    }

    /// Parses the whole expression.
    mutating func document() throws(JMESPathError) -> JMESPathNode {
        let part = try expression()
        guard case .end = token else { throw failure("The expression continues where it should end") }
        if let fault { throw fault }
        return part.node
    }

    // MARK: Signs

    private var token: JMESPathToken { tokens[position].token }

    private func token(ahead count: Int) -> JMESPathToken {
        tokens[min(position + count, tokens.count - 1)].token
    }

    private mutating func advance() { position = min(position + 1, tokens.count - 1) }

    private func failure(_ what: String, at index: Int? = nil) -> JMESPathError {
        let offset = tokens[index ?? position].offset
        return JMESPathError(.syntax, "\(what) (byte \(offset + 1) of the expression).", at: offset)
    }

    private mutating func expect(_ what: String, _ isExpected: (JMESPathToken) -> Bool) throws(JMESPathError) {
        guard isExpected(token) else { throw failure("\(what) is expected") }
        advance()
    }

    private mutating func expectCloseBracket() throws(JMESPathError) {
        try expect("]") { if case .closeBracket = $0 { true } else { false } }
    }

    private mutating func expectCloseParenthesis() throws(JMESPathError) {
        try expect(")") { if case .closeParenthesis = $0 { true } else { false } }
    }

    private var strength: Int {
        switch token {
        case .pipe: Strength.pipe
        case .or: Strength.or
        case .and: Strength.and
        case .comparison: Strength.comparison
        case .flatten: Strength.flatten
        case .star: Strength.star
        case .filter: Strength.filter
        case .dot: Strength.dot
        case .not: Strength.not
        case .openBrace: Strength.brace
        case .openBracket: Strength.bracket
        case .openParenthesis: Strength.parenthesis
        default: Strength.none
        }
    }

    // MARK: Parts

    /// Returns a node of other nodes: one level above the highest of them.
    private func made(_ node: JMESPathNode, of parts: [Part], growth: Int? = nil) throws(JMESPathError) -> Part {
        let part = Part(
            node: node, height: 1 + (parts.map(\.height).max() ?? 0),
            growth: growth ?? parts.map(\.growth).max() ?? 0)
        guard part.height <= limits.maximumDepth, part.growth <= limits.maximumDepth else {
            throw JMESPathError(.depth, limits)
        }
        return part
    }

    private func joined(_ first: Part, _ second: Part) throws(JMESPathError) -> Part {
        var part = try made(first.node.followed(by: second.node), of: [], growth: first.growth + second.growth)
        let base = if case .chain = first.node { first.height } else { first.height + 1 }
        part.height = max(base, second.height + 1)
        guard part.height <= limits.maximumDepth else { throw JMESPathError(.depth, limits) }
        return part
    }

    private mutating func expression(_ binding: Int = 0) throws(JMESPathError) -> Part {
        depth += 1
        defer { depth -= 1 }
        guard depth <= limits.maximumDepth else { throw JMESPathError(.depth, limits) }
        var left = try beginning()
        while strength > binding { left = try continuation(of: left) }
        return left
    }

    /// Parses the beginning of an expression.
    private mutating func beginning() throws(JMESPathError) -> Part {
        let start = position
        advance()
        switch tokens[start].token {
        case .name(let name):
            if case .openParenthesis = token { return try call(name, at: start) }
            return Part(node: .field(WantedName(name)))
        case .quotedName(let name):
            if case .openParenthesis = token {
                throw failure("The name of a function has no quotation marks", at: start)
            }
            return Part(node: .field(WantedName(name)))
        case .literal(let value):
            mayRepeatValues = mayRepeatValues || !value.isSmall
            return Part(node: .literal(value))
        case .current: return Part(node: .current)
        case .star: return try values(of: Part(node: .current), Strength.star)
        case .filter: return try filter(Part(node: .current))
        case .flatten: return try flattened(Part(node: .current))
        case .openBrace: return try hash()
        case .openBracket:
            switch token {
            case .number, .colon: return try indexed(Part(node: .current))
            case .star:
                if case .closeBracket = token(ahead: 1) { return try elements(of: Part(node: .current)) }
                return try list()
            default: return try list()
            }
        case .openParenthesis:
            // A projection ends with its parenthesis: the next part is applied to the whole result, not to each
            // element.
            let inner = try expression()
            try expectCloseParenthesis()
            return inner
        case .not:
            let inner = try expression(Strength.not)
            return try made(.not(inner.node), of: [inner], growth: 0)
        default: throw failure("A value is expected", at: start)
        }
    }

    /// Parses the continuation of an expression.
    private mutating func continuation(of left: Part) throws(JMESPathError) -> Part {
        let start = position
        advance()
        switch tokens[start].token {
        case .dot:
            if case .star = token {
                advance()
                return try values(of: left, Strength.dot)
            }
            return try joined(left, try member(Strength.dot))
        case .pipe: return try joined(left, try expression(Strength.pipe))
        case .or:
            let right = try expression(Strength.or)
            if case .or(let parts) = left.node {
                return try extended(.or(parts + [right.node]), left: left, right: right)
            }
            return try made(.or([left.node, right.node]), of: [left, right])
        case .and:
            let right = try expression(Strength.and)
            if case .and(let parts) = left.node {
                return try extended(.and(parts + [right.node]), left: left, right: right)
            }
            return try made(.and([left.node, right.node]), of: [left, right])
        case .comparison(let comparison):
            let right = try expression(Strength.comparison)
            return try made(.comparison(comparison, left.node, right.node), of: [left, right], growth: 0)
        case .filter: return try filter(left)
        case .flatten: return try flattened(left)
        case .openBracket:
            switch token {
            case .number, .colon: return try indexed(left)
            case .star: return try elements(of: left)
            default: throw failure("A number, a slice or * is expected between brackets")
            }
        default: throw failure("The expression cannot continue like this", at: start)
        }
    }

    private func extended(_ node: JMESPathNode, left: Part, right: Part) throws(JMESPathError) -> Part {
        var part = try made(node, of: [right], growth: max(left.growth, right.growth))
        part.height = max(part.height, left.height)
        return part
    }

    /// Parses the part after a dot.
    private mutating func member(_ binding: Int) throws(JMESPathError) -> Part {
        switch token {
        case .name, .quotedName, .star: return try expression(binding)
        case .openBracket:
            advance()
            return try list()
        case .openBrace:
            advance()
            return try hash()
        default: throw failure("A name, *, [ or { is expected after a dot")
        }
    }

    // MARK: Projections

    /// Parses the right side of a projection.
    private mutating func each(_ binding: Int) throws(JMESPathError) -> Part {
        if strength < Strength.projectionEnd { return Part(node: .current) }
        switch token {
        case .openBracket, .filter:
            depth += 1
            defer { depth -= 1 }
            guard depth <= limits.maximumDepth else { throw JMESPathError(.depth, limits) }
            var part = try continuation(of: Part(node: .current))
            while strength > binding { part = try continuation(of: part) }
            return part
        case .dot:
            advance()
            return try member(binding)
        default: throw failure("The expression cannot continue like this")
        }
    }

    private mutating func projection(
        of left: Part, _ binding: Int, _ node: (JMESPathNode, JMESPathNode) -> JMESPathNode
    ) throws(JMESPathError) -> Part {
        let right = try each(binding)
        return try made(node(left.node, right.node), of: [left, right], growth: left.growth + right.growth)
    }

    private mutating func values(of left: Part, _ binding: Int) throws(JMESPathError) -> Part {
        try projection(of: left, binding) { .valueProjection($0, $1) }
    }

    /// Parses `[*]` from `*` on.
    private mutating func elements(of left: Part) throws(JMESPathError) -> Part {
        advance()
        try expectCloseBracket()
        return try projection(of: left, Strength.star) { .projection($0, $1) }
    }

    private mutating func flattened(_ left: Part) throws(JMESPathError) -> Part {
        let flat = try made(.flatten(left.node), of: [left])
        return try projection(of: flat, Strength.flatten) { .projection($0, $1) }
    }

    private mutating func filter(_ left: Part) throws(JMESPathError) -> Part {
        let condition = try expression()
        try expectCloseBracket()
        let right: Part
        if case .flatten = token { right = Part(node: .current) } else { right = try each(Strength.filter) }
        return try made(
            .filterProjection(left.node, right.node, condition: condition.node), of: [left, right, condition],
            growth: left.growth + right.growth)
    }

    /// Parses an index or a slice after `[`.
    private mutating func indexed(_ left: Part) throws(JMESPathError) -> Part {
        if case .number(let index) = token, case .closeBracket = token(ahead: 1) {
            advance()
            advance()
            return try joined(left, Part(node: .index(index)))
        }
        let slice = try joined(left, Part(node: try slice()))
        return try projection(of: slice, Strength.star) { .projection($0, $1) }
    }

    private mutating func slice() throws(JMESPathError) -> JMESPathNode {
        var parts: [Int?] = [nil, nil, nil]
        var index = 0
        let start = position
        while true {
            switch token {
            case .colon:
                index += 1
                guard index < 3 else { throw failure("A slice has no more than three numbers") }
            case .number(let number):
                guard parts[index] == nil else { throw failure("A colon or ] is expected") }
                parts[index] = number
            case .closeBracket:
                guard index > 0 else { throw failure("A slice is expected") }
                advance()
                if parts[2] == 0 {
                    fault =
                        fault
                        ?? JMESPathError(.invalidValue, "The step of a slice is zero.", at: tokens[start].offset)
                }
                return .slice(start: parts[0], stop: parts[1], step: parts[2] ?? 1)
            default: throw failure("A number, a colon or ] is expected")
            }
            advance()
        }
    }

    // MARK: New arrays and objects

    /// Parses a list after `[`.
    private mutating func list() throws(JMESPathError) -> Part {
        var parts: [Part] = []
        while true {
            parts.append(try expression())
            if case .comma = token {
                advance()
            } else {
                try expectCloseBracket()
                break
            }
        }
        if parts.count > 1 { mayRepeatValues = true }
        return try made(.list(parts.map(\.node)), of: parts, growth: 1 + (parts.map(\.growth).max() ?? 0))
    }

    /// Parses an object after `{`.
    private mutating func hash() throws(JMESPathError) -> Part {
        var entries: [JMESPathNode.Entry] = []
        var parts: [Part] = []
        while true {
            let name: String
            switch token {
            case .name(let text), .quotedName(let text): name = text
            default: throw failure("The name of a member is expected")
            }
            advance()
            try expect("A colon") { if case .colon = $0 { true } else { false } }
            let part = try expression()
            entries.append(.init(name: name, value: part.node))
            parts.append(part)
            if case .comma = token {
                advance()
                continue
            }
            try expect("}") { if case .closeBrace = $0 { true } else { false } }
            break
        }
        if parts.count > 1 { mayRepeatValues = true }
        let isRepeating = Set(entries.map { ExactName(text: $0.name) }).count < entries.count
        return try made(
            .hash(entries, isRepeating: isRepeating), of: parts, growth: 1 + (parts.map(\.growth).max() ?? 0))
    }

    // MARK: Functions

    private mutating func call(_ name: String, at start: Int) throws(JMESPathError) -> Part {
        advance()
        var parts: [Part] = []
        if case .closeParenthesis = token {
            advance()
        } else {
            while true {
                parts.append(try argument())
                if case .comma = token {
                    advance()
                    continue
                }
                try expectCloseParenthesis()
                break
            }
        }
        let offset = tokens[start].offset
        guard let function = JMESPathFunction(rawValue: name) else {
            fault = fault ?? JMESPathError(.unknownFunction, "There is no function of this name.", at: offset)
            return Part(node: .current)
        }
        if !function.arity.contains(parts.count) {
            fault = fault ?? JMESPathError(.invalidArity, function.arityMessage, at: offset)
        }
        return try made(
            .call(function, parts.map(\.node)), of: parts,
            growth: (function == .toArray ? 1 : 0) + parts.reduce(0) { $0 + $1.growth })
    }

    private mutating func argument() throws(JMESPathError) -> Part {
        guard case .reference = token else { return try expression() }
        advance()
        let inner = try expression()
        return try made(.reference(inner.node), of: [inner])
    }
}

extension JSON {
    /// Whether repeating the value costs no more memory than repeating a few small values.
    fileprivate var isSmall: Bool {
        switch self {
        case .null, .bool: true
        case .number(let number): number.text.utf8.count <= 64
        case .string(let text): text.utf8.count <= 64
        case .array, .object: false
        }
    }
}
