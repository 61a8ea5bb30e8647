import Foundation
import Testing
import UCUM

@Suite struct SpecialUnitTests {
    @Test(arguments: [
        ("27", "Cel", "80.6", "[degF]"), ("0", "Cel", "273.15", "K"), ("98.6", "[degF]", "37", "Cel"),
        ("-40", "Cel", "-40", "[degF]"), ("37000", "mCel", "37", "Cel"), ("80", "[degRe]", "100", "Cel"),
        ("0", "[degRe]", "0", "Cel"), ("0", "K", "-459.67", "[degF]"), ("491.67", "[degR]", "32", "[degF]"),
        ("0", "K", "-273.15", "Cel"), ("1", "kCel", "1273.15", "K"), ("3", "2.Cel", "279.15", "K"),
        ("3", "(Cel{body}.2)", "279.15", "K"), ("10", "Cel/2", "5", "Cel"),
    ])
    func intervalScalesAreExact(value: String, from: String, expected: String, to: String) throws {
        #expect(try convert(value, from: from, to: to) == Decimal(string: expected))
    }

    @Test(arguments: [
        ("30", "dB", "1000", "1"), ("1000", "1", "30", "dB"), ("3", "B", "1000", "1"), ("-2", "B", "1", "%"),
        ("7", "[pH]", "0.0000001", "mol/L"), ("100", "nmol/L", "7", "[pH]"), ("0", "[pH]", "1", "mol/l"),
        ("20", "dB[V]", "10", "V"), ("60", "dB[mV]", "1", "V"), ("120", "dB[uV]", "1", "V"),
        ("0", "B[10.nV]", "10", "nV"), ("40", "dB[10.nV]", "1", "uV"), ("20", "dB[SPL]", "0.0002", "Pa"),
        ("0", "B[SPL]", "20", "uPa"), ("3", "B[W]", "1", "kW"), ("0", "B[kW]", "1000", "W"),
        ("30", "dB[W]", "0", "dB[kW]"), ("10", "bit_s", "1024", "1"), ("1", "KiBy", "13", "bit_s"),
        ("3", "[hp'_X]", "0.001", "1"), ("2", "[hp'_C]", "0.0001", "1"), ("1", "[hp'_M]", "0.001", "1"),
        ("1", "[hp'_Q]", "0.00002", "1"), ("0.000001", "1", "3", "[hp'_C]"), ("0", "Np", "1", "1"),
        ("3", "[m/s2/Hz^(1/2)]", "9", "m2/s4/Hz"), ("16", "m2/s3", "4", "[m/s2/Hz^(1/2)]"),
        ("0", "%[slope]", "0", "deg"),
    ])
    func wholePowersAreExact(value: String, from: String, expected: String, to: String) throws {
        #expect(try convert(value, from: from, to: to) == Decimal(string: expected))
    }

    @Test(arguments: [
        ("7.4", "[pH]", 3.981_071_705_534_972_5e-08, "mol/L"), ("40", "nmol/L", 7.397_940_008_672_037, "[pH]"),
        ("3", "dB", 1.995_262_314_968_879_5, "1"), ("2", "1", 3.010_299_956_639_812, "dB"),
        ("94", "dB[SPL]", 1.002_374_467_254_545, "Pa"), ("1", "Np", 2.718_281_828_459_045, "1"),
        ("1", "Np", 4.342_944_819_032_518, "dB"), ("100", "%[slope]", 45, "deg"),
        ("100", "[p'diop]", 0.785_398_163_397_448_3, "rad"), ("45", "deg", 100, "%[slope]"),
        ("1", "[p'diop]", 0.572_938_697_683_485_9, "deg"), ("2", "m2/s3", 1.414_213_562_373_095_1, "[m/s2/Hz^(1/2)]"),
        ("10", "1", 3.321_928_094_887_362_6, "bit_s"), ("1", "dB[W]", 1.258_925_411_794_167_2, "W"),
        ("0.5", "[hp'_C]", 0.1, "1"),
    ])
    func otherValuesAreAsPreciseAsDouble(value: String, from: String, expected: Double, to: String) throws {
        let result = NSDecimalNumber(decimal: try convert(value, from: from, to: to)).doubleValue
        #expect(abs(result - expected) <= abs(expected) * 1e-14, "\(result)")
    }

    @Test(arguments: [
        ("0", "1", "dB"), ("-1", "1", "B"), ("0", "mol/L", "[pH]"), ("-1", "m2/s3", "[m/s2/Hz^(1/2)]"),
        ("1000", "B", "1"), ("-100000", "Np", "1"), ("99999999999999999999", "[pH]", "mol/L"), ("0", "1", "bit_s"),
    ])
    func aValueWithoutCounterpartIsOutOfRange(value: String, from: String, to: String) {
        let error = #expect(throws: UCUMError.self) { try convert(value, from: from, to: to) }
        #expect(error?.code == "out-of-range")
    }

    @Test(arguments: [
        "Cel/min", "m.Cel", "Cel2", "/Cel", "1/[degF]", "[pH]/L", "dB/m", "Cel.Cel", "Cel.rad", "(dB)/s", "Cel0",
    ])
    func aSpecialUnitInAProductIsValidButNotConverted(_ code: String) throws {
        let unit = try UCUMUnit(code)
        let base = try UCUMUnit(unit.dimension.description)
        #expect(unit.isSpecial)
        #expect(!unit.isComparable(to: base))
        #expect(throws: UCUMError.self) { try unit.canonical(1) }
        let error = #expect(throws: UCUMError.self) { try unit.convert(1, to: base) }
        #expect(error?.code == "special-unit")
        #expect(throws: UCUMError.self) { try base.convert(1, to: unit) }
        #expect(try unit.convert(7, to: unit) == 7)
    }

    @Test(arguments: ["k[degF]", "m[pH]", "d[p'diop]", "kbit_s", "m[hp'_X]", "k[degRe]"])
    func nonmetricSpecialUnitAcceptsNoPrefix(_ code: String) {
        let error = #expect(throws: UCUMError.self) { try UCUMUnit(code) }
        #expect(error?.code == "not-metric")
        #expect(error?.offset == 0)
    }

    @Test func specialUnitHasTheDimensionOfItsScale() throws {
        #expect(try UCUMUnit("Cel").dimension == UCUMUnit("K").dimension)
        #expect(try UCUMUnit("Cel").isComparable(to: UCUMUnit("mK")))
        #expect(try UCUMUnit("dB[SPL]").isComparable(to: UCUMUnit("mm[Hg]")))
        #expect(try !UCUMUnit("dB[SPL]").isComparable(to: UCUMUnit("dB")))
        #expect(try UCUMUnit("Cel").magnitude == nil)
        #expect(try !UCUMUnit("Cel").isEquivalent(to: UCUMUnit("K")))
        #expect(try UCUMUnit("Cel{oral}").isEquivalent(to: UCUMUnit("Cel")))
        #expect(try !UCUMUnit("mCel").isEquivalent(to: UCUMUnit("Cel")))
    }

    private func convert(_ value: String, from: String, to: String) throws -> Decimal {
        try UCUMUnit(from).convert(try #require(Decimal(string: value)), to: UCUMUnit(to))
    }
}
