extension UnitParser {
    /// Returns the error for a missing unit.
    func missingUnit(at offset: Int) -> UCUMError {
        let message =
            if offset == 0 {
                "A unit is required before this character."
            } else if offset >= bytes.count {
                "The unit ends where another unit must follow; add it or remove the last character."
            } else if bytes[offset] == UInt8(ascii: "/"), bytes[offset - 1] == UInt8(ascii: "(") {
                "A term in parentheses cannot begin with /; write (1/…) instead."
            } else {
                "A unit is missing before this character."
            }
        return UCUMError(code: "missing-unit", offset: offset, message: message)
    }

    /// Returns the error for a byte that is not allowed after a component or instead of one.
    func unexpectedByte(at offset: Int) -> UCUMError {
        let byte = bytes[offset]
        let isAfterUnit = offset > 0
        switch byte {
        case UInt8(ascii: ")"):
            return UCUMError(
                code: "unexpected-parenthesis", offset: offset,
                message: "There is no parenthesis that this one could close; remove it.")
        case UInt8(ascii: "{") where isAfterUnit:
            return UCUMError(
                code: "invalid-annotation", offset: offset,
                message: "Only one annotation may follow a unit; write both into one, as in {a_b}.")
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            let (name, opening) = byte == UInt8(ascii: "]") ? ("bracket", "[") : ("brace", "{")
            return UCUMError(
                code: "unexpected-character", offset: offset,
                message: "There is no \(opening) that this \(name) could close; remove it.")
        case 0x20, 0x09, 0x0A, 0x0D:
            return UCUMError(
                code: "unexpected-character", offset: offset,
                message: "A unit has no spaces; multiply with . and divide with /.")
        case _ where isAfterUnit && (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte.isDigit):
            return UCUMError(
                code: "invalid-exponent", offset: offset,
                message: "An exponent may only follow the symbol of a unit, before its annotation.")
        case 0x21...0x7E where isAfterUnit && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\""):
            return UCUMError(
                code: "missing-operator", offset: offset,
                message: "A . or / is missing before this character.")
        case 0x21...0x7E:
            return UCUMError(
                code: "unexpected-character", offset: offset, message: "A unit cannot contain this character here.")
        default:
            return UCUMError(
                code: "unexpected-character", offset: offset,
                message: "A unit is written with ASCII characters; \(Self.replacement(for: bytes, at: offset)).")
        }
    }

    /// Returns the ASCII spelling of a non-ASCII character that is common in units.
    private static func replacement(for bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> String {
        let rest = UnsafeBufferPointer(rebasing: bytes[offset..<min(offset + 8, bytes.count)])
        switch String(decoding: rest, as: UTF8.self).unicodeScalars.first {
        case "\u{B5}", "\u{3BC}": return "write u for micro"
        case "°": return "write Cel, [degF] or deg"
        case "\u{3A9}", "\u{2126}": return "write Ohm"
        case "²": return "write the exponent as 2"
        case "³": return "write the exponent as 3"
        case "·", "⋅", "×", "∙": return "multiply with ."
        case "\u{C5}", "\u{212B}": return "write Ao"
        case "‰": return "write [ppth]"
        default: return "remove this one"
        }
    }

    /// Returns the error for a symbol that is neither a unit nor a prefix with a metric unit.
    func unknown(_ symbol: String, at offset: Int) -> UCUMError {
        for (prefix, rest) in UCUMTable.splits(symbol) where table.prefix(prefix) != nil {
            if let atom = table.atom(rest), !table.atoms[atom].isMetric {
                return UCUMError(
                    code: "not-metric", offset: offset,
                    message: "\(rest) is not a metric unit and allows no prefix; remove the \(prefix).")
            }
        }
        let digits = symbol.utf8.prefix(while: \.isDigit).count
        if digits > 0, table.lookUp(String(symbol.utf8.dropFirst(digits)) ?? "") != nil {
            let number = symbol.prefix(digits)
            return UCUMError(
                code: "unknown-unit", offset: offset,
                message: "A . is missing between the number and the unit; write \(number).\(symbol.dropFirst(digits)).")
        }
        let shown = symbol.utf8.count > 40 ? "\(symbol.prefix(40))…" : symbol
        let advice = UCUMSuggestion.code(for: symbol).map { "; did you mean \($0)?" } ?? "."
        return UCUMError(code: "unknown-unit", offset: offset, message: "\(shown) is no unit of UCUM\(advice)")
    }
}
