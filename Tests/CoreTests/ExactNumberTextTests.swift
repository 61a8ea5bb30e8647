import Core
import TestSupport
import Testing

@Suite struct ExactNumberTextTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("12.50", "12.5"), ("-0.001", "-0.001"), ("1e3", "1000"), ("1.5E-3", "0.0015"),
        ("1e+2", "100"), ("123456789012345678901234567890", "1.23456789012345679e29"),
    ])
    func aDecimalIsReadExactlyAndRoundedOnlyWhenWritten(text: String, written: String) throws {
        let number = try #require(ExactNumber(decimal: text))
        #expect(number.text(digits: 18) == written)
    }

    @Test(arguments: ["", "-", ".", "1.2.3", "1e", "e5", "abc", "1 ", "+1", "1e99999", "--1", "NaN", "0x1"])
    func invalidNumbersAreRefused(text: String) {
        #expect(ExactNumber(decimal: text) == nil)
    }

    @Test func limitsOfDigitsAndExponentsAreKept() {
        #expect(ExactNumber(decimal: "12345", digitLimit: 5) != nil)
        #expect(ExactNumber(decimal: "-1.2345", digitLimit: 5) != nil)
        #expect(ExactNumber(decimal: "123456", digitLimit: 5) == nil)
        #expect(ExactNumber(decimal: "1e1000", exponentLimit: 1000) != nil)
        #expect(ExactNumber(decimal: "1e-1001", exponentLimit: 1000) == nil)
    }

    /// For each way of conversion.
    @Test func theFloatingPointNumberIsTheNearest() throws {
        var random = Seeded.fresh()
        for _ in 0..<20_000 {
            let digits = String(UInt64.random(in: 0...(.max), using: &random)).prefix(
                Int.random(in: 1...20, using: &random))
            let text =
                (Bool.random(using: &random) ? "-" : "") + digits + "e\(Int.random(in: -40...40, using: &random))"
            let number = try #require(ExactNumber(decimal: text))
            #expect(number.double == Double(text), "\(text)")
        }
        #expect(ExactNumber(decimal: "-0")?.double.sign == .plus)
    }

    @Test func reducedNumbersAreInLowestTerms() throws {
        let third = ExactNumber.one / ExactNumber(3)
        #expect(third + third + third == .one)
        #expect(
            ExactNumber(numerator: Natural(12), denominator: Natural(30))
                == ExactNumber(numerator: Natural(4), exponent: -1))
        #expect((third * ExactNumber(300)).powerOfTen == 2)
        #expect(third - third == .zero)
        #expect(third.power(-2) == ExactNumber(9))
        #expect((ExactNumber.one - ExactNumber(2)).powerOfTen == nil)
        #expect(third.exactDecimal == nil)
        #expect(third.rounded(toDigits: 3).digits == Natural(333))
        #expect(third.double == 1.0 / 3)
        for (number, pieces) in [
            (ExactNumber(numerator: Natural(3), denominator: Natural(40)), ("75", "1", -3)),
            (ExactNumber(numerator: Natural(700), denominator: Natural(6)), ("35", "3", 1)),
            (ExactNumber(numerator: Natural(20), exponent: -1), ("2", "1", 0)),
        ] {
            let reduced = number.reduced
            #expect(reduced.numerator.decimalDigits == pieces.0 && reduced.denominator.decimalDigits == pieces.1)
            #expect(reduced.exponent == pieces.2)
            #expect(reduced.hashValue == number.hashValue && reduced == number)
        }
    }

    @Test(arguments: [("2.5", "2"), ("3.5", "4"), ("2.51", "3"), ("-2.5", "-2"), ("0.25", "0.2"), ("99.9", "100")])
    func halvesAreRoundedToEven(text: String, rounded: String) throws {
        #expect(try #require(ExactNumber(decimal: text)).text(digits: rounded == "100" ? 2 : 1) == rounded)
    }

    @Test func numbersFarFromOneHaveAnExponent() throws {
        func text(_ decimal: String) -> String? { ExactNumber(decimal: decimal)?.text(digits: 18) }
        #expect(text("1e20") == "100000000000000000000")
        #expect(text("1e21") == "1e21")
        #expect(text("12e40") == "1.2e41")
        #expect(text("1e-18") == "0.000000000000000001")
        #expect(text("-1.5e-30") == "-1.5e-30")
    }
}
