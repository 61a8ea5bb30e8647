extension String {
    /// The number of bytes that the text encodes in base64, found without decoding it; nil if it is not base64. White
    /// space is allowed (RFC 4648, section 4).
    package var base64ByteCount: Int? {
        var digits = 0
        var padding = 0
        for byte in utf8 {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "/"):
                guard padding == 0 else { return nil }
                digits += 1
            case UInt8(ascii: "="): padding += 1
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: return nil
            }
        }
        guard (digits + padding).isMultiple(of: 4), padding <= 2 else { return nil }
        return digits * 3 / 4
    }
}
