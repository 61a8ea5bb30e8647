import Foundation
import Testing
import UCUM

@Suite struct QuantityTests {
    @Test(arguments: [
        ("4", "g", "4000", "mg", 0), ("4", "g", "4040", "mg", -1), ("1", "[in_i]", "2.54", "cm", 0),
        ("1", "[in_i]", "2.5400000000000000000000000000000001", "cm", -1), ("37", "Cel", "98.6", "[degF]", 0),
        ("37.1", "Cel", "98.6", "[degF]", 1), ("7.35", "[pH]", "7.45", "[pH]", -1), ("30", "dB", "3", "B", 0),
        ("31", "dB", "3", "B", 1), ("1", "[ft_us]", "0.3048006096012192024384048768097536195", "m", 1),
        ("3937", "[ft_us]", "1200", "m", 0), ("10", "[iU]", "10", "[IU]", 0), ("1", "1", "100", "%", 0),
        ("-1", "kg", "1", "mg", -1), ("0", "kg", "0", "mg", 0), ("1", "Cel/min", "2", "Cel/min", -1),
        ("1", "mo", "30", "d", 1), ("2", "{beats}/min", "2", "/min", 0),
    ])
    func quantitiesAreComparedExactly(a: String, unitA: String, b: String, unitB: String, expected: Int) throws {
        let first = try UCUMQuantity(#require(Decimal(string: a)), unitA)
        let second = try UCUMQuantity(#require(Decimal(string: b)), unitB)
        #expect(try first.compare(second) == expected)
        #expect(try second.compare(first) == -expected)
    }

    @Test(arguments: [
        ("g", "m"), ("[iU]", "1"), ("[iU]", "[USP'U]"), ("[iU]", "mg"), ("[iU]/mL", "[arb'U]/mL"), ("rad", "1"),
        ("rad", "sr"), ("mol", "g"), ("Cel", "m"), ("[pH]", "dB"), ("mg/dL", "mmol/L"), ("J", "N"), ("Hz", "s"),
        ("[hp_X]", "[hp_C]"), ("kg.m", "kg.m2"), ("bit", "m"),
    ])
    func differentDimensionsCannotBeCompared(a: String, b: String) throws {
        let (first, second) = try (UCUMUnit(a), UCUMUnit(b))
        #expect(!first.isComparable(to: second))
        #expect(!second.isComparable(to: first))
        let error = #expect(throws: UCUMError.self) { try first.convert(1, to: second) }
        #expect(error?.code == "not-comparable")
        #expect(error?.message.contains(a) == true && error?.message.contains(b) == true)
        let quantity = UCUMQuantity(value: 1, unit: first)
        #expect(throws: UCUMError.self) { try quantity.compare(UCUMQuantity(value: 1, unit: second)) }
    }

    @Test func anArbitraryUnitIsComparableOnlyWithItself() throws {
        #expect(try UCUMUnit("k[iU]/L").convert(1, to: UCUMUnit("[iU]/mL")) == 1)
        #expect(try UCUMUnit("[iU]/[iU]").isEquivalent(to: .unity))
        #expect(try UCUMUnit("[iU]").dimension.arbitrary == ["[iU]": 1])
        #expect(try UCUMUnit("[IU]2/[CFU]").dimension.arbitrary == ["[iU]": 2, "[CFU]": -1])
        #expect(try UCUMUnit("[CFU]/mL").canonical(1).unit.code == "m-3.[CFU]")
    }

    @Test(arguments: [
        ("2.0", "cm", "2.0", "m", "4", "cm.m"), ("3", "m", "3", "m", "9", "m2"), ("2", "/min", "3", "L", "6", "/min.L"),
        ("2", "L", "3", "/min", "6", "L/min"), ("2", "1", "3", "kg", "6", "kg"), ("2", "kg", "3", "1", "6", "kg"),
        ("2", "1", "3", "/h", "6", "1/h"), ("2", "g/L", "3", "L", "6", "g/L.L"), ("2", "m2", "3", "m2", "6", "m2.m2"),
    ])
    func aProductMultipliesUnits(a: String, unitA: String, b: String, unitB: String, value: String, unit: String) throws
    {
        let product = try quantity(a, unitA).multiplied(by: quantity(b, unitB))
        #expect(product.value == Decimal(string: value))
        #expect(product.unit.code == unit)
    }

    @Test(arguments: [
        ("4.0", "g", "2.0", "m", "2", "g/m"), ("1.0", "m", "1.0", "m", "1", "1"),
        ("6", "mg", "3", "kg.d", "2", "mg/(kg.d)"),
        ("6", "1", "3", "s", "2", "/s"), ("6", "m", "3", "/s", "2", "m/(1/s)"), ("6", "m", "3", "1", "2", "m"),
        ("1", "g", "3", "L", "0.33333333333333333333333333333333333333", "g/L"),
        ("6", "m", "3", "[m/s2/Hz^(1/2)]2", "2", "error"), ("6", "g", "3", "mL{a.b}", "2", "g/mL{a.b}"),
    ])
    func aQuotientDividesUnits(a: String, unitA: String, b: String, unitB: String, value: String, unit: String) throws {
        guard unit != "error" else {
            #expect(throws: UCUMError.self) { try quantity(a, unitA).divided(by: quantity(b, unitB)) }
            return
        }
        let quotient = try quantity(a, unitA).divided(by: quantity(b, unitB))
        #expect(quotient.value == Decimal(string: value))
        #expect(quotient.unit.code == unit)
    }

    @Test func impossibleComputationIsAnError() throws {
        let celsius = try UCUMQuantity(20, "Cel")
        let gram = try UCUMQuantity(1, "g")
        #expect(throws: UCUMError.self) { try celsius.multiplied(by: gram) }
        #expect(throws: UCUMError.self) { try gram.divided(by: celsius) }
        #expect(throws: UCUMError.self) { try gram.divided(by: UCUMQuantity(0, "g")) }
        let large = UCUMQuantity(value: .greatestFiniteMagnitude, unit: gram.unit)
        #expect(throws: UCUMError.self) { try large.multiplied(by: large) }
        #expect(throws: UCUMError.self) { try UCUMQuantity(value: .nan, unit: gram.unit).compare(gram) }
        #expect(throws: UCUMError.self) { try gram.unit.convert(.nan, to: gram.unit) }
        #expect(throws: UCUMError.self) { try gram.unit.canonical(.nan) }
    }

    @Test func aQuantityIsConvertedAndWritten() throws {
        let weight = try UCUMQuantity(150, "[lb_av]")
        #expect(try weight.converted(to: UCUMUnit("kg")).description == "68.0388555 kg")
        #expect(try weight.canonical().description == "68038.8555 g")
    }

    @Test(arguments: [
        ("N", "1000", "m.s-2.g"), ("[in_i]", "0.0254", "m"), ("mmol/L", "602213670000000000000000", "m-3"),
        ("Cel", "274.15", "K"),
        ("mm[Hg]", "133322", "m-1.s-2.g"), ("V", "1000", "m2.s-2.g.C-1"), ("lx", "1", "m-2.rad2.cd"),
        ("%", "0.01", "1"),
        ("dB", "1.2589254117941673", "1"), ("{x}", "1", "1"), ("Ohm", "1000", "m2.s-1.g.C-2"),
    ])
    func theCanonicalFormIsInBaseUnitsInTheirOrder(code: String, value: String, unit: String) throws {
        let canonical = try UCUMUnit(code).canonical(1)
        #expect(canonical.unit.code == unit)
        #expect(canonical.value == Decimal(string: value), "\(canonical.value)")
        #expect(try UCUMUnit(code).baseUnit == canonical.unit)
    }

    @Test func aDimensionHasItsExponents() throws {
        let dimension = try UCUMUnit("lm.V.K/s").dimension
        #expect(dimension.length == 2 && dimension.time == -3 && dimension.mass == 1 && dimension.planeAngle == 2)
        #expect(dimension.temperature == 1 && dimension.electricCharge == -1 && dimension.luminousIntensity == 1)
        #expect(dimension.arbitrary.isEmpty && !dimension.isDimensionless)
        #expect(try UCUMUnit("mol").dimension == .one)
        #expect(UCUMDimension.one.isDimensionless && UCUMDimension.one.description == "1")
    }

    private func quantity(_ value: String, _ code: String) throws -> UCUMQuantity {
        try UCUMQuantity(#require(Decimal(string: value)), code)
    }
}
