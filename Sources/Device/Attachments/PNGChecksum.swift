/// PNG's checksum of a chunk, the CRC of ISO 3309 (<https://www.w3.org/TR/png-3/#5CRC-algorithm>). zlib provides it
/// too, but is not available as a module in an iOS app's build.
enum PNGChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func of(_ bytes: some Collection<UInt8>) -> Int {
        let table = table
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
        return Int(value ^ 0xFFFF_FFFF)
    }
}
