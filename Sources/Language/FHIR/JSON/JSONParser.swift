/// Reads one JSON text (RFC 8259) from bytes in a single pass.
struct JSONParser {
    /// How deep arrays and objects may be nested; more is refused so that no input exhausts the stack.
    static let maximumDepth = 192

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0
    private let lenient: Bool

    init(_ bytes: UnsafeBufferPointer<UInt8>, lenient: Bool) {
        self.bytes = bytes
        self.lenient = lenient
    }

    /// The whole text as one value; text after it is refused.
    mutating func document() throws(JSONError) -> JSON {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        let value = try self.value()
        skipSpace()
        guard position == bytes.count else { throw failure(.textAfterEnd) }
        return value
    }

    private mutating func value() throws(JSONError) -> JSON {
        skipSpace()
        guard position < bytes.count else { throw failure(.unexpectedEnd) }
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
        var members: [JSONObject.Member] = []
        var seen: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) {
            depth -= 1
            return .object(JSONObject())
        }
        members.reserveCapacity(4)
        while true {
            skipSpace()
            guard position < bytes.count else { throw failure(.unexpectedEnd) }
            guard bytes[position] == UInt8(ascii: "\"") else { throw failure(.unexpectedCharacter) }
            let place = position
            let key = try string()
            // A scan is quicker than hashing while the object is small, and it mostly is.
            if members.count < 24 {
                for member in members where member.key == key { throw failure(.duplicateKey, at: place) }
            } else {
                if seen.isEmpty { seen = Set(members.lazy.map(\.key)) }
                guard seen.insert(key).inserted else { throw failure(.duplicateKey, at: place) }
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected() }
            members.append(JSONObject.Member(key: key, value: try value()))
            skipSpace()
            if take(UInt8(ascii: "}")) { break }
            try comma(before: UInt8(ascii: "}"))
            if bytes[position] == UInt8(ascii: "}") {
                position += 1
                break
            }
        }
        depth -= 1
        return .object(JSONObject(unique: members))
    }

    private mutating func array() throws(JSONError) -> JSON {
        try enter()
        var elements: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) {
            depth -= 1
            return .array([])
        }
        while true {
            elements.append(try value())
            skipSpace()
            if take(UInt8(ascii: "]")) { break }
            try comma(before: UInt8(ascii: "]"))
            if bytes[position] == UInt8(ascii: "]") {
                position += 1
                break
            }
        }
        depth -= 1
        return .array(elements)
    }

    /// Takes the comma between two elements, and the space behind it. A closing bracket may only follow leniently.
    private mutating func comma(before closing: UInt8) throws(JSONError) {
        let place = position
        guard take(UInt8(ascii: ",")) else { throw unexpected() }
        skipSpace()
        guard position < bytes.count else { throw failure(.unexpectedEnd) }
        if bytes[position] == closing, !lenient { throw failure(.trailingComma, at: place) }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure(.invalidUTF8, at: start)
                }
                return string
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw failure(.invalidString) }
            position += 1
        }
        throw failure(.unexpectedEnd)
    }

    /// The slow way for a string in which the scan met a backslash.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure(.invalidUTF8, at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { throw failure(.unexpectedEnd) }
                let escape = bytes[position]
                position += 1
                switch escape {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
                case UInt8(ascii: "b"): text.append(0x08)
                case UInt8(ascii: "f"): text.append(0x0C)
                case UInt8(ascii: "n"): text.append(0x0A)
                case UInt8(ascii: "r"): text.append(0x0D)
                case UInt8(ascii: "t"): text.append(0x09)
                case UInt8(ascii: "u"): text.append(contentsOf: try unicodeEscape())
                default: throw failure(.invalidString, at: position - 1)
                }
            case 0..<0x20: throw failure(.invalidString, at: position - 1)
            default: text.append(byte)
            }
        }
        throw failure(.unexpectedEnd)
    }

    private mutating func unicodeEscape() throws(JSONError) -> [UInt8] {
        let place = position
        var code = try hexadecimal()
        if code >= 0xDC00, code <= 0xDFFF { throw failure(.invalidString, at: place) }
        if code >= 0xD800, code <= 0xDBFF {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure(.invalidString, at: place) }
            let low = try hexadecimal()
            guard low >= 0xDC00, low <= 0xDFFF else { throw failure(.invalidString, at: place) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure(.invalidString, at: place) }
        return Array(Character(scalar).utf8)
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw failure(.unexpectedEnd) }
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
        while position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        return position - start
    }

    private mutating func literal(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for index in 0..<text.utf8CodeUnitCount {
            guard position + index < bytes.count else { throw failure(.unexpectedEnd, at: bytes.count) }
            guard bytes[position + index] == text.utf8Start[index] else {
                throw failure(.unexpectedCharacter, at: position + index)
            }
        }
        position += text.utf8CodeUnitCount
        return value
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure(.tooDeep) }
        position += 1
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func unexpected() -> JSONError {
        failure(position < bytes.count ? .unexpectedCharacter : .unexpectedEnd)
    }

    private func failure(_ code: JSONError.Code, at place: Int? = nil) -> JSONError {
        let offset = min(place ?? position, bytes.count)
        var line = 1
        var lineStart = 0
        for index in 0..<offset where bytes[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        return JSONError(code: code, offset: offset, line: line, column: offset - lineStart + 1)
    }
}
