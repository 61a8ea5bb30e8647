#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The receiver of the events that the scanner reports.
protocol MarkupEvents {
    /// Whether nothing that follows is looked at.
    var isFinished: Bool { get }
    /// A tag begins an element. The attributes are valid during the call only.
    ///
    /// - Parameter isEmpty: whether the same tag ends it.
    mutating func begin(_ element: ExportElement, _ attributes: MarkupAttributes, isEmpty: Bool)
    /// A tag of its own ends an element: the one that was begun last, or one of those around it.
    mutating func end(_ element: ExportElement)
    /// The markup is not well-formed here. Whatever can be read still is.
    mutating func problem()
}

/// An attribute by its places in the buffer. Buffers are smaller than 2 GiB.
struct MarkupAttribute {
    var nameStart: Int32
    var nameEnd: Int32
    var valueStart: Int32
    var valueEnd: Int32
    /// The attribute, where it is one that is read; -1 for others.
    var known: Int32
    /// Whether the value holds an `&`.
    var hasReferences: Bool
}

/// The attributes of one tag.
struct MarkupAttributes {
    /// The buffer. References are resolved in it where a value that has some is read.
    let base: UnsafeMutablePointer<UInt8>
    let list: UnsafeBufferPointer<MarkupAttribute>
    /// Whether anything was replaced in the file so far.
    let mayHaveMarks: Bool

    /// The value as it stands in the file.
    func raw(_ attribute: MarkupAttribute) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafePointer(base) + Int(attribute.valueStart),
            count: Int(attribute.valueEnd - attribute.valueStart))
    }

    func name(_ attribute: MarkupAttribute) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafePointer(base) + Int(attribute.nameStart), count: Int(attribute.nameEnd - attribute.nameStart))
    }

    /// Whether a value holds what had to be replaced.
    var haveMarks: Bool { mayHaveMarks && list.contains { raw($0).contains(MarkupCleaner.mark) } }
}

/// Resolves the references inside a value, in place: what a reference stands for is never longer than it.
enum MarkupReference {
    /// One that means nothing becomes a mark: no value that is read may have silently lost a character.
    ///
    /// - Returns: the length of the value that remains.
    static func resolve(_ value: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var written = 0
        var place = 0
        while place < value.count {
            let byte = value[place]
            place += 1
            var character: Unicode.Scalar?
            if byte == UInt8(ascii: "&") {
                let rest = UnsafeMutableBufferPointer(rebasing: value[place...].prefix(11))
                if let end = rest.firstIndex(of: UInt8(ascii: ";")) {
                    character = scalar(UnsafeBufferPointer(rebasing: rest[..<end]))
                    place += end + 1
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

    /// Returns the character that a reference means: one of XML's five names, or `#10`, `#xA` for a character that XML
    /// allows.
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
