/// A token of an expression (<https://hl7.org/fhirpath/N1/grammar.html>).
struct Token: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case identifier(String)
        /// An identifier in backticks: never a keyword.
        case delimited(String)
        case string(String)
        /// A number with its digits as written.
        case number(String)
        /// A number followed by `L`.
        case long(String)
        /// A date or time, without the `@`.
        case temporal(String)
        /// `%name`
        case external(String)
        /// `$this`, `$index`, `$total`
        case special(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    let location: SourceLocation
}

/// Splits an expression into tokens and drops white space and comments.
struct Lexer {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func tokens(of text: String) throws(FHIRPathError) -> [Token] {
        var lexer = Lexer(text)
        var tokens: [Token] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private var location: SourceLocation { SourceLocation(line: line, column: position - lineStart + 1) }

    private func failure(_ code: String, _ message: String, at location: SourceLocation) -> FHIRPathError {
        FHIRPathError(.syntax, code: code, message: message, at: location)
    }

    private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
        position + ahead < scalars.count ? scalars[position + ahead] : nil
    }

    private mutating func advance() {
        if scalars[position] == "\n" {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private mutating func next() throws(FHIRPathError) -> Token {
        try skipSpace()
        let start = location
        guard let first = peek() else { return Token(kind: .end, location: start) }
        switch first {
        case "'", "\"": return Token(kind: .string(try quoted(first, start)), location: start)
        case "`": return Token(kind: .delimited(try quoted("`", start)), location: start)
        case "@":
            position += 1
            return Token(kind: .temporal(temporal()), location: start)
        case "%":
            position += 1
            return Token(kind: .external(try external(start)), location: start)
        case "$":
            position += 1
            let name = word()
            guard ["this", "index", "total"].contains(name) else {
                throw failure(
                    "unknown-special", "Only $this, $index and $total begin with a dollar sign.", at: start)
            }
            return Token(kind: .special(name), location: start)
        case "0"..."9": return number(start)
        default:
            if Lexer.isLetter(first) { return Token(kind: .identifier(word()), location: start) }
            return Token(kind: .symbol(try symbol(first, start)), location: start)
        }
    }

    private mutating func skipSpace() throws(FHIRPathError) {
        while let scalar = peek() {
            if scalar == "/" && peek(1) == "/" {
                while let scalar = peek(), scalar != "\n" {
                    _ = scalar
                    advance()
                }
            } else if scalar == "/" && peek(1) == "*" {
                let start = location
                position += 2
                while let scalar = peek(), !(scalar == "*" && peek(1) == "/") {
                    _ = scalar
                    advance()
                }
                guard peek() != nil else {
                    throw failure("open-comment", "The comment is not closed: add */.", at: start)
                }
                position += 2
            } else if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
                advance()
            } else {
                return
            }
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private mutating func word() -> String {
        let start = position
        while let scalar = peek(), Lexer.isLetter(scalar) || Lexer.isDigit(scalar) { position += 1 }
        return text(start, position)
    }

    private func text(_ start: Int, _ end: Int) -> String {
        String(String.UnicodeScalarView(scalars[start..<end]))
    }

    private mutating func external(_ start: SourceLocation) throws(FHIRPathError) -> String {
        if let quote = peek(), quote == "`" || quote == "'" || quote == "\"" {
            return try quoted(quote, start)
        }
        let first = position
        while let scalar = peek(),
            Lexer.isLetter(scalar) || Lexer.isDigit(scalar) || scalar == "-" && position > first
        {
            position += 1
        }
        guard position > first else {
            throw failure("variable-name", "A name is expected after %.", at: start)
        }
        return text(first, position)
    }

    private mutating func number(_ start: SourceLocation) -> Token {
        let first = position
        while let scalar = peek(), Lexer.isDigit(scalar) { position += 1 }
        if peek() == ".", let digit = peek(1), Lexer.isDigit(digit) {
            position += 1
            while let scalar = peek(), Lexer.isDigit(scalar) { position += 1 }
        } else if peek() == "L" {
            let digits = text(first, position)
            position += 1
            return Token(kind: .long(digits), location: start)
        }
        return Token(kind: .number(text(first, position)), location: start)
    }

    /// Reads a date, a time or both after `@`.
    private mutating func temporal() -> String {
        let first = position
        func isPart(_ scalar: Unicode.Scalar) -> Bool {
            Lexer.isDigit(scalar) || scalar == "-" || scalar == ":"
        }
        if peek() == "T" {
            position += 1
        } else {
            while let scalar = peek(), Lexer.isDigit(scalar) || scalar == "-" {
                // A minus after a complete date is an operator.
                if scalar == "-", position - first >= 10 { break }
                if scalar == "-", let after = peek(1), !Lexer.isDigit(after) { break }
                position += 1
            }
            guard peek() == "T" else { return text(first, position) }
            position += 1
        }
        while let scalar = peek(), Lexer.isDigit(scalar) || scalar == ":" { position += 1 }
        if peek() == ".", let digit = peek(1), Lexer.isDigit(digit) {
            position += 1
            while let scalar = peek(), Lexer.isDigit(scalar) { position += 1 }
        }
        if peek() == "Z" {
            position += 1
        } else if let sign = peek(), sign == "+" || sign == "-", let a = peek(1), let b = peek(2),
            let c = peek(3),
            Lexer.isDigit(a), Lexer.isDigit(b), c == ":"
        {
            position += 1
            while let scalar = peek(), isPart(scalar), scalar != "-" { position += 1 }
        }
        return text(first, position)
    }

    private mutating func quoted(_ quote: Unicode.Scalar, _ start: SourceLocation)
        throws(FHIRPathError) -> String
    {
        position += 1
        var output = String.UnicodeScalarView()
        while let scalar = peek() {
            if scalar == quote {
                position += 1
                return String(output)
            }
            guard scalar == "\\" else {
                output.append(scalar)
                advance()
                continue
            }
            let here = location
            position += 1
            guard let escaped = peek() else { break }
            position += 1
            switch escaped {
            case "n": output.append("\n")
            case "r": output.append("\r")
            case "t": output.append("\t")
            case "f": output.append("\u{C}")
            case "'", "\"", "`", "\\", "/": output.append(escaped)
            case "u":
                var code = try hexadecimal(here)
                if (0xD800..<0xDC00).contains(code), peek() == "\\", peek(1) == "u" {
                    // A surrogate pair represents one character beyond the 16 bits of the notation.
                    position += 2
                    let low = try hexadecimal(here)
                    code =
                        (0xDC00..<0xE000).contains(low)
                        ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : code
                }
                guard let scalar = Unicode.Scalar(code) else {
                    throw failure(
                        "unicode-escape", "Half a surrogate pair is not a character: complete it.", at: here)
                }
                output.append(scalar)
            default:
                throw failure(
                    "unknown-escape", "A backslash must be followed by one of n r t f u \\ / ' \" `.", at: here)
            }
        }
        throw failure("open-quote", "The text is not closed: add the quote.", at: start)
    }

    /// Reads four hexadecimal digits.
    private mutating func hexadecimal(_ start: SourceLocation) throws(FHIRPathError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek(), let value = Character(digit).hexDigitValue, digit.isASCII else {
                throw failure("unicode-escape", "Four hexadecimal digits are expected after \\u.", at: start)
            }
            code = code * 16 + UInt32(value)
            position += 1
        }
        return code
    }

    private mutating func symbol(_ first: Unicode.Scalar, _ start: SourceLocation)
        throws(FHIRPathError) -> String
    {
        if let second = peek(1) {
            let pair = String(first) + String(second)
            if ["<=", ">=", "!=", "!~"].contains(pair) {
                position += 2
                return pair
            }
        }
        guard "().,[]{}+-*/&|<>=~".unicodeScalars.contains(first) else {
            throw failure(
                "unexpected-character", "This character has no meaning here: remove it.", at: start)
        }
        position += 1
        return String(first)
    }
}
