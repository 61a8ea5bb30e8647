import Core

/// The byte ranges of an Observation's values that differ between Observations of one template.
struct ObservationScalars {
    /// The kind of a value.
    enum Kind: Sendable, Hashable {
        case id
        /// The value of an identifier.
        case identifier
        /// The `effectiveDateTime`, and the ends of the `effectivePeriod`.
        case moment, start, end
        case issued
        /// The number of the `valueQuantity`.
        case number
        /// The number of the quantity as recorded, in an extension of it.
        case translation

        var isTime: Bool { [.moment, .start, .end, .issued].contains(self) }

        /// Whether a byte may be part of the value as written: texts contain neither spaces nor characters that JSON
        /// escapes.
        func mayHave(_ byte: UInt8) -> Bool {
            switch self {
            case .number, .translation:
                (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            default: (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
        }
    }

    /// The meaning of an object, or of the objects in an array.
    private enum Scope {
        case resource, identifier, period, quantity, quantityExtension, translation, other
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var found: [(kind: Kind, range: Range<Int>)] = []

    /// Returns the ranges in valid JSON, in their order; those of texts exclude the quotes.
    static func found(in bytes: [UInt8]) -> [(kind: Kind, range: Range<Int>)] {
        var scalars = ObservationScalars(bytes: bytes)
        scalars.value(.resource, nil)
        return scalars.found
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func skipSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }

    /// Skips a value and what follows it up to a comma or the end. The parser has limited the depth already.
    private mutating func value(_ scope: Scope, _ kind: Kind?) {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"):
            offset += 1
            skipSpace()
            while byte == UInt8(ascii: "\"") {
                let name = string()
                skipSpace()
                offset += 1
                let (inner, kind) = Self.meaning(of: bytes[name], in: scope)
                value(inner, kind)
                next()
            }
            offset += 1
        case UInt8(ascii: "["):
            offset += 1
            skipSpace()
            while offset < bytes.count, byte != UInt8(ascii: "]") {
                value(scope, nil)
                next()
            }
            offset += 1
        case UInt8(ascii: "\""):
            let range = string()
            if let kind { found.append((kind, range)) }
        default:
            let start = offset
            while offset < bytes.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
            if let kind { found.append((kind, start..<offset)) }
        }
    }

    private mutating func next() {
        skipSpace()
        if byte == UInt8(ascii: ",") { offset += 1 }
        skipSpace()
    }

    /// Skips a text and returns the range between its quotes.
    private mutating func string() -> Range<Int> {
        offset += 1
        let start = offset
        while offset < bytes.count, byte != UInt8(ascii: "\"") { offset += byte == UInt8(ascii: "\\") ? 2 : 1 }
        defer { offset += 1 }
        return start..<min(offset, bytes.count)
    }

    private static func meaning(of name: ArraySlice<UInt8>, in scope: Scope) -> (Scope, Kind?) {
        func named(_ text: StaticString) -> Bool {
            name.count == text.utf8CodeUnitCount
                && name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        switch scope {
        case .resource:
            if named("id") { return (.other, .id) }
            if named("identifier") { return (.identifier, nil) }
            if named("effectiveDateTime") { return (.other, .moment) }
            if named("effectivePeriod") { return (.period, nil) }
            if named("issued") { return (.other, .issued) }
            if named("valueQuantity") { return (.quantity, nil) }
        case .identifier:
            if named("value") { return (.other, .identifier) }
        case .period:
            if named("start") { return (.other, .start) }
            if named("end") { return (.other, .end) }
        case .quantity:
            if named("value") { return (.other, .number) }
            if named("extension") { return (.quantityExtension, nil) }
        case .quantityExtension:
            if named("valueQuantity") { return (.translation, nil) }
        case .translation:
            if named("value") { return (.other, .translation) }
        case .other: break
        }
        return (.other, nil)
    }
}
