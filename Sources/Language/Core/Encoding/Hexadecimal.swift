/// Bytes as pairs of hexadecimal digits (RFC 4648, section 8).
public enum Hexadecimal {
    /// Returns the digits of bytes, in lower case.
    @inlinable public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the 16 digits of a word, in lower case.
    public static func text(_ word: UInt64) -> String {
        text((0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) })
    }

    /// Returns the bytes of hexadecimal digits in either case; nil for an odd number of digits or any other character.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Returns the value of an ASCII digit, 0 to 15; nil for another character.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// Writes the 16 digits of a number, eight digits at a time: one digit in each byte of a word.
    ///
    /// - Parameter isUppercase: whether digits above nine are in upper case.
    public static func write(
        _ number: UInt64, to start: UnsafeMutablePointer<UInt8>, isUppercase: Bool = false
    ) {
        let letters: UInt64 = isUppercase ? 0x07 : 0x27
        UnsafeMutableRawPointer(start).storeBytes(of: digits(UInt32(number >> 32), letters).bigEndian, as: UInt64.self)
        UnsafeMutableRawPointer(start + 8).storeBytes(
            of: digits(UInt32(truncatingIfNeeded: number), letters).bigEndian, as: UInt64.self)
    }

    /// The eight digits of a number, the first one in the highest byte.
    private static func digits(_ value: UInt32, _ letters: UInt64) -> UInt64 {
        // 1. Moves each group of four bits to a byte of its own.
        var spread = UInt64(value)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 2. Turns the digits above nine into letters.
        let isLetter = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ isLetter &* letters
    }

    @inlinable static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
    }

    @inlinable static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
