import Foundation

/// Checks a TrueType file before a C library reads it, because libharu trusts the offsets in a font.
///
/// <https://learn.microsoft.com/typography/opentype/spec/otff>
enum TrueTypeFile {
    /// The tables that libharu needs.
    private static let required: Set<String> = [
        "OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post",
    ]

    /// Returns whether every table is inside the file and has the right checksum, and no required table is missing.
    static func isWhole(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            guard bytes.count >= 12, [0x0001_0000, 0x7472_7565].contains(number(bytes, 0)) else { return false }
            let count = Int(number(bytes, 4) >> 16)
            guard bytes.count >= 12 + count * 16 else { return false }
            var names: Set<String> = []
            for index in 0..<count {
                let record = 12 + index * 16
                let name = String(decoding: bytes[record..<(record + 4)], as: UTF8.self)
                let offset = Int(number(bytes, record + 8))
                let length = Int(number(bytes, record + 12))
                guard offset <= bytes.count, length <= bytes.count - offset,
                    sum(bytes, offset: offset, length: length, isHead: name == "head") == number(bytes, record + 4)
                else { return false }
                names.insert(name)
            }
            return names.isSuperset(of: required)
        }
    }

    /// Returns the sum of a table's 32-bit words; the adjustment inside `head` is treated as 0.
    private static func sum(_ bytes: UnsafeRawBufferPointer, offset: Int, length: Int, isHead: Bool) -> UInt32 {
        var sum: UInt32 = 0
        var relativeOffset = 0
        while relativeOffset < length {
            if !isHead || relativeOffset != 8 {
                if relativeOffset + 4 <= length {
                    sum &+= number(bytes, offset + relativeOffset)
                } else {
                    for rest in 0..<(length - relativeOffset) {
                        sum &+= UInt32(bytes[offset + relativeOffset + rest]) << UInt32(24 - rest * 8)
                    }
                }
            }
            relativeOffset += 4
        }
        return sum
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
