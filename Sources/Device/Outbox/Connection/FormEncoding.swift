/// Percent-encoding without surprises: what each function leaves alone is listed here, not in a library's table.
enum FormEncoding {
    /// A value as `application/x-www-form-urlencoded` has it (WHATWG URL section 5.2): a space becomes `+`.
    static func encode(_ text: String) -> String {
        encode(text, keeping: "*-._", space: "+")
    }

    /// A path segment or query value (RFC 3986 section 2.3: only unreserved characters stay).
    static func percentEncode(_ text: String) -> String {
        encode(text, keeping: "-._~", space: "%20")
    }

    private static func encode(_ text: String, keeping: String, space: String) -> String {
        let hex = Array("0123456789ABCDEF")
        var output = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: output.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: output += space
            default:
                if keeping.utf8.contains(byte) {
                    output.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    output += "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
                }
            }
        }
        return output
    }
}
