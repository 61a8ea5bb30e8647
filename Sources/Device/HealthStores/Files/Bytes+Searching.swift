#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension UnsafeBufferPointer<UInt8> {
    func isEqual(to other: [UInt8]) -> Bool {
        guard count == other.count, let start = baseAddress else { return count == other.count }
        return other.withUnsafeBytes { $0.baseAddress.map { memcmp(start, $0, count) == 0 } ?? true }
    }

    func offset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
}

extension ArraySlice<UInt8> {
    /// Returns the index after the first occurrence of bytes. It searches for the rarest of them.
    func end(of bytes: [UInt8]) -> Int? {
        guard let sign = bytes.indices.max(by: { Self.rarity(bytes[$0]) < Self.rarity(bytes[$1]) }) else {
            return startIndex
        }
        return withUnsafeBytes { content in
            guard let base = content.baseAddress else { return nil }
            // The possible offsets of the rarest byte, with the bytes before and after it in range.
            var offset = sign
            let last = content.count - bytes.count + sign
            while offset <= last {
                guard let found = memchr(base + offset, Int32(bytes[sign]), last - offset + 1) else { return nil }
                offset = UnsafeRawPointer(found) - base
                if memcmp(base + offset - sign, bytes, bytes.count) == 0 {
                    return startIndex + offset - sign + bytes.count
                }
                offset += 1
            }
            return nil
        }
    }

    /// Returns an estimate of how rare a byte is in texts such as a journal's. A wrong estimate only costs time.
    private static func rarity(_ byte: UInt8) -> Int {
        switch byte {
        case 0x41...0x5A: 4
        case UInt8(ascii: "j"), UInt8(ascii: "q"), UInt8(ascii: "x"), UInt8(ascii: "y"), UInt8(ascii: "z"): 3
        case 0x61...0x7A: 2
        case 0x30...0x39: 1
        default: 0
        }
    }

    func contains(byte: UInt8) -> Bool { withUnsafeBufferPointer { $0.offset(of: byte) } != nil }
}
