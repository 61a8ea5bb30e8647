import Foundation

/// A position in a line that is read by its bytes. Only plain ASCII JSON without escapes is read; all else is rejected.
struct JournalCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Whether the object of the line ends here, followed only by blanks.
    var isAtEnd: Bool {
        var rest = self
        guard rest.take(UInt8(ascii: "}")) else { return false }
        return rest.place == rest.bytes.count
    }

    /// Consumes a byte and the blanks around it.
    mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        skipBlanks()
        return true
    }

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 || bytes[place] == 0x0D { place += 1 }
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
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
        place += 1
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            guard bytes[place] >= 0x20, bytes[place] < 0x7F, bytes[place] != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<place])
    }

    /// Consumes a number without an exponent and returns it as written.
    mutating func number() -> String? {
        let start = place
        func digits() -> Int {
            let first = place
            while place < bytes.count, bytes[place] >= 0x30, bytes[place] <= 0x39 { place += 1 }
            return place - first
        }
        if place < bytes.count, bytes[place] == UInt8(ascii: "-") { place += 1 }
        let first = place
        let whole = digits()
        guard whole == 1 || whole > 1 && bytes[first] != 0x30 else { return nil }
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            place += 1
            guard digits() > 0 else { return nil }
        }
        guard place < bytes.count, bytes[place] | 0x20 != UInt8(ascii: "e"), place - start <= 32 else { return nil }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// Consumes an object without nested objects, up to its first closing brace. The JSON parser decides whether the
    /// object ends there.
    mutating func object() -> UnsafeBufferPointer<UInt8>? {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "{") else { return nil }
        let rest = UnsafeBufferPointer(rebasing: bytes[place...])
        guard let count = rest.place(of: UInt8(ascii: "}")) else { return nil }
        place += count + 1
        return UnsafeBufferPointer(rebasing: rest[...count])
    }
}
