import Foundation

extension JSON {
    /// The value in the canonical form of RFC 8785: no white space, members sorted by the UTF-16 units of their names,
    /// strings with the fewest escapes, numbers as ECMAScript writes them. Equal values have equal bytes, so that they
    /// can be signed or compared by a digest (<https://www.rfc-editor.org/rfc/rfc8785>).
    ///
    /// Numbers are IEEE 754 doubles, as RFC 8785 requires. A number outside of their range keeps its own text.
    public func canonicalData() -> Data {
        var bytes: [UInt8] = []
        Self.write(self, to: &bytes)
        return Data(bytes)
    }

    private static func write(_ value: JSON, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let number): bytes += CanonicalNumber.text(number).utf8
        case .string(let text): write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            let members = object.members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                write(member.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0..<0x20: bytes += "\\u00\(Hexadecimal.text([byte]))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// A number as `Number.prototype.toString` of ECMAScript writes it (RFC 8785 section 3.2.2.3).
private enum CanonicalNumber {
    static func text(_ number: JSONNumber) -> String {
        guard let value = Double(number.text), value.isFinite else { return number.text }
        if value == 0 { return "0" }
        // Swift's description has the fewest digits that read back as the same number, as ECMAScript requires.
        let parts = value.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let whole = mantissa[0]
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        var digits = Substring(whole + fraction)
        // Number of digits before the decimal point.
        var point = whole.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        let zeros = digits.prefix { $0 == "0" }.count
        digits = digits.dropFirst(zeros)
        point -= zeros
        while digits.last == "0" { digits = digits.dropLast() }
        return (value < 0 ? "-" : "") + written(digits, point: point)
    }

    private static func written(_ digits: Substring, point: Int) -> String {
        let count = digits.count
        if count <= point, point <= 21 { return digits + String(repeating: "0", count: point - count) }
        if 0 < point, point <= 21 { return digits.prefix(point) + "." + digits.dropFirst(point) }
        if -6 < point, point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        let exponent = point - 1
        let mantissa = count == 1 ? String(digits) : "\(digits.prefix(1)).\(digits.dropFirst())"
        return "\(mantissa)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
}
