extension UCUMUnit {
    /// The unit of a number without unit.
    public static let unity = UCUMUnit(code: "1", meaning: .one)

    /// Returns the product of two units, written as one: `cm` and `g` give `cm.g`, a unit with itself its square.
    /// - Throws: `special-unit` if one of them is special, and the parser's error if the result is too long.
    public func multiplied(by other: UCUMUnit) throws(UCUMError) -> UCUMUnit {
        try checkProper(other)
        if other.code == "1" { return self }
        if code == "1", !other.code.hasPrefix("/") { return other }
        if code == other.code, isPlainSymbol { return try UCUMUnit(code + "2") }
        // A term that begins with a solidus already divides the term before it.
        return try UCUMUnit(code + (other.code.hasPrefix("/") ? "" : ".") + other.code)
    }

    /// Returns the quotient of two units, written as one: `g` by `dL` gives `g/dL`, a unit by itself `1`.
    /// - Throws: as ``multiplied(by:)``.
    public func divided(by other: UCUMUnit) throws(UCUMError) -> UCUMUnit {
        try checkProper(other)
        if other.code == "1" { return self }
        if code == other.code { return .unity }
        let divisor =
            if other.code.hasPrefix("/") {
                "(1\(other.code))"
            } else if other.isProduct {
                "(\(other.code))"
            } else {
                other.code
            }
        return try UCUMUnit((code == "1" ? "" : code) + "/" + divisor)
    }

    private func checkProper(_ other: UCUMUnit) throws(UCUMError) {
        for unit in [self, other] where unit.isSpecial {
            throw UCUMError(
                code: "special-unit", offset: nil,
                message: "\(unit.code) is a special unit, which cannot be multiplied or divided; "
                    + "convert it to \(unit.baseUnit) first.")
        }
    }

    /// Whether the code is one symbol without exponent or annotation.
    private var isPlainSymbol: Bool { UCUMTable.shared.lookUp(code) != nil }

    /// Whether there is an operator outside of brackets and annotations.
    private var isProduct: Bool {
        var isQuoted = false
        for byte in code.utf8 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): isQuoted = true
            case UInt8(ascii: "]"), UInt8(ascii: "}"): isQuoted = false
            case UInt8(ascii: "."), UInt8(ascii: "/"): if !isQuoted { return true }
            default: break
            }
        }
        return false
    }
}
