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
    private var place = 0
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
            isWhole = place == bytes.count
            return nil
        }
        if !isFirst {
            guard take(UInt8(ascii: ",")) else { return nil }
            skipSpace()
        }
        isFirst = false
        let start = place
        guard take(UInt8(ascii: "\"")) else { return nil }
        let nameStart = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            // A name with an escape may be any name.
            guard bytes[place] != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        let name = nameStart..<place
        guard take(UInt8(ascii: "\"")) else { return nil }
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        let valueStart = place
        guard skipValue() else { return nil }
        return Member(
            name: isName(name, "resourceType")
                ? .resourceType
                : isName(name, "id")
                    ? .id
                    : isName(name, "meta") ? .meta : .other,
            isServers: isName(name, "versionId") || isName(name, "lastUpdated"), whole: start..<place,
            value: valueStart..<place)
    }

    /// Appends bytes without the whitespace between tokens.
    static func append(
        _ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, hasSpace: Bool, to output: inout [UInt8]
    ) {
        guard hasSpace else { return output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range])) }
        var place = range.lowerBound
        var copied = place
        while place < range.upperBound {
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") {
                place = end(ofTextFrom: place + 1, in: bytes, to: range.upperBound)
            } else if isSpace(byte) {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<place]))
                while place < range.upperBound, isSpace(bytes[place]) { place += 1 }
                copied = place
            } else {
                place += 1
            }
        }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<place]))
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
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() {
        while place < bytes.count, Self.isSpace(bytes[place]) {
            hasSpace = true
            place += 1
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Returns the index after the closing quotation mark of a string. Compares eight bytes at a time, because strings
    /// are the largest part of a resource.
    private static func end(ofTextFrom start: Int, in bytes: UnsafeBufferPointer<UInt8>, to limit: Int) -> Int {
        guard let base = bytes.baseAddress else { return limit }
        var place = start
        while place < limit {
            if place + 8 <= limit {
                let word = UInt64(
                    littleEndian: UnsafeRawPointer(base + place).loadUnaligned(as: UInt64.self))
                let found = Self.zeroBytes(in: word ^ Self.quotes) | Self.zeroBytes(in: word ^ Self.backslashes)
                guard found != 0 else {
                    place += 8
                    continue
                }
                place += found.trailingZeroBitCount / 8
            }
            switch base[place] {
            case UInt8(ascii: "\""): return place + 1
            case UInt8(ascii: "\\"): place += 2
            default: place += 1
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
        let start = place
        var depth = 0
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\""):
                place = Self.end(ofTextFrom: place + 1, in: bytes, to: bytes.count)
                if depth == 0 { return bytes[place - 1] == UInt8(ascii: "\"") }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return place > start }
                depth -= 1
                if depth == 0 {
                    place += 1
                    return true
                }
            case UInt8(ascii: ","): if depth == 0 { return place > start }
            case 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return place > start }
                hasSpace = true
            default: break
            }
            place += 1
        }
        return false
    }
}
