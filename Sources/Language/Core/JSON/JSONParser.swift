/// Reads one JSON text (RFC 8259) from bytes in a single pass.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let raw: UnsafeRawPointer
    private let count: Int
    private let lenient: Bool
    private var position = 0
    private var depth = 0
    /// Whether the last string had an escape.
    private var isEscaped = false

    // Members and elements of the arrays and objects that are still open.
    private var members = ParseStack<JSONObject.Member>()
    private var elements = ParseStack<JSON>()
    /// A hash of each member's name (``ExactName/mark``).
    private var marks = ParseStack<UInt64>()

    /// The caller must call ``free()`` once, at the end.
    init(_ bytes: UnsafeBufferPointer<UInt8>, at address: UnsafePointer<UInt8>, lenient: Bool) {
        self.bytes = bytes
        raw = UnsafeRawPointer(address)
        count = bytes.count
        self.lenient = lenient
    }

    func free() {
        members.free()
        elements.free()
        marks.free()
    }

    /// Reads the whole text as one value. Text after it is refused.
    mutating func document() throws(JSONError) -> JSON {
        if count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        let value = try self.value()
        skipSpace()
        guard position == count else { throw failure(.textAfterEnd) }
        return value
    }

    private mutating func value() throws(JSONError) -> JSON {
        skipSpace()
        guard position < count else { throw failure(.unexpectedEnd) }
        switch bytes[position] {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw failure(.unexpectedCharacter)
        }
    }

    private mutating func object() throws(JSONError) -> JSON {
        try enter()
        skipSpace()
        if take(UInt8(ascii: "}")) {
            depth -= 1
            return .object(JSONObject())
        }
        let first = members.count
        let firstMark = marks.count
        var seen: Set<ExactName>?
        while true {
            skipSpace()
            guard position < count else { throw failure(.unexpectedEnd) }
            guard bytes[position] == UInt8(ascii: "\"") else { throw failure(.unexpectedCharacter) }
            let keyStart = position
            let key = try string()
            try checkUnique(key, at: keyStart, first: first, firstMark: firstMark, seen: &seen)
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected() }
            members.push(JSONObject.Member(key: key, value: try value()))
            skipSpace()
            if take(UInt8(ascii: "}")) { break }
            try comma(before: UInt8(ascii: "}"))
            if bytes[position] == UInt8(ascii: "}") {
                position += 1
                break
            }
        }
        marks.drop(from: firstMark)
        depth -= 1
        return .object(JSONObject(unique: members.take(from: first)))
    }

    /// Refuses a name that the open object already has. Names are compared by their code points, not as strings: a
    /// composed `é` and a decomposed `é` are two names.
    private mutating func checkUnique(
        _ key: String, at offset: Int, first: Int, firstMark: Int, seen: inout Set<ExactName>?
    ) throws(JSONError) {
        if seen != nil {
            guard seen?.insert(ExactName(text: key)).inserted == true else { throw failure(.duplicateKey, at: offset) }
            return
        }
        // Scanning marks is faster than hashing while the object is small, as nearly all objects are.
        let mark = isEscaped ? ExactName(text: key).mark : ExactName.mark(of: bytes[offset + 1..<position - 1])
        for index in firstMark..<marks.count where marks[index] == mark {
            let other = members[first + index - firstMark].key
            if ExactName(text: other) == ExactName(text: key) { throw failure(.duplicateKey, at: offset) }
        }
        marks.push(mark)
        if marks.count - firstMark == 24 {
            seen = Set((first..<members.count).map { ExactName(text: members[$0].key) })
            seen?.insert(ExactName(text: key))
        }
    }

    private mutating func array() throws(JSONError) -> JSON {
        try enter()
        skipSpace()
        if take(UInt8(ascii: "]")) {
            depth -= 1
            return .array([])
        }
        let first = elements.count
        while true {
            elements.push(try value())
            skipSpace()
            if take(UInt8(ascii: "]")) { break }
            try comma(before: UInt8(ascii: "]"))
            if bytes[position] == UInt8(ascii: "]") {
                position += 1
                break
            }
        }
        depth -= 1
        return .array(elements.take(from: first))
    }

    /// Reads the comma between two elements, and the white space after it. A closing bracket may follow only in lenient
    /// mode.
    private mutating func comma(before closing: UInt8) throws(JSONError) {
        let start = position
        guard take(UInt8(ascii: ",")) else { throw unexpected() }
        skipSpace()
        guard position < count else { throw failure(.unexpectedEnd) }
        if bytes[position] == closing, !lenient { throw failure(.trailingComma, at: start) }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        var isASCII = true
        while true {
            // 1. Eight bytes at a time, up to the byte that ends the string or begins an escape.
            while position + 8 <= count {
                let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
                let specials = ByteWord.specials(word)
                if specials == 0 {
                    isASCII = isASCII && ByteWord.isASCII(word)
                    position += 8
                } else {
                    let length = specials.trailingZeroBitCount >> 3
                    let before = word & ((1 << UInt64(length << 3)) &- 1)
                    isASCII = isASCII && ByteWord.isASCII(before)
                    position += length
                    break
                }
            }
            // 2. The byte that was found, or one of the last seven bytes of the text.
            guard position < count else { throw failure(.unexpectedEnd) }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
                position += 1
                isEscaped = false
                if isASCII { return String(decoding: text, as: UTF8.self) }
                guard let string = String(validUTF8: text) else {
                    throw failure(.invalidUTF8, at: start)
                }
                return string
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw failure(.invalidString) }
            isASCII = isASCII && byte < 0x80
            position += 1
        }
    }

    /// The slow path for a string with a backslash.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(position - start + 64)
        var plain = start
        while position < count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<position]))
                position += 1
                isEscaped = true
                guard let string = String(validUTF8: text) else {
                    throw failure(.invalidUTF8, at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<position]))
                position += 1
                try escape(&text)
                plain = position
            case 0..<0x20: throw failure(.invalidString)
            default:
                position += 1
                while position + 8 <= count,
                    ByteWord.specials(raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)) == 0
                {
                    position += 8
                }
            }
        }
        throw failure(.unexpectedEnd)
    }

    /// Reads the escape after a backslash.
    private mutating func escape(_ text: inout [UInt8]) throws(JSONError) {
        guard position < count else { throw failure(.unexpectedEnd) }
        let escape = bytes[position]
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: UTF8.encode(try unicodeEscape()) ?? .init())
        default: throw failure(.invalidString, at: position - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        var code = try hexadecimal()
        if code >= 0xDC00, code <= 0xDFFF { throw failure(.invalidString, at: start) }
        if code >= 0xD800, code <= 0xDBFF {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure(.invalidString, at: start) }
            let low = try hexadecimal()
            guard low >= 0xDC00, low <= 0xDFFF else { throw failure(.invalidString, at: start) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure(.invalidString, at: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        guard position + 4 <= count else { throw failure(.unexpectedEnd) }
        var code: UInt32 = 0
        for _ in 0..<4 {
            let byte = bytes[position]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x41 + 10
            case 0x61...0x66: digit = byte - 0x61 + 10
            default: throw failure(.invalidString)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let whole = digits()
        guard whole > 0 else { throw failure(.invalidNumber, at: start) }
        if whole > 1, bytes[position - whole] == UInt8(ascii: "0") { throw failure(.invalidNumber, at: start) }
        if take(UInt8(ascii: ".")) {
            guard digits() > 0 else { throw failure(.invalidNumber, at: start) }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw failure(.invalidNumber, at: start) }
        }
        let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
        return JSONNumber(checked: String(decoding: text, as: UTF8.self))
    }

    private mutating func digits() -> Int {
        let start = position
        while position < count, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        return position - start
    }

    private mutating func literal(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for index in 0..<text.utf8CodeUnitCount {
            guard position + index < count else { throw failure(.unexpectedEnd, at: count) }
            guard bytes[position + index] == text.utf8Start[index] else {
                throw failure(.unexpectedCharacter, at: position + index)
            }
        }
        position += text.utf8CodeUnitCount
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= JSON.maximumDepth else { throw failure(.tooDeep) }
        position += 1
    }

    @inline(__always)
    private mutating func skipSpace() {
        if position < count, bytes[position] > 0x20 { return }
        skipMoreSpace()
    }

    private mutating func skipMoreSpace() {
        while position < count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
            // Indentation is long in pretty-printed text.
            while position + 8 <= count,
                raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) == 0x2020_2020_2020_2020
            {
                position += 8
            }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func unexpected() -> JSONError {
        failure(position < count ? .unexpectedCharacter : .unexpectedEnd)
    }

    private func failure(_ reason: JSONError.Reason, at start: Int? = nil) -> JSONError {
        let offset = min(start ?? position, count)
        var line = 1
        var lineStart = 0
        for index in 0..<offset where bytes[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        return JSONError(reason: reason, offset: offset, line: line, column: offset - lineStart + 1)
    }
}
