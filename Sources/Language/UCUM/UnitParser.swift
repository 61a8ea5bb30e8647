import Core

/// Parses an expression of units by the grammar of the specification (§3–§11, version 2.1).
///
/// One pass over the bytes, without backtracking. Every limit of ``UCUMLimit`` is checked during the pass.
struct UnitParser {
    /// The parts of an expression, in the order of its text.
    enum Piece {
        case multiply
        case divide
        case open
        case close
        case symbol(prefix: String?, atom: Int, exponent: Int)
        case factor(UInt64)
        case annotation(String)
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let table: UCUMTable
    var position = 0
    private var depth = 0
    /// The pieces that were read; nil if they were not requested.
    private(set) var pieces: [Piece]?

    struct Outcome {
        let meaning: UnitMeaning
        let pieces: [Piece]
    }

    /// Returns the meaning of an expression, and its pieces if `keepsPieces` is set.
    static func parse(_ code: String, table: UCUMTable, keepsPieces: Bool = false) throws(UCUMError) -> Outcome {
        var code = code
        let result: Result<Outcome, UCUMError> = code.withUTF8 { bytes in
            var parser = UnitParser(bytes: bytes, table: table)
            if keepsPieces { parser.pieces = [] }
            do throws(UCUMError) {
                let meaning = try parser.expression()
                return .success(Outcome(meaning: meaning, pieces: parser.pieces ?? []))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, table: UCUMTable) {
        self.bytes = bytes
        self.table = table
    }

    /// main-term: an optional solidus, then a term up to the end.
    private mutating func expression() throws(UCUMError) -> UnitMeaning {
        guard !bytes.isEmpty else {
            throw UCUMError(code: "empty", offset: 0, message: "The unit is empty; write 1 for a number without unit.")
        }
        guard bytes.count <= UCUMLimit.length else {
            throw UCUMError(
                code: "too-long", offset: UCUMLimit.length,
                message: "The unit has \(bytes.count) bytes; the maximum is \(UCUMLimit.length).")
        }
        let meaning = try term(canBeginWithSolidus: true)
        if position < bytes.count { throw unexpectedByte(at: position) }
        return meaning
    }

    /// term: components separated by `.` and `/`, read from left to right with equal precedence.
    private mutating func term(canBeginWithSolidus: Bool = false) throws(UCUMError) -> UnitMeaning {
        var meaning: UnitMeaning
        if canBeginWithSolidus, peek == UInt8(ascii: "/") {
            let start = position
            position += 1
            pieces?.append(.divide)
            meaning = try bounded(UnitMeaning.one / component(), at: start)
        } else {
            meaning = try component()
        }
        while let sign = peek, sign == UInt8(ascii: ".") || sign == UInt8(ascii: "/") {
            let start = position
            position += 1
            pieces?.append(sign == UInt8(ascii: ".") ? .multiply : .divide)
            let next = try component()
            meaning = try bounded(sign == UInt8(ascii: ".") ? meaning * next : meaning / next, at: start)
        }
        return meaning
    }

    /// component: a symbol, an integer factor, an annotation, or a term in parentheses.
    private mutating func component() throws(UCUMError) -> UnitMeaning {
        guard let byte = peek else { throw missingUnit(at: position) }
        switch byte {
        case UInt8(ascii: "("):
            let meaning = try parentheses()
            // The grammar of the specification does not allow an annotation here, but UCUM's own table of example units
            // uses it, as in g/(8.h){shift}.
            if peek == UInt8(ascii: "{") { try annotation() }
            return meaning
        case UInt8(ascii: "{"):
            try annotation()
            return .one
        case UInt8(ascii: ")"), UInt8(ascii: "."), UInt8(ascii: "/"): throw missingUnit(at: position)
        default:
            let meaning = try symbolOrFactor()
            if peek == UInt8(ascii: "{") { try annotation() }
            return meaning
        }
    }

    private mutating func parentheses() throws(UCUMError) -> UnitMeaning {
        let start = position
        guard depth < UCUMLimit.depth else {
            throw UCUMError(
                code: "too-deep", offset: start,
                message: "Parentheses are nested deeper than \(UCUMLimit.depth); write the unit with fewer of them.")
        }
        depth += 1
        position += 1
        pieces?.append(.open)
        let meaning = try term()
        guard peek == UInt8(ascii: ")") else {
            if position < bytes.count { throw unexpectedByte(at: position) }
            throw UCUMError(
                code: "unclosed-parenthesis", offset: start, message: "This parenthesis is not closed; add a ).")
        }
        position += 1
        depth -= 1
        pieces?.append(.close)
        return meaning
    }

    /// annotation: printable ASCII without braces, between braces. It ends a symbol and has no meaning.
    private mutating func annotation() throws(UCUMError) {
        let start = position
        position += 1
        while let byte = peek, byte != UInt8(ascii: "}") {
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "{") else {
                throw UCUMError(
                    code: "invalid-annotation", offset: position,
                    message: "An annotation holds only ASCII characters without spaces and braces; "
                        + (byte == 0x20 ? "write _ for a space." : "remove this one."))
            }
            position += 1
        }
        guard peek != nil else {
            throw UCUMError(
                code: "unclosed-annotation", offset: start, message: "This annotation is not closed; add a }.")
        }
        if position == start + 1 {
            throw UCUMError(
                code: "invalid-annotation", offset: start,
                message: "The annotation is empty; write something between the braces or remove them.")
        }
        let annotation = text(start + 1..<position)
        pieces?.append(.annotation(annotation))
        position += 1
    }

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    private func bounded(_ meaning: UnitMeaning, at offset: Int) throws(UCUMError) -> UnitMeaning {
        guard meaning.isBounded else {
            throw UCUMError(
                code: "too-large", offset: offset,
                message: "The unit's factor is too large or too small for calculations; use smaller exponents.")
        }
        return meaning
    }
}

// MARK: - Symbols and numbers

extension UnitParser {
    private mutating func symbolOrFactor() throws(UCUMError) -> UnitMeaning {
        let start = position
        try skipSymbol()
        let end = position
        guard end > start else { throw unexpectedByte(at: start) }
        // Digits at the end are the exponent; a text of only digits is a number. In brackets, digits belong to the
        // symbol.
        var symbolEnd = end
        while symbolEnd > start, bytes[symbolEnd - 1].isDigit { symbolEnd -= 1 }
        if symbolEnd == start {
            let meaning = try factor(start..<end)
            if let byte = peek, byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
                throw UCUMError(
                    code: "invalid-exponent", offset: position,
                    message: "A number has no exponent; write powers of ten as 10*3 or 10*-3.")
            }
            return meaning
        }
        let exponent = try exponent(from: symbolEnd, to: end)
        let symbol = text(start..<symbolEnd)
        guard let (prefix, atom) = table.lookUp(symbol) else {
            // If a non-ASCII character ended the symbol, the error is about that character.
            if let byte = peek, byte >= 0x80 { throw unexpectedByte(at: position) }
            throw unknown(symbol, at: start)
        }
        pieces?.append(.symbol(prefix: prefix, atom: atom, exponent: exponent))
        var meaning = table.atoms[atom].meaning
        if let prefix, let factor = table.prefix(prefix) { meaning.factor = meaning.factor * factor }
        return exponent == 1 ? meaning : try bounded(power(meaning, exponent, at: symbolEnd), at: symbolEnd)
    }

