extension PatternParser {
    // MARK: Escapes

    /// Parses an escape outside of brackets.
    mutating func escape() throws(JSONPathError) -> PatternNode {
        guard position + 1 < units.count else { throw Self.failure("a backslash is at the end") }
        let letter = units[position + 1]
        switch letter {
        case UInt16(ascii: "A"), UInt16(ascii: "G"): return assertion(.textStart)
        case UInt16(ascii: "z"): return assertion(.textEnd)
        case UInt16(ascii: "Z"): return assertion(.lastLineEnd)
        case UInt16(ascii: "b"): return assertion(.wordBoundary)
        case UInt16(ascii: "B"): return assertion(.noWordBoundary)
        case UInt16(ascii: "k"), 0x31...0x39: throw Self.refusal("a reference to a group")
        default: break
        }
        switch try escaped() {
        case .range(let range) where range.count == 1: return set(range.lowerBound)
        case let item: return .set(PatternSet([item], ignoresCase: options.ignoresCase))
        }
    }

    private mutating func assertion(_ assertion: JSONPathPattern.Assertion) -> PatternNode {
        position += 2
        return .assertion(assertion)
    }

    /// Parses an escape that is valid inside and outside of brackets.
    private mutating func escaped() throws(JSONPathError) -> PatternSet.Item {
        guard position + 1 < units.count else { throw Self.failure("a backslash is at the end") }
        let letter = units[position + 1]
        position += 2
        if let unit = Self.controls[letter] { return .range(unit...unit) }
        switch letter {
        case UInt16(ascii: "d"): return .digit
        case UInt16(ascii: "D"): return .not(.digit)
        case UInt16(ascii: "w"): return .word
        case UInt16(ascii: "W"): return .not(.word)
        case UInt16(ascii: "s"): return .space
        case UInt16(ascii: "S"): return .not(.space)
        case UInt16(ascii: "p"): return try category()
        case UInt16(ascii: "P"): return .not(try category())
        case UInt16(ascii: "x"): return try unit(digits: 2)
        case UInt16(ascii: "u"): return try unit(digits: 4)
        case UInt16(ascii: "c"):
            guard let unit, let upper = Unicode.Scalar(unit & ~0x20), ("@"..."_").contains(upper) else {
                throw Self.failure("there is no such control character")
            }
            position += 1
            let control = UInt16(upper.value) - 64
            return .range(control...control)
        case 0x30...0x37: return octal(from: letter)
        default:
            // An unknown escape of a letter or digit is an error; every other character represents itself.
            guard !PatternSet.isWord(letter) || letter == UInt16(ascii: "_") else {
                throw Self.failure("there is no such escape")
            }
            return .range(letter...letter)
        }
    }

    private static let controls: [UInt16: UInt16] = [
        UInt16(ascii: "t"): 9, UInt16(ascii: "n"): 10, UInt16(ascii: "v"): 11, UInt16(ascii: "f"): 12,
        UInt16(ascii: "r"): 13, UInt16(ascii: "a"): 7, UInt16(ascii: "e"): 27,
    ]

    private mutating func unit(digits count: Int) throws(JSONPathError) -> PatternSet.Item {
        var value: UInt16 = 0
        for _ in 0..<count {
            guard let unit, let scalar = Unicode.Scalar(unit), scalar.isASCII,
                let digit = Character(scalar).hexDigitValue
            else { throw Self.failure("an escape has too few hexadecimal digits") }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return .range(value...value)
    }

    private mutating func octal(from first: UInt16) -> PatternSet.Item {
        var value = first - 0x30
        for _ in 0..<2 {
            guard let unit, (0x30...0x37).contains(unit) else { break }
            value = value << 3 | (unit - 0x30)
            position += 1
        }
        value &= 0xFF
        return .range(value...value)
    }

    private mutating func category() throws(JSONPathError) -> PatternSet.Item {
        guard take("{"), let end = units[position...].firstIndex(of: UInt16(ascii: "}")) else {
            throw Self.failure("a category must be between braces")
        }
        let name = String(decoding: units[position..<end], as: UTF16.self)
        guard PatternSet.Item.categories.contains(name) else { throw Self.refusal("a category or block by its name") }
        position = end + 1
        return .category(name)
    }

    // MARK: Brackets

    /// Parses a set in brackets: units, ranges, escapes, and at its end a set that is subtracted.
    mutating func bracket(_ nesting: Int = 1) throws(JSONPathError) -> PatternSet {
        guard nesting <= 10 else { throw Self.refusal("more than ten nested sets") }
        position += 1
        var set = PatternSet([], ignoresCase: options.ignoresCase)
        if take("^") { set.isNegated = true }
        var isFirst = true
        while let unit {
            if unit == UInt16(ascii: "]"), !isFirst {
                position += 1
                return set
            }
            if !isFirst, unit == UInt16(ascii: "-"), units[position...].starts(with: "-[".utf16) {
                position += 1
                set.without.append(try bracket(nesting + 1))
                guard self.unit == UInt16(ascii: "]") else {
                    throw Self.failure("a set continues after a subtracted set")
                }
                continue
            }
            isFirst = false
            let item = try bracketItem()
            if case .range(let low) = item, low.count == 1, self.unit == UInt16(ascii: "-"),
                position + 1 < units.count, units[position + 1] != UInt16(ascii: "]"),
                units[position + 1] != UInt16(ascii: "[")
            {
                position += 1
                guard case .range(let high) = try bracketItem(), high.count == 1, low.lowerBound <= high.lowerBound
                else {
                    throw Self.failure("a range's bounds are in the wrong order or not characters")
                }
                set.items.append(.range(low.lowerBound...high.lowerBound))
            } else {
                set.items.append(item)
            }
        }
        throw Self.failure("a bracket is not closed")
    }

    private mutating func bracketItem() throws(JSONPathError) -> PatternSet.Item {
        guard let unit else { throw Self.failure("a bracket is not closed") }
        if unit == UInt16(ascii: "\\") {
            if position + 1 < units.count, units[position + 1] == UInt16(ascii: "b") {
                position += 2
                return .range(8...8)
            }
            return try escaped()
        }
        position += 1
        return .range(unit...unit)
    }
}
