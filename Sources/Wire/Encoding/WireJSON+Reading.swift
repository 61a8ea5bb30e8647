import Foundation

extension WireJSON {
    /// Deeper nesting than any key or envelope has.
    private static let maximumDepth = 16

    /// Reads one JSON text (RFC 8259). `nil` for anything that is not exactly one: a name given twice in an object,
    /// invalid UTF-8, text after the end, nesting beyond 16. A leading byte order mark is skipped.
    static func read(_ bytes: Data) -> WireJSON? {
        bytes.withUnsafeBytes { raw -> WireJSON? in
            let buffer = raw.bindMemory(to: UInt8.self)
            var reader = Reader(buffer)
            if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
            guard let value = reader.value(depth: maximumDepth) else { return nil }
            reader.skipSpace()
            return reader.position == buffer.count ? value : nil
        }
    }

    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
        }

        mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            position += 1
            return true
        }

        mutating func take(word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            guard bytes.count - position >= count else { return false }
            for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
            position += count
            return true
        }

        mutating func value(depth: Int) -> WireJSON? {
            guard depth > 0 else { return nil }
            skipSpace()
            switch next {
            case UInt8(ascii: "{"): return object(depth: depth)
            case UInt8(ascii: "["): return array(depth: depth)
            case UInt8(ascii: "\""): return string().map(WireJSON.string)
            case UInt8(ascii: "t"): return take(word: "true") ? .boolean(true) : nil
            case UInt8(ascii: "f"): return take(word: "false") ? .boolean(false) : nil
            case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
            default: return number()
            }
        }

        mutating func object(depth: Int) -> WireJSON? {
            position += 1
            var members: [Member] = []
            var names: Set<String> = []
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object([]) }
            while true {
                skipSpace()
                guard let name = string(), names.insert(name).inserted else { return nil }
                skipSpace()
                guard take(UInt8(ascii: ":")), let value = value(depth: depth - 1) else { return nil }
                members.append(Member(name: name, value: value))
                skipSpace()
                if take(UInt8(ascii: "}")) { return .object(members) }
                guard take(UInt8(ascii: ",")) else { return nil }
            }
        }

        mutating func array(depth: Int) -> WireJSON? {
            position += 1
            var elements: [WireJSON] = []
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array([]) }
            while true {
                guard let element = value(depth: depth - 1) else { return nil }
                elements.append(element)
                skipSpace()
                if take(UInt8(ascii: "]")) { return .array(elements) }
                guard take(UInt8(ascii: ",")) else { return nil }
            }
        }

        mutating func number() -> WireJSON? {
            let start = position
            _ = take(UInt8(ascii: "-"))
            if !take(UInt8(ascii: "0")) { guard digits() else { return nil } }
            if take(UInt8(ascii: ".")) { guard digits() else { return nil } }
            if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
                if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
                guard digits() else { return nil }
            }
            return .number(String(decoding: bytes[start..<position], as: UTF8.self))
        }

        mutating func digits() -> Bool {
            let start = position
            while let byte = next, byte >= 0x30, byte <= 0x39 { position += 1 }
            return position > start
        }

        mutating func string() -> String? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            let start = position
            // 1. The common case: no escape up to the closing quote.
            while let byte = next, byte != 0x22, byte != 0x5C, byte >= 0x20 { position += 1 }
            if take(0x22) { return text(bytes[start..<(position - 1)]) }
            // 2. With escapes: collect the bytes.
            var collected = Array(bytes[start..<position])
            while let byte = next, byte >= 0x20 {
                position += 1
                if byte == 0x22 { return collected.withUnsafeBufferPointer { text($0[...]) } }
                if byte == 0x5C {
                    guard escape(into: &collected) else { return nil }
                } else {
                    collected.append(byte)
                }
            }
            return nil
        }

        private func text(_ slice: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
            let bytes = UnsafeBufferPointer(rebasing: slice)
            // What envelopes hold is nearly always ASCII, and that is text without a further look.
            guard bytes.contains(where: { $0 >= 0x80 }) else { return String(decoding: bytes, as: UTF8.self) }
            return String(bytes: bytes, encoding: .utf8)
        }

        private mutating func escape(into collected: inout [UInt8]) -> Bool {
            guard let byte = next else { return false }
            position += 1
            switch byte {
            case 0x22, 0x5C, 0x2F: collected.append(byte)
            case UInt8(ascii: "b"): collected.append(0x08)
            case UInt8(ascii: "f"): collected.append(0x0C)
            case UInt8(ascii: "n"): collected.append(0x0A)
            case UInt8(ascii: "r"): collected.append(0x0D)
            case UInt8(ascii: "t"): collected.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = escapedScalar() else { return false }
                collected.append(contentsOf: Array(String(Character(scalar)).utf8))
            default: return false
            }
            return true
        }

        /// The scalar of `\uXXXX` or of a surrogate pair; a lone surrogate is no text.
        private mutating func escapedScalar() -> Unicode.Scalar? {
            guard let first = fourHexDigits() else { return nil }
            guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
            guard take(0x5C), take(UInt8(ascii: "u")), let second = fourHexDigits(),
                (0xDC00..<0xE000).contains(second)
            else { return nil }
            return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        }

        private mutating func fourHexDigits() -> UInt32? {
            guard bytes.count - position >= 4 else { return nil }
            var value: UInt32 = 0
            for _ in 0..<4 {
                guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else { return nil }
                value = value << 4 | UInt32(digit)
                position += 1
            }
            return value
        }
    }
}
