import Core
import Foundation
import TestSupport
import Testing

@testable import UCUM

@Suite struct RandomUnitTests {
    @Test func aRandomUnitMeansTheSameWhenWrittenInCanonicalForm() throws {
        var random = Seeded.fresh("aRandomUnitMeansTheSameWhenWrittenInCanonicalForm")
        for _ in 0..<2_000 {
            let code = random.unitCode(depth: 3)
            let unit = try UCUMUnit(code)
            // The code with redundant parentheses and an annotation is the same unit.
            let again = try UCUMUnit("(\(code.first == "/" ? "1" : "")\(code)).{x}")
            #expect(again.dimension == unit.dimension, "\(code), seed \(random.seed)")
            #expect(again.isEquivalent(to: unit), "\(code), seed \(random.seed)")
            let base = try UCUMUnit(unit.dimension.description)
            #expect(base.dimension == unit.dimension, "\(code), seed \(random.seed)")
            #expect(base.isComparable(to: unit), "\(code), seed \(random.seed)")
        }
    }

    @Test func aRandomValueComesBackFromARandomUnitOfTheSameDimension() throws {
        var random = Seeded.fresh("aRandomValueComesBackFromARandomUnitOfTheSameDimension")
        var count = 0
        for _ in 0..<1_000 {
            let code = random.unitCode(depth: 2)
            let unit = try UCUMUnit(code)
            let factor = Int.random(in: 1...999, using: &random)
            let other = try UCUMUnit("\(factor).\(unit.baseUnit.code)")
            let value = Decimal(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1_000
            guard let there = try? unit.convert(value, to: other), there.magnitude > 1e-60 else { continue }
            let back = try other.convert(there, to: unit)
            let bound = value.magnitude * Decimal(sign: .plus, exponent: -36, significand: 1)
            #expect((back - value).magnitude <= bound, "\(value) \(code) comes back as \(back), seed \(random.seed)")
            count += 1
        }
        #expect(count > 500)
    }

    @Test func productsAndQuotientsOfUnitsMeanWhatTheySay() throws {
        var random = Seeded.fresh("productsAndQuotientsOfUnitsMeanWhatTheySay")
        for _ in 0..<1_000 {
            let first = try UCUMUnit(random.unitCode(depth: 2))
            let second = try UCUMUnit(random.unitCode(depth: 2))
            let product = try first.multiplied(by: second)
            let quotient = try first.divided(by: second)
            #expect(product.dimension == first.dimension * second.dimension, "\(product), seed \(random.seed)")
            #expect(product.meaning.factor == first.meaning.factor * second.meaning.factor, "\(product)")
            #expect(quotient.dimension == first.dimension * second.dimension.power(-1), "\(quotient)")
            #expect(quotient.meaning.factor == first.meaning.factor / second.meaning.factor, "\(quotient)")
        }
    }

    @Test func randomBytesNeverCrash() {
        var random = Seeded.fresh("randomBytesNeverCrash")
        let pieces = [
            "m", "k", "[", "]", "{", "}", "(", ")", ".", "/", "+", "-", "10*", "9", "[in_i]", "Cel", "é", " ", "\u{0}",
            "'",
        ]
        for _ in 0..<6_000 {
            let length = Int.random(in: 0...14, using: &random)
            let text =
                Bool.random(using: &random)
                ? String(decoding: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self)
                : (0..<length).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            do throws(UCUMError) {
                let unit = try UCUMUnit(text)
                #expect(!unit.displayName.isEmpty, "\(text), seed \(random.seed)")
                _ = try? unit.canonical(Decimal(12))
            } catch {
                let offset = error.offset ?? -1
                #expect((0...text.utf8.count).contains(offset), "\(text), seed \(random.seed)")
            }
            _ = try? UCUMUnit(caseInsensitive: text)
        }
    }

    @Test(arguments: [
        String(repeating: "(", count: 999),
        String(repeating: "(", count: 499) + "m" + String(repeating: ")", count: 499),
        String(repeating: "m", count: 100_000), String(repeating: "9", count: 900),
        String(repeating: "[pi]999.", count: 120) + "m", String(repeating: "[lb_av]900/", count: 80) + "m",
        String(repeating: "Ym999.", count: 150) + "m",
        "m" + String(repeating: "9", count: 900), "{" + String(repeating: "a", count: 5_000),
        String(repeating: "/", count: 1_000),
        "10*" + String(repeating: "0", count: 900) + "1000", String(repeating: "{a}.", count: 400) + "m",
    ])
    func bombIsRefusedQuickly(_ code: String) {
        let start = ThreadTime.now()
        #expect(throws: UCUMError.self) { try UCUMUnit(code) }
        #expect(ThreadTime.now() - start < 5_000_000_000)
    }

    @Test func theLongestAndDeepestUnitIsStillRead() throws {
        #expect(try UCUMUnit(String(repeating: "m.", count: 499) + "m2").dimension.length == 501)
        #expect(!UCUMUnit.isValid(String(repeating: "m.", count: 500) + "m"))
        let deep = String(repeating: "(", count: 32) + "m" + String(repeating: ")", count: 32)
        #expect(UCUMUnit.isValid(deep))
        let error = #expect(throws: UCUMError.self) { try UCUMUnit("(\(deep))") }
        #expect(error?.code == "too-deep")
        #expect(error?.offset == 32)
    }

    /// A value at the limits of `Decimal` and a factor at the limits of the parser.
    @Test func extremeConversionsAreBounded() throws {
        let huge = try UCUMUnit("10*999.10*999.10*999.10*999")
        let start = ThreadTime.now()
        #expect(throws: UCUMError.self) { try huge.convert(.greatestFiniteMagnitude, to: .unity) }
        #expect(throws: UCUMError.self) { try UCUMUnit.unity.convert(.leastNonzeroMagnitude, to: huge) }
        #expect(try huge.convert(5, to: UCUMUnit("10*999.10*999.10*999.10*998")) == 50)
        #expect(ThreadTime.now() - start < 5_000_000_000)
    }
}

extension Seeded {
    /// Returns a valid unit of ratio scales: atoms with prefixes, exponents, annotations, numbers, products and
    /// parentheses.
    mutating func unitCode(depth: Int) -> String {
        var code = Int.random(in: 0..<8, using: &self) == 0 ? "/" : ""
        for index in 0..<Int.random(in: 1...3, using: &self) {
            if index > 0 { code += Bool.random(using: &self) ? "." : "/" }
            code += component(depth: depth)
        }
        return code
    }

    private mutating func component(depth: Int) -> String {
        let choice = Int.random(in: 0..<10, using: &self)
        if choice == 0, depth > 0 {
            let inner = unitCode(depth: depth - 1)
            return "(\(inner.first == "/" ? "1" : "")\(inner))"
        }
        if choice == 1 { return "\(Int.random(in: 1...5_000, using: &self))" }
        if choice == 2 { return "{x_\(Int.random(in: 0...9, using: &self))}" }
        guard let atom = Self.ratioUnits.randomElement(using: &self) else { return "m" }
        var code = atom.code
        if atom.isMetric, Bool.random(using: &self) {
            code = (["k", "m", "u", "da", "d", "Ki", "n"].randomElement(using: &self) ?? "") + code
        }
        switch Int.random(in: 0..<5, using: &self) {
        case 0: code += "\(Int.random(in: 0...4, using: &self))"
        case 1: code += "-\(Int.random(in: 1...4, using: &self))"
        case 2: code += "+\(Int.random(in: 1...3, using: &self))"
        default: break
        }
        return code + (Int.random(in: 0..<6, using: &self) == 0 ? "{note}" : "")
    }

    private static let ratioUnits = UCUMAtom.all.filter { !$0.isSpecial }
}
