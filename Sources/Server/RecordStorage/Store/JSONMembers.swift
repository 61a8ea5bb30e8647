/// Finds the members of one JSON object in bytes that are known to be valid JSON. It rejects input that it does not
/// expect, and never guesses.
struct JSONMembers {
    /// The names that are relevant to the head of a resource.
    enum Name { case resourceType, id, meta, other }

    /// The byte ranges of a member.
    struct Member {
        let name: Name
        /// Whether it is the version or the time of `meta`, which the server sets.
        let isServers: Bool
        let whole: Range<Int>
        let value: Range<Int>
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var isFirst = true
    /// Whether the object is complete, with no bytes after it.
    private(set) var isWhole = false
    /// Whether there is whitespace between tokens.
    private(set) var hasSpace = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Consumes the opening brace.
    mutating func begin() -> Bool {
        skipSpace()
        return take(UInt8(ascii: "{"))
    }

    /// Returns the next member; nil at the end, or for unexpected input.
    mutating func next() -> Member? {
        skipSpace()
        if take(UInt8(ascii: "}")) {
            skipSpace()
            isWhole = offset == bytes.count
            return nil
        }
        if !isFirst {
            guard take(UInt8(ascii: ",")) else { return nil }
            skipSpace()
        }
        isFirst = false
        let start = offset
        guard take(UInt8(ascii: "\"")) else { return nil }
        let nameStart = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            // A name with an escape may be any name.
            guard bytes[offset] != UInt8(ascii: "\\") else { return nil }
            offset += 1
        }
        let name = nameStart..<offset
        guard take(UInt8(ascii: "\"")) else { return nil }
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        let valueStart = offset
        guard skipValue() else { return nil }
        return Member(
            name: isName(name, "resourceType")
                ? .resourceType
                : isName(name, "id")
                    ? .id
                    : isName(name, "meta") ? .meta : .other,
            isServers: isName(name, "versionId") || isName(name, "lastUpdated"), whole: start..<offset,
            value: valueStart..<offset)
    }

    /// Appends bytes without the whitespace between tokens.
    static func append(
        _ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, hasSpace: Bool, to output: inout [UInt8]
    ) {
        guard hasSpace else { return output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range])) }
        var offset = range.lowerBound
        var copied = offset
        while offset < range.upperBound {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") {
                offset = end(ofTextFrom: offset + 1, in: bytes, to: range.upperBound)
            } else if isSpace(byte) {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<offset]))
                while offset < range.upperBound, isSpace(bytes[offset]) { offset += 1 }
                copied = offset
            } else {
                offset += 1
            }
        }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<offset]))
    }

    // MARK: - Bytes

    private func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where bytes[range.lowerBound + index] != name.utf8Start[index] { return false }
        return true
    }

    /// Whether a value is a string without escapes that equals a text.
    func isText(_ range: Range<Int>, _ text: String) -> Bool {
        let utf8 = text.utf8
        return range.count == utf8.count + 2 && bytes[range.lowerBound] == UInt8(ascii: "\"")
            && bytes[range.dropFirst().dropLast()].elementsEqual(utf8)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while offset < bytes.count, Self.isSpace(bytes[offset]) {
            hasSpace = true
            offset += 1
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Returns the offset after the closing quotation mark of a string. Compares eight bytes at a time, because strings
    /// are the largest part of a resource.
    private static func end(ofTextFrom start: Int, in bytes: UnsafeBufferPointer<UInt8>, to limit: Int) -> Int {
        guard let base = bytes.baseAddress else { return limit }
        var offset = start
        while offset < limit {
            if offset + 8 <= limit {
                let word = UInt64(
                    littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
                let found = Self.zeroBytes(in: word ^ Self.quotes) | Self.zeroBytes(in: word ^ Self.backslashes)
                guard found != 0 else {
                    offset += 8
                    continue
                }
                offset += found.trailingZeroBitCount / 8
            }
            switch base[offset] {
            case UInt8(ascii: "\""): return offset + 1
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        return limit
    }

    private static var quotes: UInt64 { UInt64(UInt8(ascii: "\"")) &* 0x0101_0101_0101_0101 }
    private static var backslashes: UInt64 { UInt64(UInt8(ascii: "\\")) &* 0x0101_0101_0101_0101 }

    /// Marks zero bytes. The lowest set bit is in the first zero byte; no bit is set where there is none.
    private static func zeroBytes(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    private mutating func skipValue() -> Bool {
        let start = offset
        var depth = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset = Self.end(ofTextFrom: offset + 1, in: bytes, to: bytes.count)
                if depth == 0 { return bytes[offset - 1] == UInt8(ascii: "\"") }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return offset > start }
                depth -= 1
                if depth == 0 {
                    offset += 1
                    return true
                }
            case UInt8(ascii: ","): if depth == 0 { return offset > start }
            case 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return offset > start }
                hasSpace = true
            default: break
            }
            offset += 1
        }
        return false
    }
}
