import Foundation

/// A position in a line that is read by its bytes. Only plain ASCII JSON without escapes is read; all else is rejected.
struct JournalCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Whether the object of the line ends here, followed only by blanks.
    var isAtEnd: Bool {
        var rest = self
        guard rest.take(UInt8(ascii: "}")) else { return false }
        return rest.offset == rest.bytes.count
    }

    /// Consumes a byte and the blanks around it.
    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        skipBlanks()
        return true
    }

    private mutating func skipBlanks() {
        while offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09 || bytes[offset] == 0x0D {
            offset += 1
        }
    }

    /// Consumes the members of an object. The body consumes their values.
    ///
    /// - Returns: false if the body returns false or there is no object.
    mutating func members(_ body: (inout JournalCursor, UInt64) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        repeat {
            guard let name = name(), body(&self, name) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    /// Consumes a name of up to eight characters and the colon after it.
    ///
    /// - Returns: its ``word(_:)``.
    mutating func name() -> UInt64? {
        guard let text = text(), text.count <= 8, take(UInt8(ascii: ":")) else { return nil }
        return text.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns a name of up to eight characters as one number.
    static func word(_ name: StaticString) -> UInt64 {
        UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Consumes a text and returns the bytes between its quotes.
    mutating func text() -> UnsafeBufferPointer<UInt8>? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        offset += 1
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            guard bytes[offset] >= 0x20, bytes[offset] < 0x7F, bytes[offset] != UInt8(ascii: "\\") else { return nil }
            offset += 1
        }
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Consumes a number without an exponent and returns it as written.
    mutating func number() -> String? {
        let start = offset
        func digits() -> Int {
            let first = offset
            while offset < bytes.count, bytes[offset] >= 0x30, bytes[offset] <= 0x39 { offset += 1 }
            return offset - first
        }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let first = offset
        let whole = digits()
        guard whole == 1 || whole > 1 && bytes[first] != 0x30 else { return nil }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            guard digits() > 0 else { return nil }
        }
        guard offset < bytes.count, bytes[offset] | 0x20 != UInt8(ascii: "e"), offset - start <= 32 else { return nil }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Consumes an object without nested objects, up to its first closing brace. The JSON parser decides whether the
    /// object ends there.
    mutating func object() -> UnsafeBufferPointer<UInt8>? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "{") else { return nil }
        let rest = UnsafeBufferPointer(rebasing: bytes[offset...])
        guard let count = rest.offset(of: UInt8(ascii: "}")) else { return nil }
        offset += count + 1
        return UnsafeBufferPointer(rebasing: rest[...count])
    }
}
