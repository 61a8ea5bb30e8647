import Core

/// Parses HealthKit's unit strings.
///
///     unit    = "" | nothing | product ["/" product] | [product mult] "1/" product
///     nothing = "(" [nothing] ")"
///     product = term *(mult term)
///     term    = (atom | "(" product ")") ["^" ["-"] digits]
///     mult    = "·" | "*" | "."
struct HealthKitUnitParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private typealias Factors = [HealthKitUnit.Factor]

    /// Returns the factors of a unit string.
    static func parse(_ text: String) throws(HealthKitUnitError) -> [HealthKitUnit.Factor] {
        guard text.utf8.count <= HealthKitUnitLimit.length else { throw .tooLong }
        var parser = HealthKitUnitParser(bytes: Array(text.utf8))
        return try parser.unit()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func unit() throws(HealthKitUnitError) -> Factors {
        if isNothing { return [] }
        var result: Factors = []
        var isReciprocal = false
        if startsReciprocal {
            position += 1
            isReciprocal = true
        } else {
            isReciprocal = try product(into: &result)
        }
        if isReciprocal || current == UInt8(ascii: "/") {
            position += 1
            var divisor: Factors = []
            try product(into: &divisor, isDivisor: true)
            multiply(&result, with: divisor, power: -1)
        }
        try finish()
        result.removeAll { $0.exponent == 0 }
        guard result.reduce(0, { $0 + abs($1.exponent) }) <= HealthKitUnitLimit.exponent else { throw tooLarge(at: 0) }
        return result
    }

    /// Whether the text is empty or consists only of nested parentheses.
    private var isNothing: Bool {
        bytes.count % 2 == 0 && bytes.count / 2 <= HealthKitUnitLimit.depth
            && bytes.prefix(bytes.count / 2).allSatisfy { $0 == UInt8(ascii: "(") }
            && bytes.suffix(bytes.count / 2).allSatisfy { $0 == UInt8(ascii: ")") }
    }

    /// Reads terms until something other than a multiplication follows. Returns true if that is the `1` of `m·1/s`.
    @discardableResult
    private mutating func product(
        into result: inout Factors, isDivisor: Bool = false
    ) throws(HealthKitUnitError) -> Bool {
        repeat {
            if !isDivisor, startsReciprocal {
                position += 1
                return true
            }
            multiply(&result, with: try term(), power: 1)
        } while takeMultiplication()
        return false
    }

    private mutating func term() throws(HealthKitUnitError) -> Factors {
        var result: Factors
        if current == UInt8(ascii: "(") {
            result = try group()
        } else {
            result = [HealthKitUnit.Factor(unit: try part(), exponent: 1)]
        }
        guard current == UInt8(ascii: "^") else { return result }
        let start = position
        position += 1
        let power = try exponent()
        if current == UInt8(ascii: "^") {
            throw error("repeated-exponent", "A power of a power needs parentheses: (m^2)^2.")
        }
        for index in result.indices {
            result[index].exponent *= power
            guard abs(result[index].exponent) <= HealthKitUnitLimit.exponent else { throw tooLarge(at: start) }
        }
        return result
    }

    private mutating func group() throws(HealthKitUnitError) -> Factors {
        let start = position
        guard depth < HealthKitUnitLimit.depth else {
            throw error("too-deep", "Parentheses exceed the maximum depth of \(HealthKitUnitLimit.depth).")
        }
        position += 1
        depth += 1
        var result: Factors = []
        try product(into: &result)
        guard current == UInt8(ascii: ")") else {
            if current == UInt8(ascii: "/") {
                throw error("nested-division", "Write the division outside of parentheses; a unit has only one.")
            }
            if current == nil { throw error("unclosed-parenthesis", "Close the parenthesis.", at: start) }
            throw unexpected
        }
        position += 1
        depth -= 1
        return result
    }

    private mutating func exponent() throws(HealthKitUnitError) -> Int {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = position
        var value = 0
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= HealthKitUnitLimit.exponent else { throw tooLarge(at: start) }
            position += 1
        }
        guard position > first else {
            throw error("invalid-exponent", "An exponent is a whole number: ^2 or ^-1.", at: start)
        }
        return isNegative ? -value : value
    }

    /// Reads an atom with its prefix, and the molar mass of a mole.
    private mutating func part() throws(HealthKitUnitError) -> HealthKitUnit.Part {
        let start = position
        while let byte = current, Self.isLetter(byte) { position += 1 }
        if position == start, current == UInt8(ascii: "%") { position += 1 }
        guard position > start else { throw missingUnit() }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let (index, prefix) = try Self.lookUp(name, at: start) else {
            throw error("unknown-unit", "HealthKit has no such unit.", at: start)
        }
        let mass = current == UInt8(ascii: "<") ? try molarMass(of: HealthKitAtom.all[index]) : nil
        return HealthKitUnit.Part(index: index, prefix: prefix, molarMass: mass)
    }

    private static func lookUp(
        _ name: String, at start: Int
    ) throws(HealthKitUnitError) -> (index: Int, prefix: HealthKitPrefix)? {
        if let index = HealthKitAtom.indexBySymbol[name] { return (index, .none) }
        var isPrefixed = false
        for prefix in HealthKitPrefix.allCases where prefix != .none && name.hasPrefix(prefix.rawValue) {
            guard let index = HealthKitAtom.indexBySymbol[String(name.dropFirst(prefix.rawValue.utf8.count))] else {
                continue
            }
            if HealthKitAtom.all[index].takesPrefix { return (index, prefix) }
            isPrefixed = true
        }
        guard isPrefixed else { return nil }
        throw HealthKitUnitError(
            code: "prefix-not-allowed", offset: start,
            message: "Only metric units (g, m, L, Pa, s, J, K, S, Hz, V, W, rad, lx, mol) take a prefix.")
    }

    private mutating func molarMass(of atom: HealthKitAtom) throws(HealthKitUnitError) -> HealthKitUnit.MolarMass {
        let start = position
        position += 1
        let first = position
        while let byte = current, byte != UInt8(ascii: ">") {
            guard byte == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            position += 1
        }
        let digits = bytes[first..<position]
        guard atom.symbol == "mol", current == UInt8(ascii: ">"), digits.count <= HealthKitUnitLimit.molarMass,
            digits.first != UInt8(ascii: "."), digits.last != UInt8(ascii: "."),
            let mass = ExactNumber(decimal: String(decoding: digits, as: UTF8.self)), !mass.isZero
        else {
            throw error(
                "invalid-molar-mass",
                "A mole, and nothing else, takes gram per mole in angle brackets: mol<180.15588>.",
                at: start)
        }
        position += 1
        return HealthKitUnit.MolarMass(grams: mass)
    }
}

