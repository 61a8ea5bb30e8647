/// Parses an expression (<https://hl7.org/fhirpath/N1/grammar.html>) by precedence climbing.
struct Parser {
    private let tokens: [Token]
    private var position = 0
    private var depth = 0
    /// Height of the tree of the node that was parsed last.
    private var height = 0
    private let maximumDepth: Int

    init(_ text: String, maximumDepth: Int) throws(FHIRPathError) {
        tokens = try Lexer.tokens(of: text)
        self.maximumDepth = maximumDepth
    }

    mutating func expression() throws(FHIRPathError) -> ExpressionNode {
        let node = try expression(above: 0)
        guard token.kind == .end else { throw unexpected() }
        return node
    }

    private var token: Token { tokens[min(position, tokens.count - 1)] }

    private func unexpected() -> FHIRPathError {
        let message =
            token.kind == .end
            ? "The expression ends too early: complete it."
            : "This is not allowed here: correct or remove it."
        return FHIRPathError(
            .syntax, code: token.kind == .end ? "unexpected-end" : "unexpected-token", message: message,
            at: token.location
        )
    }

    private mutating func take(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ symbol: String) throws(FHIRPathError) {
        guard take(symbol) else {
            throw FHIRPathError(
                .syntax, code: token.kind == .end ? "unexpected-end" : "unexpected-token",
                message: "\(symbol) is expected here.", at: token.location)
        }
    }

    // MARK: Operators

