import Core

/// Parses a path like Json.NET 12, including its leniency.
struct JSONPathParser {
    let scalars: [Unicode.Scalar]
    let limits: QueryLimits
    var position = 0
    /// Number of open filters.
    var nesting = 0

    init(_ source: String, _ limits: QueryLimits) {
        scalars = Array(source.unicodeScalars)
        self.limits = limits
    }

    /// Parses the whole path. A leading `$` is the root only before a dot or a bracket; otherwise it is part of a name.
    mutating func document() throws(JSONPathError) -> JSONPathRoute {
        var nameStart = 0
        skipSpaces()
        guard position < scalars.count, scalars != ["$"] else { return JSONPathRoute() }
        if scalars[position] == "$" {
            guard position + 1 < scalars.count else { throw failure("The path ends too early") }
            if scalars[position + 1] == "." || scalars[position + 1] == "[" {
                position += 1
                nameStart = position
            }
        }
        let route = try route(nameStart: nameStart, inFilter: false)
        skipSpaces()
        guard position == scalars.count else { throw failure("The path continues where it should end") }
        return route
    }

    // MARK: Characters

    func failure(_ what: String) -> JSONPathError {
        JSONPathError(.syntax, "\(what) (character \(position + 1) of the path).", at: position)
    }

    /// Returns the character at the position; the end of the path is an error.
    func next() throws(JSONPathError) -> Unicode.Scalar {
        guard position < scalars.count else { throw failure("The path ends in the middle of an index or a filter") }
        return scalars[position]
    }

    mutating func skipSpaces() {
        while position < scalars.count, scalars[position] == " " { position += 1 }
    }

    mutating func take(_ sign: String) -> Bool {
        guard scalars[position...].starts(with: sign.unicodeScalars) else { return false }
        position += sign.unicodeScalars.count
        return true
    }

    // MARK: Steps

    /// Parses the steps from the position on. `..` remains in effect until a name is read: an index or a filter does
    /// not end it.
    mutating func route(nameStart: Int, inFilter: Bool) throws(JSONPathError) -> JSONPathRoute {
        var route = JSONPathRoute()
        var nameStart = nameStart
        var isDescending = false
        var isAfterIndex = false
        var isAfterDot = false

        steps: while position < scalars.count {
            switch scalars[position] {
            case "[", "(":
                if let name = name(from: nameStart) {
                    try append(isDescending ? .descent(name.text) : .member(name.text), to: &route)
                    isDescending = false
                }
                try append(try index(isDescending), to: &route)
                position += 1
                nameStart = position
                isAfterIndex = true
                isAfterDot = false
            case "]", ")", " ": break steps
            case ".":
                if let name = name(from: nameStart) {
                    try append(isDescending ? .descent(name.text) : .member(name.text), to: &route)
                    isDescending = false
                }
                position += 1
                if position < scalars.count, scalars[position] == "." {
                    isDescending = true
                    position += 1
                }
                nameStart = position
                isAfterIndex = false
                isAfterDot = true
            case "=", "<", ">", "!", "|", "&":
                if inFilter { break steps }
                fallthrough
            default:
                if isAfterIndex { throw failure("A dot or a bracket is expected after a bracket") }
                position += 1
            }
        }
        let isAtEnd = position == scalars.count
        if let name = name(from: nameStart, isLast: true) {
            try append(isDescending ? .descent(name.text) : .member(name.text), to: &route)
        } else if isAfterDot, isAtEnd || inFilter {
            throw failure("A name is expected after a dot")
        }
        if inFilter, isAtEnd { throw failure("The path ends in the middle of a filter") }
        return route
    }

    private func append(_ step: JSONPathRoute.Step, to route: inout JSONPathRoute) throws(JSONPathError) {
        route.steps.append(step)
        guard route.steps.count <= limits.maximumDepth else { throw JSONPathError(.depth, limits) }
    }