    /// Skips the bytes of a symbol and of digits after it: up to an operator, a sign, a parenthesis or a brace.
    /// Everything in square brackets belongs to the symbol.
    private mutating func skipSymbol() throws(UCUMError) {
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "["):
                let start = position
                while let inner = peek, inner != UInt8(ascii: "]") {
                    guard inner > 0x20, inner < 0x7F, inner != UInt8(ascii: "[") || position == start else {
                        throw UCUMError(
                            code: "unclosed-bracket", offset: start, message: "This bracket is not closed; add a ].")
                    }
                    position += 1
                }
                guard peek != nil else {
                    throw UCUMError(
                        code: "unclosed-bracket", offset: start, message: "This bracket is not closed; add a ].")
                }
                position += 1
            case 0x21...0x7E where !Self.endsSymbol(byte): position += 1
            default: return
            }
        }
    }

    private static func endsSymbol(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "]"), UInt8(ascii: "="),
            UInt8(ascii: "\""):
            true
        default: false
        }
    }

    private mutating func factor(_ range: Range<Int>) throws(UCUMError) -> UnitMeaning {
        guard range.count <= UCUMLimit.factorDigits, let number = UInt64(text(range)) else {
            throw UCUMError(
                code: "invalid-factor", offset: range.lowerBound,
                message: "This number has more than \(UCUMLimit.factorDigits) digits; write it as a power of ten.")
        }
        guard number > 0 else {
            throw UCUMError(
                code: "invalid-factor", offset: range.lowerBound,
                message: "A number in a unit must be greater than zero.")
        }
        pieces?.append(.factor(number))
        return UnitMeaning(factor: ExactNumber(numerator: Natural(number)), dimension: .one)
    }

    /// Reads the exponent after a symbol: the digits up to `end`, or a sign with digits that follow; 1 if there is
    /// none.
    private mutating func exponent(from start: Int, to end: Int) throws(UCUMError) -> Int {
        var digits = start
        var isNegative = false
        if start == end {
            guard let sign = peek, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return 1 }
            isNegative = sign == UInt8(ascii: "-")
            position += 1
            digits = position
            while let byte = peek, byte.isDigit { position += 1 }
            guard position > digits else {
                throw UCUMError(
                    code: "invalid-exponent", offset: end,
                    message: "A sign must be followed by the digits of an exponent, as in s-2.")
            }
        }
        var exponent = 0
        for index in digits..<position {
            exponent = exponent * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            guard exponent <= UCUMLimit.exponent else {
                throw UCUMError(
                    code: "too-large", offset: start,
                    message: "The exponent exceeds \(UCUMLimit.exponent); write a smaller one.")
            }
        }
        return isNegative ? -exponent : exponent
    }

    /// Returns a power, after a check that its size stays within the limits.
    private func power(_ meaning: UnitMeaning, _ exponent: Int, at offset: Int) throws(UCUMError) -> UnitMeaning {
        let bits = max(meaning.factor.numerator.bitWidth, meaning.factor.denominator.bitWidth) - 1
        guard bits * abs(exponent) <= 16_384 else {
            throw UCUMError(
                code: "too-large", offset: offset,
                message: "The unit's factor is too large or too small for calculations; use a smaller exponent.")
        }
        return meaning.power(exponent)
    }

    /// Returns the symbols of an expression, known or not, and the text between them.
    static func parts(of code: String) -> [(text: String, isSymbol: Bool)] {
        var code = code
        return code.withUTF8 { bytes in
            var parser = UnitParser(bytes: bytes, table: UCUMTable())
            var parts: [(text: String, isSymbol: Bool)] = []
            while let byte = parser.peek {
                let start = parser.position
                if byte == UInt8(ascii: "{") {
                    while let inner = parser.peek, inner != UInt8(ascii: "}") { parser.position += 1 }
                } else {
                    try? parser.skipSymbol()
                }
                var end = parser.position
                while end > start, bytes[end - 1].isDigit { end -= 1 }
                if end > start { parts.append((parser.text(start..<end), byte != UInt8(ascii: "{"))) }
                if parser.position == start { parser.position += 1 }
                if parser.position > end { parts.append((parser.text(end..<parser.position), false)) }
            }
            return parts
        }
    }
}

extension UInt8 {
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}
