/// Writes JSON text into memory that it grows itself; the checks of an array for each byte would cost more than the
/// writing.
///
/// The owner must call ``free()`` once, at the end.
struct JSONWriter {
    private let layout: JSON.Layout
    private var start: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var capacity: Int

    init(_ layout: JSON.Layout, capacity: Int = 1024) {
        self.layout = layout
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    /// The bytes that were written; valid until the next byte is written.
    var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    func free() { start.deallocate() }

    mutating func write(_ value: JSON, depth: Int) {
        switch value {
        case .null: literal("null")
        case .bool(true): literal("true")
        case .bool(false): literal("false")
        case .number(let number):
            var text = number.text
            text.withUTF8 { append($0) }
        case .string(let text): write(text)
        case .array(let elements): write(elements, depth)
        case .object(let object): write(object.members, depth)
        }
    }

    private mutating func write(_ elements: [JSON], _ depth: Int) {
        append(UInt8(ascii: "["))
        var isFirst = true
        for index in elements.indices {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            newLine(depth + 1)
            write(elements[index], depth: depth + 1)
        }
        if !isFirst { newLine(depth) }
        append(UInt8(ascii: "]"))
    }

    private mutating func write(_ members: [JSONObject.Member], _ depth: Int) {
        append(UInt8(ascii: "{"))
        var isFirst = true
        for index in members.indices {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            newLine(depth + 1)
            write(members[index].key)
            append(UInt8(ascii: ":"))
            if layout == .pretty { append(0x20) }
            write(members[index].value, depth: depth + 1)
        }
        if !isFirst { newLine(depth) }
        append(UInt8(ascii: "}"))
    }

    private mutating func newLine(_ depth: Int) {
        guard layout == .pretty else { return }
        append(0x0A)
        for _ in 0..<depth * 2 { append(0x20) }
    }

    private mutating func write(_ string: String) {
        var text = string
        text.withUTF8 { bytes in
            reserve(bytes.count + 16)
            appendReserved(UInt8(ascii: "\""))
            writeEscaped(bytes)
            append(UInt8(ascii: "\""))
        }
    }

    /// Writes the characters of a string. The caller has reserved memory for all of them and for two words more.
    private mutating func writeEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        let source = UnsafeRawPointer(base)
        var index = 0
        while true {
            // 1. Eight bytes at a time are copied as long as none of them needs an escape.
            while index + 8 <= bytes.count {
                let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard ByteWord.specials(word) == 0 else { break }
                UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
                count += 8
                index += 8
            }
            // 2. The rest is written byte by byte; after an escape, the outer loop copies words again.
            var byte: UInt8 = 0x20
            while index < bytes.count {
                byte = bytes[index]
                index += 1
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
                appendReserved(byte)
            }
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return }
            escape(byte)
            reserve(bytes.count - index + 16)
        }
    }

    private mutating func escape(_ byte: UInt8) {
        reserve(6)
        appendReserved(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): appendReserved(byte)
        case 0x0A: appendReserved(UInt8(ascii: "n"))
        case 0x0D: appendReserved(UInt8(ascii: "r"))
        case 0x09: appendReserved(UInt8(ascii: "t"))
        default:
            appendReserved(UInt8(ascii: "u"))
            appendReserved(UInt8(ascii: "0"))
            appendReserved(UInt8(ascii: "0"))
            appendReserved(UInt8(ascii: "0") + byte >> 4)
            appendReserved(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
        }
    }

    private mutating func literal(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).update(from: base, count: bytes.count)
        count += bytes.count
    }

    private mutating func append(_ byte: UInt8) {
        if count == capacity { reserve(1) }
        appendReserved(byte)
    }

    private mutating func appendReserved(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    private mutating func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        let larger = max(count + more, capacity * 2)
        let next = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        next.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (next, larger)
    }
}

/// Eight bytes that are checked together.
enum ByteWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Nonzero if one of the eight bytes is a quotation mark, a backslash or a control character. The lowest set bit is
    /// in the first such byte.
    @inline(__always) static func specials(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | control) & highs
    }

    /// Whether none of the eight bytes is outside of ASCII.
    @inline(__always) static func isASCII(_ word: UInt64) -> Bool { word & highs == 0 }
}
