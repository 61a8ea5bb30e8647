#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Receives the events of the scanner.
protocol MarkupEvents {
    /// Whether all following events are ignored.
    var isFinished: Bool { get }
    /// Called for a tag that begins an element. The attributes are valid only during the call.
    ///
    /// - Parameter isEmpty: whether the tag also ends the element.
    mutating func begin(_ element: ExportElement, _ attributes: MarkupAttributes, isEmpty: Bool)
    /// Called for a closing tag: it ends the innermost open element or one that encloses it.
    mutating func end(_ element: ExportElement)
    /// Called where the markup is not well-formed. The scanner continues.
    mutating func problem()
}

/// An attribute as offsets in the buffer. Buffers are smaller than 2 GiB.
struct MarkupAttribute {
    var nameStart: Int32
    var nameEnd: Int32
    var valueStart: Int32
    var valueEnd: Int32
    /// The raw value of the attribute if it is read; -1 for others.
    var known: Int32
    /// Whether the value contains an `&`.
    var hasReferences: Bool
}

/// The attributes of one tag.
struct MarkupAttributes {
    /// The buffer. References are resolved in it when a value with references is read.
    let base: UnsafeMutablePointer<UInt8>
    let list: UnsafeBufferPointer<MarkupAttribute>
    /// Whether any byte in the file was replaced so far.
    let mayHaveMarks: Bool

    /// Returns the unresolved value.
    func raw(_ attribute: MarkupAttribute) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafePointer(base) + Int(attribute.valueStart),
            count: Int(attribute.valueEnd - attribute.valueStart))
    }

    func name(_ attribute: MarkupAttribute) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafePointer(base) + Int(attribute.nameStart), count: Int(attribute.nameEnd - attribute.nameStart))
    }

    /// Whether a value contains replaced bytes.
    var haveMarks: Bool { mayHaveMarks && list.contains { raw($0).contains(MarkupCleaner.mark) } }
}

/// Resolves the references of a value inside its buffer: a reference is never shorter than its character.
enum MarkupReference {
    /// Replaces an invalid reference by a mark: a value must not lose a character silently.
    ///
    /// - Returns: the new length of the value.
    static func resolve(_ value: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var written = 0
        var offset = 0
        while offset < value.count {
            let byte = value[offset]
            offset += 1
            var character: Unicode.Scalar?
            if byte == UInt8(ascii: "&") {
                let rest = UnsafeMutableBufferPointer(rebasing: value[offset...].prefix(11))
                if let end = rest.firstIndex(of: UInt8(ascii: ";")) {
                    character = scalar(UnsafeBufferPointer(rebasing: rest[..<end]))
                    offset += end + 1
                }
                character = character ?? Unicode.Scalar(MarkupCleaner.mark)
            }
            guard let character else {
                value[written] = byte
                written += 1
                continue
            }
            for unit in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter {
                value[written] = unit
                written += 1
            }
        }
        return written
    }

    /// Returns the character of a reference: one of XML's five names, or `#10`, `#xA` for a character that XML permits.
    private static func scalar(_ name: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        for (word, scalar) in named where name.elementsEqual(word) { return scalar }
        guard name.first == UInt8(ascii: "#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        let text = String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self)
        guard text.first != "+", text.first != "-", let value = UInt32(text, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(value), value >= 0x20 && value != 0x7F || [0x09, 0x0A, 0x0D].contains(value),
            value != 0xFFFE, value != 0xFFFF
        else { return nil }
        return scalar
    }

    private static let named: [(StaticString, Unicode.Scalar)] = [
        ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"),
    ]
}

extension UnsafeBufferPointer<UInt8> {
    func elementsEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }
}
