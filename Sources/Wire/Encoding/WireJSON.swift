/// A JSON value as envelopes and keys need it: strict, small, with numbers as they were written.
///
/// Own reader for two reasons: a name given twice must be refused (RFC 7516 section 4 allows no second meaning of a
/// header), and `true` must never pass for the number 1.
enum WireJSON: Sendable, Equatable {
    case object([Member])
    case array([WireJSON])
    case string(String)
    /// The digits as written.
    case number(String)
    case boolean(Bool)
    case null

    struct Member: Sendable, Equatable {
        let name: String
        let value: WireJSON
    }

    /// The members of an object, `nil` for anything else.
    var members: [Member]? {
        if case .object(let members) = self { return members }
        return nil
    }

    /// The value of an object's member.
    subscript(name: String) -> WireJSON? {
        members?.first { $0.name == name }?.value
    }

    var string: String? {
        if case .string(let string) = self { return string }
        return nil
    }

    var array: [WireJSON]? {
        if case .array(let array) = self { return array }
        return nil
    }

    /// A whole number written plainly (no fraction, no exponent) that fits.
    var integer: Int64? {
        if case .number(let digits) = self { return Int64(digits) }
        return nil
    }
}

extension WireJSON {
    /// The value as compact JSON text.
    var text: String {
        var output = ""
        write(to: &output)
        return output
    }

    private func write(to output: inout String) {
        switch self {
        case .object(let members):
            output.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(",") }
                Self.write(member.name, to: &output)
                output.append(":")
                member.value.write(to: &output)
            }
            output.append("}")
        case .array(let elements):
            output.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(",") }
                element.write(to: &output)
            }
            output.append("]")
        case .string(let string): Self.write(string, to: &output)
        case .number(let digits): output.append(digits)
        case .boolean(let value): output.append(value ? "true" : "false")
        case .null: output.append("null")
        }
    }

    private static func write(_ string: String, to output: inout String) {
        output.append("\"")
        if string.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
            for scalar in string.unicodeScalars {
                switch scalar.value {
                case 0x22: output.append("\\\"")
                case 0x5C: output.append("\\\\")
                case 0..<0x20:
                    let digits = String(scalar.value, radix: 16)
                    output.append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
                default: output.unicodeScalars.append(scalar)
                }
            }
        } else {
            output.append(string)
        }
        output.append("\"")
    }
}
