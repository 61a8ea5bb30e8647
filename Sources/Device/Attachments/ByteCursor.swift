/// Reads big-endian numbers and byte ranges, with bounds checks.
struct ByteCursor {
    let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() throws(AttachmentError) -> UInt8 {
        guard position < bytes.count else { throw .damaged("the file is truncated") }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func take(_ count: Int) throws(AttachmentError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else {
            throw .damaged("the file is truncated, or a part declares a length beyond the end of the file")
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func uint16() throws(AttachmentError) -> Int { try take(2).bigEndian() }
    mutating func uint32() throws(AttachmentError) -> Int { try take(4).bigEndian() }

    mutating func move(to offset: Int) { position = min(max(offset, 0), bytes.count) }
}

extension Collection<UInt8> {
    /// The unsigned big-endian number of the bytes.
    func bigEndian() -> Int { reduce(0) { $0 << 8 | Int($1) } }

    /// Returns the big-endian number of `bytes` bytes at an offset; nil if the collection is too short.
    func bigEndian(at offset: Int, bytes: Int) -> Int? {
        guard offset >= 0, bytes <= count - offset else { return nil }
        return dropFirst(offset).prefix(bytes).bigEndian()
    }

    /// Whether the bytes begin with the text.
    func begins(with text: StaticString) -> Bool { text.withUTF8Buffer { starts(with: $0) } }
}

extension [UInt8] {
    mutating func append(uint16 value: Int) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append(uint32 value: Int) {
        append(uint16: value >> 16)
        append(uint16: value)
    }

    mutating func append(text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }
}