    private mutating func expression(above precedence: Int) throws(FHIRPathError) -> ExpressionNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= maximumDepth else { throw tooDeep() }
        var left = try unary()
        while true {
            if case .identifier(let word) = token.kind, word == "is" || word == "as" {
                guard FHIRPathOperator.typePrecedence > precedence else { return left }
                position += 1
                let type = try typeSpecifier()
                left = word == "is" ? .isType(left, type) : .asType(left, type)
                try grow(to: height + 1)
                continue
            }
            guard let found = binaryOperator, found.precedence > precedence else { return left }
            let location = token.location
            position += 1
            let leftHeight = height
            let right = try expression(above: found.precedence)
            left = .binary(found, left, right, location)
            try grow(to: max(leftHeight, height) + 1)
        }
    }

    /// Maximum height of the tree. A sequence of steps and operators gives a left-deep tree, through which evaluation
    /// recurses.
    static let maximumHeight = 500

    private mutating func grow(to newHeight: Int) throws(FHIRPathError) {
        height = newHeight
        guard height <= Parser.maximumHeight else {
            throw FHIRPathError(
                .limit, code: "expression-length",
                message: "The expression has more than \(Parser.maximumHeight) steps in sequence.", at: token.location)
        }
    }

    private func tooDeep() -> FHIRPathError {
        FHIRPathError(
            .limit, code: "expression-depth", message: "The expression is nested deeper than \(maximumDepth) levels.",
            at: token.location)
    }

    private var binaryOperator: FHIRPathOperator? {
        switch token.kind {
        case .symbol(let text), .identifier(let text): FHIRPathOperator(rawValue: text)
        default: nil
        }
    }

    private mutating func unary() throws(FHIRPathError) -> ExpressionNode {
        var signs: [Bool] = []
        while true {
            if take("-") { signs.append(true) } else if take("+") { signs.append(false) } else { break }
            guard signs.count <= maximumDepth else { throw tooDeep() }
        }
        var node = try postfix()
        for isMinus in signs.reversed() { node = isMinus ? .negation(node) : .plus(node) }
        if !signs.isEmpty { try grow(to: height + signs.count) }
        return node
    }

    // MARK: Steps

    private mutating func postfix() throws(FHIRPathError) -> ExpressionNode {
        height = 1
        var node = try term()
        while true {
            if take(".") {
                node = try invocation(on: node)
            } else if take("[") {
                let baseHeight = height
                let index = try expression(above: 0)
                try expect("]")
                node = .indexer(node, index)
                try grow(to: max(baseHeight, height) + 1)
            } else {
                return node
            }
        }
    }

    private mutating func term() throws(FHIRPathError) -> ExpressionNode {
        let token = self.token
        switch token.kind {
        case .symbol("("):
            position += 1
            let node = try expression(above: 0)
            try expect(")")
            return node
        case .symbol("{"):
            position += 1
            try expect("}")
            return .empty
        case .string(let text):
            position += 1
            return .literal(.string(text))
        case .number(let digits):
            position += 1
            return try number(digits, token.location)
        case .long(let digits):
            position += 1
            guard let value = Int(digits) else { throw outOfRange(token.location) }
            return .literal(.long(value))
        case .temporal(let text):
            position += 1
            guard let value = TemporalValue(literal: text) else {
                throw FHIRPathError(
                    text.hasPrefix("T")
                        && TemporalValue(literal: text.prefix { $0 != "Z" && $0 != "+" }.description) != nil
                        ? .execution : .syntax, code: "invalid-temporal",
                    message: "@ must be followed by a date, a date and time, or T and a time without a zone.",
                    at: token.location
                )
            }
            return .literal(.temporal(value))
        case .external(let name):
            position += 1
            return .variable(name, token.location)
        case .special(let name):
            position += 1
            return name == "this" ? .this : name == "index" ? .index : .total
        case .identifier(let word) where word == "true" || word == "false":
            position += 1
            return .literal(.boolean(word == "true"))
        case .identifier, .delimited:
            return try invocation(on: nil)
        default:
            throw unexpected()
        }
    }

    private func outOfRange(_ location: SourceLocation) -> FHIRPathError {
        FHIRPathError(.syntax, code: "number-range", message: "The number is too large.", at: location)
    }

    /// Parses a number, or a quantity if a unit follows.
    private mutating func number(_ digits: String, _ location: SourceLocation) throws(FHIRPathError) -> ExpressionNode {
        guard let decimal = FHIRPathDecimal(text: digits) else { throw outOfRange(location) }
        switch token.kind {
        case .string(let unit):
            position += 1
            return .literal(.quantity(QuantityValue(decimal, unit: unit, isCalendar: false)))
        case .identifier(let word):
            if let unit = CalendarUnit(word: word) {
                position += 1
                return .literal(.quantity(QuantityValue(decimal, unit: unit.rawValue, isCalendar: true)))
            }
        default: break
        }
        if digits.contains(".") { return .literal(.decimal(decimal)) }
        guard let value = Int(digits), value <= 2_147_483_647 else {
            // A number beyond 32 bits is not an integer of FHIRPath, but a decimal.
            return .literal(.decimal(decimal))
        }
        return .literal(.integer(value))
    }

    /// Parses an identifier. Some keywords are allowed, because elements have these names.
    private mutating func identifier() throws(FHIRPathError) -> String {
        switch token.kind {
        case .delimited(let name):
            position += 1
            return name
        case .identifier(let name):
            position += 1
            return name
        default:
            throw unexpected()
        }
    }

    private static let reserved: Set<String> = [
        "div", "mod", "and", "or", "xor", "implies", "true", "false", "in",
    ]

    private mutating func invocation(on node: ExpressionNode?) throws(FHIRPathError) -> ExpressionNode {
        let location = token.location
        if case .special(let name) = token.kind, node != nil {
            position += 1
            // `.$this` is the focus before the dot.
            return name == "this" ? node ?? .this : name == "index" ? .index : .total
        }
        if node == nil, case .identifier(let name) = token.kind, Parser.reserved.contains(name) {
            throw unexpected()
        }
        let isDelimited = if case .delimited = token.kind { true } else { false }
        let name = try identifier()
        guard !isDelimited, token.kind == .symbol("(") else {
            let member = MemberName(name, location)
            try grow(to: node == nil ? 1 : height + 1)
            return node.map { .member($0, member) } ?? .name(member)
        }
        position += 1
        guard let function = FHIRPathFunction(rawValue: name) else {
            throw FHIRPathError(
                .semantic, code: "unknown-function",
                message: "There is no function \(name)(): correct its name.",
                at: location)
        }
        var arguments: [ExpressionNode] = []
        var highest = node == nil ? 0 : height
        if !take(")") {
            repeat {
                height = 1
                arguments.append(try argument(of: function))
                highest = max(highest, height)
            } while take(",")
            try expect(")")
        }
        try grow(to: highest + 1)
        guard function.arguments.contains(arguments.count) else {
            let wanted = function.arguments
            let text =
                wanted.lowerBound == wanted.upperBound
                ? "\(wanted.lowerBound)" : "\(wanted.lowerBound) to \(wanted.upperBound)"
            throw FHIRPathError(
                .semantic, code: "argument-count", message: "\(name)() takes \(text) arguments.", at: location)
        }
        return .call(node, function, Parser.compilingPattern(of: function, arguments), location)
    }

    /// Compiles a pattern that is a literal of the expression. An invalid pattern fails when it is used.
    private static func compilingPattern(
        of function: FHIRPathFunction, _ arguments: [ExpressionNode]
    ) -> [ExpressionNode] {
        let flagsIndex = function == .replaceMatches ? 2 : 1
        guard [.matches, .matchesFull, .replaceMatches].contains(function),
            case .literal(.string(let text))? = arguments.first
        else { return arguments }
        var flags = ""
        if arguments.count > flagsIndex {
            guard case .literal(.string(let written)) = arguments[flagsIndex] else { return arguments }
            flags = written
        }
        guard
            let pattern = try? RegularExpression(text, flags: flags, isWhole: function == .matchesFull)
        else {
            return arguments
        }
        return [.pattern(text, pattern)] + arguments.dropFirst()
    }

    private mutating func argument(of function: FHIRPathFunction) throws(FHIRPathError) -> ExpressionNode {
        switch function {
        case .is, .as, .ofType:
            return .type(try typeSpecifier())
        case .sort:
            let node = try expression(above: 0)
            if case .identifier(let word) = token.kind, word == "asc" || word == "desc" {
                position += 1
                return word == "desc" ? .descending(node) : node
            }
            return node
        default:
            return try expression(above: 0)
        }
    }

    private mutating func typeSpecifier() throws(FHIRPathError) -> TypeSpecifier {
        let location = token.location
        let isGrouped = take("(")
        let first = try identifier()
        var type = TypeSpecifier(namespace: nil, name: first, location: location)
        if (first == "System" || first == "FHIR") && take(".") {
            type = TypeSpecifier(namespace: first, name: try identifier(), location: location)
        }
        if isGrouped { try expect(")") }
        return type
    }
}
