import Testing

@testable import HealthData

@Suite struct UnitsNumberTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("12.50", "12.5"), ("-0.001", "-0.001"), ("1e3", "1000"), ("1.5E-3", "0.0015"),
        ("1e+2", "100"), ("123456789012345678901234567890", "123456789012345679000000000000"),
    ])
    func aDecimalIsReadExactlyAndRoundedOnlyWhenWritten(text: String, written: String) throws {
        let number = try #require(ExactRatio(decimal: text))
        #expect(number.plainText(digits: 18) == written)
    }

    @Test(arguments: ["", "-", ".", "1.2.3", "1e", "e5", "abc", "1 ", "+1", "1e99999", "--1", "NaN", "0x1"])
    func whatIsNoNumberIsNone(text: String) {
        #expect(ExactRatio(decimal: text) == nil)
    }

    @Test func divisionUndoesMultiplicationForNumbersOfAnySize() {
        var random = UnitsRandom.fresh("divisionUndoesMultiplicationForNumbersOfAnySize")
        for _ in 0..<500 {
            let first = Self.number(using: &random)
            let second = Self.number(using: &random) + .one
            let rest = Self.number(using: &random).quotientAndRemainder(dividingBy: second).remainder
            let (quotient, remainder) = (first * second + rest).quotientAndRemainder(dividingBy: second)
            #expect(quotient == first && remainder == rest, "seed \(random.seed)")
            #expect((first + rest) - rest == first, "seed \(random.seed)")
            #expect(WholeNumber(digits: first.decimalDigits.utf8) == first, "seed \(random.seed)")
            let divisor = WholeNumber.greatestCommonDivisor(first * second, rest * second)
            #expect(divisor.quotientAndRemainder(dividingBy: second).remainder.isZero, "seed \(random.seed)")
        }
    }

    /// Limbs at the edges are likelier than chance, for they make the long division guess wrong.
    private static func number(using random: inout UnitsRandom) -> WholeNumber {
        var number = WholeNumber.zero
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let limb = random.pick([0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, random.next() & 0xFFFF_FFFF])
            number = number * WholeNumber(0x1_0000_0000) + WholeNumber(limb)
        }
        return number
    }

    @Test func ratiosAreInLowestTerms() throws {
        let third = ExactRatio.one / ExactRatio(WholeNumber(3))
        #expect(third + third + third == .one)
        #expect(ExactRatio(WholeNumber(12), over: WholeNumber(30)) == ExactRatio(WholeNumber(4), exponent: -1))
        #expect((third * ExactRatio(WholeNumber(300))).powerOfTen == 2)
        #expect(third - third == .zero)
        #expect(third.power(-2) == ExactRatio(WholeNumber(9)))
        #expect((ExactRatio.one - ExactRatio(WholeNumber(2))).powerOfTen == nil)
        #expect(third.decimal == nil)
        #expect(third.rounded(toDigits: 3).digits == WholeNumber(333))
        #expect(third.double == 1.0 / 3)
    }

    @Test(arguments: [("2.5", "2"), ("3.5", "4"), ("2.51", "3"), ("-2.5", "-2"), ("0.25", "0.2"), ("99.9", "100")])
    func halvesAreRoundedToEven(text: String, rounded: String) throws {
        #expect(try #require(ExactRatio(decimal: text)).text(digits: rounded == "100" ? 2 : 1) == rounded)
    }

    @Test func numbersFarFromOneHaveAnExponent() throws {
        func text(_ decimal: String) -> String? { ExactRatio(decimal: decimal)?.text(digits: 18) }
        #expect(text("1e20") == "100000000000000000000")
        #expect(text("1e21") == "1e21")
        #expect(text("12e40") == "1.2e41")
        #expect(text("1e-18") == "0.000000000000000001")
        #expect(text("-1.5e-30") == "-1.5e-30")
    }
}
