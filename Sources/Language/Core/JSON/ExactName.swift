/// A member's name that equals another only if both have the same code points.
///
/// Swift compares strings by canonical equivalence (Unicode); JSON compares names by code points.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(text: String) { self.text = text }

    package static func == (left: ExactName, right: ExactName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// ``mark(of:)`` of the name's bytes.
    var mark: UInt64 {
        var text = text
        return text.withUTF8 { ExactName.mark(of: $0[...]) }
    }

    /// Returns a number that is equal for equal names and nearly always different for different names.
    @inline(__always)
    static func mark(of bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64 {
        var mark = UInt64(bytes.count)
        var index = 0
        let raw = UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(bytes.base)[bytes.startIndex..<bytes.endIndex])
        while index + 8 <= raw.count {
            mark = (mark ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            mark ^= mark >> 29
            index += 8
        }
        while index < raw.count {
            mark = (mark ^ UInt64(raw[index])) &* 0x0000_0100_0000_01B3
            index += 1
        }
        return mark
    }
}