    /// Returns the name before the position, nil if there is none; its text is nil for `*`. Trailing white space is
    /// removed from the last name of a path.
    private func name(from start: Int, isLast: Bool = false) -> (text: WantedName?, Void)? {
        guard start < position else { return nil }
        var scalars = scalars[start..<position]
        while isLast, scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        return (scalars.elementsEqual(["*"]) ? nil : WantedName(Self.text(scalars)), ())
    }

    static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    // MARK: Brackets

    /// Parses the content of brackets. The position is at the opening bracket before and at the closing bracket after.
    private mutating func index(_ isDescending: Bool) throws(JSONPathError) -> JSONPathRoute.Step {
        let close: Unicode.Scalar = scalars[position] == "[" ? "]" : ")"
        position += 1
        skipSpaces()
        switch try next() {
        case "'":
            let names = try names(until: close)
            if names.count == 1 { return isDescending ? .descent(names[0]) : .member(names[0]) }
            return isDescending ? .descentMembers(names) : .members(names)
        case "?":
            let condition = try filter(until: close)
            return isDescending ? .descentFilter(condition) : .filter(condition)
        default: return try positions(until: close)
        }
    }

    private mutating func names(until close: Unicode.Scalar) throws(JSONPathError) -> [WantedName] {
        var names: [WantedName] = []
        while true {
            // Any character here is accepted as the opening apostrophe, as by Json.NET after a comma.
            names.append(WantedName(try quoted()))
            skipSpaces()
            switch try next() {
            case close: return names
            case ",":
                position += 1
                skipSpaces()
                _ = try next()
            default: throw failure("A comma or the closing bracket is expected")
            }
        }
    }

    /// Parses an index, a list of indices, a slice or `*`.
    private mutating func positions(until close: Unicode.Scalar) throws(JSONPathError) -> JSONPathRoute.Step {
        var numbers: [Int] = []
        var isList = false
        var bounds: [Int?] = []
        while true {
            let number = try number()
            skipSpaces()
            let sign = try next()
            if sign == close || sign == "," {
                if isList || bounds.isEmpty || sign == "," {
                    guard let number else { throw failure("An index is expected") }
                    numbers.append(number)
                    isList = isList || sign == ","
                } else {
                    bounds.append(number)
                }
            } else if sign == ":" {
                bounds.append(number)
            } else if sign == "*" {
                position += 1
                skipSpaces()
                guard try next() == close else { throw failure("The closing bracket is expected") }
                return .elements
            } else {
                throw failure("A character is not allowed in an index")
            }
            if sign == close { return Self.step(numbers, isList: isList, bounds: bounds) }
            position += 1
            skipSpaces()
        }
    }

    private static func step(_ numbers: [Int], isList: Bool, bounds: [Int?]) -> JSONPathRoute.Step {
        // A list has precedence over a slice, and if a slice has too many parts, the last one is the step.
        if isList || bounds.isEmpty { return isList ? .indexes(numbers) : .index(numbers[0]) }
        let step = bounds.dropFirst(2).last { $0 != nil } ?? nil
        return .slice(start: bounds[0], end: bounds.count > 1 ? bounds[1] : nil, step: step ?? 1)
    }

    /// Parses an integer of 32 bits, the type of an index; nil if there is none.
    private mutating func number() throws(JSONPathError) -> Int? {
        let start = position
        while position < scalars.count, scalars[position] == "-" || ("0"..."9").contains(scalars[position]) {
            position += 1
        }
        guard position > start else { return nil }
        guard let number = Int32(Self.text(scalars[start..<position])) else {
            throw failure("An index is a whole number of 32 bits")
        }
        return Int(number)
    }

    /// Parses a text between apostrophes.
    mutating func quoted() throws(JSONPathError) -> String {
        var text = String.UnicodeScalarView()
        position += 1
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            if scalar == "'" { return String(text) }
            if scalar == "\\", position < scalars.count {
                guard let escaped = Self.escapes[scalars[position]] else { throw failure("There is no such escape") }
                text.append(escaped)
                position += 1
            } else {
                text.append(scalar)
            }
        }
        throw failure("A text is not closed by an apostrophe")
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\\": "\\", "\"": "\"", "'": "'", "/": "/",
    ]
}
