import Foundation
import TestSupport
import Testing

@testable import Core

@Suite struct ExactNumberTests {
    @Test func divisionUndoesMultiplication() {
        var random = Seeded.fresh("divisionUndoesMultiplication")
        for _ in 0..<3_000 {
            let divisor = random.natural(words: 1...6)
            let quotient = random.natural(words: 0...6)
            guard !divisor.isZero else { continue }
            let remainder = random.natural(words: 0...6).quotientAndRemainder(dividingBy: divisor).remainder
            #expect(remainder < divisor, "seed \(random.seed)")
            let (q, r) = (quotient * divisor + remainder).quotientAndRemainder(dividingBy: divisor)
            #expect(q == quotient && r == remainder, "seed \(random.seed)")
        }
    }

    @Test func subtractionUndoesAddition() {
        var random = Seeded.fresh("subtractionUndoesAddition")
        for _ in 0..<2_000 {
            let first = random.natural(words: 0...5)
            let second = random.natural(words: 0...5)
            #expect((first + second) - second == first, "seed \(random.seed)")
            #expect(first + second == second + first, "seed \(random.seed)")
            #expect(first * second == second * first, "seed \(random.seed)")
            #expect((first < second) == !(second < first || first == second), "seed \(random.seed)")
        }
    }

    @Test func digitsAreReadBack() throws {
        var random = Seeded.fresh("digitsAreReadBack")
        for _ in 0..<500 {
            let number = random.natural(words: 0...8)
            let digits = number.decimalDigits
            #expect(Natural(digits: digits.utf8) == number, "seed \(random.seed)")
            #expect(digits == "0" || digits.first != "0", "seed \(random.seed)")
        }
        #expect(Natural(2).power(200).decimalDigits == "1606938044258990275541962092341162602522202993782792835301376")
        #expect(Natural(digits: "12a".utf8) == nil)
        #expect(Natural(digits: "".utf8) == nil)
    }

    @Test func theGreatestCommonDivisorDividesBoth() {
        var random = Seeded.fresh("theGreatestCommonDivisorDividesBoth")
        for _ in 0..<300 {
            let common = random.natural(words: 1...2)
            let first = random.natural(words: 1...3) * common
            let second = random.natural(words: 1...3) * common
            guard !first.isZero, !second.isZero else { continue }
            let divisor = Natural.greatestCommonDivisor(first, second)
            #expect(divisor.quotientAndRemainder(dividingBy: common).remainder.isZero, "seed \(random.seed)")
            #expect(first.quotientAndRemainder(dividingBy: divisor).remainder.isZero, "seed \(random.seed)")
            #expect(second.quotientAndRemainder(dividingBy: divisor).remainder.isZero, "seed \(random.seed)")
        }
    }

    @Test func decimalsAreReadAndWrittenExactly() throws {
        var random = Seeded.fresh("decimalsAreReadAndWrittenExactly")
        for _ in 0..<2_000 {
            let length = Int.random(in: 1...38, using: &random)
            let digits = random.natural(words: 1...2).quotientAndRemainder(dividingBy: .powerOfTen(length)).remainder
            let exponent = Int.random(in: -120...80, using: &random)
            let sign = Bool.random(using: &random) ? "-" : ""
            let text = "\(sign)\(digits.decimalDigits)e\(exponent)"
            let decimal = try #require(Decimal(string: text))
            let number = try #require(ExactNumber(decimal))
            #expect(try #require(ExactNumber(decimal: text)) == number, "\(text), seed \(random.seed)")
            #expect(number.decimal == decimal, "\(text), seed \(random.seed)")
        }
    }

    @Test(arguments: [
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("123456789012345678901234567890123456785", "123456789012345678901234567890123456780"),
        ("123456789012345678901234567890123456775", "123456789012345678901234567890123456780"),
        ("1234567890123456789012345678901234567850", "1234567890123456789012345678901234567800"),
        ("1234567890123456789012345678901234567851", "1234567890123456789012345678901234567900"),
        ("99999999999999999999999999999999999999.5", "100000000000000000000000000000000000000"),
        ("-0.999999999999999999999999999999999999996", "-1"), ("1e-128", "1e-128"), ("15e-129", "2e-128"),
        ("25e-129", "2e-128"), ("9e127", "9e127"), ("1e128", nil), ("1e-130", nil), ("5e-4", "0.0005"), ("-0", "0"),
    ])
    func resultsAreRoundedHalfToEven(text: String, expected: String?) throws {
        let decimal = try #require(ExactNumber(decimal: text)).decimal
        #expect(decimal == expected.flatMap { Decimal(string: $0) }, "\(String(describing: decimal))")
    }

    @Test func theLargestDecimalsSurvive() throws {
        for text in ["99999999999999999999999999999999999999e127", "1e127", "-7e127"] {
            let decimal = try #require(ExactNumber(decimal: text)?.decimal, "\(text)")
            #expect(try #require(ExactNumber(decimal)) == #require(ExactNumber(decimal: text)), "\(text)")
        }
    }

    @Test func rationalNumbersObeyTheirLaws() throws {
        var random = Seeded.fresh("rationalNumbersObeyTheirLaws")
        for _ in 0..<500 {
            let (a, b, c) = (random.exactNumber(), random.exactNumber(), random.exactNumber())
            #expect((a + b) * c == a * c + b * c, "seed \(random.seed)")
            #expect(a - b == (b - a).negated, "seed \(random.seed)")
            #expect((a < b) == (b - a > .zero), "seed \(random.seed)")
            if !b.isZero { #expect(a / b * b == a, "seed \(random.seed)") }
            if !a.isZero { #expect(a.power(-3) * a.power(3) == .one, "seed \(random.seed)") }
            #expect(a.reduced == a, "seed \(random.seed)")
        }
    }
}

extension Seeded {
    mutating func natural(words: ClosedRange<Int>) -> Natural {
        Natural(
            words: (0..<Int.random(in: words, using: &self)).map { _ in
                // Machine words at the limits, where carries can go wrong.
                switch next() % 5 {
                case 0: 0
                case 1: UInt64.max
                case 2: 1 << 63
                default: next()
                }
            })
    }

    mutating func exactNumber() -> ExactNumber {
        ExactNumber(
            isNegative: Bool.random(using: &self), numerator: natural(words: 0...2),
            denominator: natural(words: 1...2) + .one, exponent: Int.random(in: -30...30, using: &self))
    }
}