extension HealthKitUnitParser {
    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Whether `1/` is next.
    private var startsReciprocal: Bool {
        current == UInt8(ascii: "1") && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "/")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private mutating func takeMultiplication() -> Bool {
        if current == UInt8(ascii: "*") || current == UInt8(ascii: ".") {
            position += 1
            return true
        }
        guard bytes[position...].starts(with: Self.middleDot) else { return false }
        position += Self.middleDot.count
        return true
    }

    private static let middleDot = Array("·".utf8)

    /// Multiplies by powers of factors. Each unit occurs once in the result.
    private func multiply(_ result: inout Factors, with factors: Factors, power: Int) {
        for factor in factors {
            let exponent = factor.exponent * power
            if let index = result.firstIndex(where: { $0.unit == factor.unit }) {
                result[index].exponent += exponent
            } else {
                result.append(HealthKitUnit.Factor(unit: factor.unit, exponent: exponent))
            }
        }
    }

    /// Throws the error that describes the text after the unit, if there is any.
    private func finish() throws(HealthKitUnitError) {
        switch current {
        case nil: return
        case UInt8(ascii: "/"): throw error("second-division", "A unit has only one /, for all factors that follow.")
        case UInt8(ascii: ")"): throw error("unexpected-parenthesis", "There is no parenthesis to close.")
        default: throw unexpected
        }
    }

    /// Returns the error for a missing term.
    private func missingUnit() -> HealthKitUnitError {
        if bytes[position...].starts(with: Self.middleDot) { return error("missing-unit", "A unit is missing here.") }
        return switch current {
        case nil, UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "."), UInt8(ascii: "^"):
            error("missing-unit", "A unit is missing here.")
        case UInt8(ascii: ")"):
            depth > 0
                ? error("missing-unit", "A unit is missing here; () is only valid alone.")
                : error("unexpected-parenthesis", "There is no parenthesis to close.")
        default: unexpected
        }
    }

    private var unexpected: HealthKitUnitError {
        if let current, Self.isLetter(current) || current == UInt8(ascii: "(") || current == UInt8(ascii: "%") {
            return error("missing-operator", "Units are joined by ·, *, . or /.")
        }
        return error("unexpected-character", "This character is not valid here.")
    }

    private func tooLarge(at offset: Int) -> HealthKitUnitError {
        error(
            "too-large", "The sum of the exponents exceeds the limit of \(HealthKitUnitLimit.exponent).", at: offset)
    }

    private func error(_ code: String, _ message: String, at offset: Int? = nil) -> HealthKitUnitError {
        HealthKitUnitError(code: code, offset: offset ?? position, message: message)
    }
}
