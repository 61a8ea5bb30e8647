/// Percent-encoding of path segments and query values (RFC 3986, section 2.1) and of forms
/// (`application/x-www-form-urlencoded`, WHATWG URL, section 5).
///
/// The bytes that are not encoded are listed here, not in a library's table.
public enum PercentEncoding {
    /// Returns a path segment or query value in which all characters but the unreserved ones are encoded (RFC 3986,
    /// section 2.3).
    public static func encode(_ text: String) -> String { encode(text, keeping: "-._~", space: "%20") }

    /// Returns a name or value of a form: a space becomes `+`.
    public static func encodeForm(_ text: String) -> String { encode(text, keeping: "*-._", space: "+") }

    /// Returns the decoded text; nil if a `%` is not followed by two digits or if the bytes are not UTF-8.
    public static func decode(_ text: some StringProtocol) -> String? { decode(text, plusIsSpace: false) }

    /// Returns the decoded name or value of a form: as ``decode(_:)``, and `+` is a space.
    public static func decodeForm(_ text: some StringProtocol) -> String? { decode(text, plusIsSpace: true) }

    /// Returns the names and values of a form or a query in their order; a name without `=` has the value "". Empty
    /// pairs are skipped. Returns nil if one of them is not validly encoded.
    public static func fields(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for pair in text.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decodeForm(parts[0]), let value = decodeForm(parts.count > 1 ? parts[1] : "") else {
                return nil
            }
            fields.append((name, value))
        }
        return fields
    }

    private static func encode(_ text: String, keeping: StaticString, space: StaticString) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: output.append(byte)
            case 0x20: space.withUTF8Buffer { output.append(contentsOf: $0) }
            case _ where keeping.withUTF8Buffer({ $0.contains(byte) }): output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 15] { output.append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10) }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = bytes.next().flatMap(Hexadecimal.value),
                    let low = bytes.next().flatMap(Hexadecimal.value)
                else { return nil }
                output.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: output.append(0x20)
            default: output.append(byte)
            }
        }
        return String(validUTF8: output)
    }
}
