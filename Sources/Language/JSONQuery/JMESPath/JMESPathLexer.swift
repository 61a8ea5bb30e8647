import Core

/// A token of an expression (<https://jmespath.org/specification.html#grammar>).
enum JMESPathToken: Sendable {
    case name(String)
    case quotedName(String)
    case literal(JSON)
    case number(Int)
    case dot, star, comma, colon, current, pipe, or, and, reference, not
    case comparison(JMESPathNode.Comparison)
    case flatten, filter
    case openBracket, closeBracket, openBrace, closeBrace, openParenthesis, closeParenthesis
    case end
}

/// Splits an expression into tokens.
struct JMESPathLexer {
    struct LocatedToken: Sendable {
        let token: JMESPathToken
        let offset: Int
    }

    private let bytes: [UInt8]
    private var position = 0

    /// Returns the tokens with their offsets; the last token is the end.
    static func tokens(of source: String) throws(JMESPathError) -> [LocatedToken] {
        var lexer = JMESPathLexer(bytes: Array(source.utf8))
        var tokens: [LocatedToken] = []
        while true {
            while lexer.take(where: { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {}
            let offset = lexer.position
            guard offset < lexer.bytes.count else {
                tokens.append(LocatedToken(token: .end, offset: offset))
                return tokens
            }
            tokens.append(LocatedToken(token: try lexer.next(), offset: offset))
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func failure(_ what: String, at offset: Int) -> JMESPathError {
        JMESPathError(.syntax, "\(what) (byte \(offset + 1) of the expression).", at: offset)
    }

    private mutating func take(where isTaken: (UInt8) -> Bool) -> Bool {
        guard position < bytes.count, isTaken(bytes[position]) else { return false }
        position += 1
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        take { $0 == UInt8(ascii: character) }
    }

    private mutating func next() throws(JMESPathError) -> JMESPathToken {
        let start = position
        position += 1
        switch bytes[start] {
        case UInt8(ascii: "."): return .dot
        case UInt8(ascii: "*"): return .star
        case UInt8(ascii: ","): return .comma
        case UInt8(ascii: ":"): return .colon
        case UInt8(ascii: "@"): return .current
        case UInt8(ascii: "]"): return .closeBracket
        case UInt8(ascii: "{"): return .openBrace
        case UInt8(ascii: "}"): return .closeBrace
        case UInt8(ascii: "("): return .openParenthesis
        case UInt8(ascii: ")"): return .closeParenthesis
        case UInt8(ascii: "["): return take("]") ? .flatten : take("?") ? .filter : .openBracket
        case UInt8(ascii: "|"): return take("|") ? .or : .pipe
        case UInt8(ascii: "&"): return take("&") ? .and : .reference
        case UInt8(ascii: "!"): return take("=") ? .comparison(.different) : .not
        case UInt8(ascii: "<"): return .comparison(take("=") ? .lessOrEqual : .less)
        case UInt8(ascii: ">"): return .comparison(take("=") ? .greaterOrEqual : .greater)
        case UInt8(ascii: "="):
            guard take("=") else { throw failure("A single = is not a comparison; write ==", at: start) }
            return .comparison(.equal)
        case UInt8(ascii: "\""): return try quotedName(from: start)
        case UInt8(ascii: "'"): return .literal(.string(try raw(from: start)))
        case UInt8(ascii: "`"): return try literal(from: start)
        case UInt8(ascii: "-"), 0x30...0x39: return try number(from: start)
        case let byte where Self.isName(byte):
            while take(where: { Self.isName($0) || (0x30...0x39).contains($0) }) {}
            return .name(String(decoding: bytes[start..<position], as: UTF8.self))
        default: throw failure("A character is not allowed here in JMESPath", at: start)
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || byte == UInt8(ascii: "_")
    }

    private mutating func number(from start: Int) throws(JMESPathError) -> JMESPathToken {
        while take(where: { (0x30...0x39).contains($0) }) {}
        guard let value = Int(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw failure("A whole number of up to 64 bits is expected", at: start)
        }
        return .number(value)
    }

    /// Moves past the delimiter that closes the one at `start`. An escaped delimiter does not close it.
    private mutating func skip(to quote: Unicode.Scalar, from start: Int) throws(JMESPathError) -> ArraySlice<UInt8> {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: quote) { return bytes[(start + 1)..<(position - 1)] }
            if byte == UInt8(ascii: "\\") { position += 1 }
        }
        throw failure("A quotation mark here is not closed", at: start)
    }

    private mutating func quotedName(from start: Int) throws(JMESPathError) -> JMESPathToken {
        _ = try skip(to: "\"", from: start)
        guard case .string(let name)? = JSON(reading: bytes[start..<position]) else {
            throw failure("A name in quotation marks is not written as a JSON string", at: start)
        }
        return .quotedName(name)
    }

    /// Reads a text between apostrophes: only `\'` is an escape.
    private mutating func raw(from start: Int) throws(JMESPathError) -> String {
        Self.text(try skip(to: "'", from: start), unescaping: "'")
    }

    private mutating func literal(from start: Int) throws(JMESPathError) -> JMESPathToken {
        let text = Self.text(try skip(to: "`", from: start), unescaping: "`")
        guard let value = JSON(reading: text.utf8) else {
            throw failure("The text between back quotes is not JSON", at: start)
        }
        return .literal(value)
    }

    private static func text(_ bytes: ArraySlice<UInt8>, unescaping quote: Unicode.Scalar) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var isEscaped = false
        for byte in bytes {
            if isEscaped, byte == UInt8(ascii: quote) { text.removeLast() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
