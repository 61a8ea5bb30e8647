import Testing
import UCUM

@Suite struct AtomTests {
    @Test func aUnitIsDescribed() throws {
        let inch = try #require(UCUMAtom(code: "[in_i]"))
        #expect(inch.name == "inch" && inch.printSymbol == "in" && inch.properties == ["length"])
        #expect(inch.category == "intcust" && inch.caseInsensitiveCode == "[IN_I]")
        #expect(!inch.isMetric && !inch.isSpecial && !inch.isArbitrary && inch.function == nil)
        #expect(inch.definition == ("254e-2", "cm"))
        let celsius = try #require(UCUMAtom(code: "Cel"))
        #expect(celsius.isSpecial && celsius.isMetric && celsius.printSymbol == "°C" && celsius.function == "Cel")
        #expect(try #require(UCUMAtom(code: "m[H2O]")).printSymbol == "m H_2O")
        #expect(try #require(UCUMAtom(code: "gon")).names == ["gon", "grade"])
        #expect(try #require(UCUMAtom(code: "m")).category == "base")
        #expect(UCUMAtom(code: "km") == nil)
        #expect(UCUMAtom.all.count == 310)
        #expect(UCUMAtom.tableVersion == "2.0.1")
    }

    @Test func unitsAreFoundByNameSymbolAndProperty() {
        #expect(UCUMAtom.search("inch").first?.code == "[in_i]")
        #expect(UCUMAtom.search("LITER").prefix(2).map(\.code) == ["l", "L"])
        #expect(UCUMAtom.search("°C").first?.code == "Cel")
        #expect(UCUMAtom.search("temperature").map(\.code).contains("[degF]"))
        #expect(UCUMAtom.search("nothing like it").isEmpty)
        #expect(UCUMAtom.search("").isEmpty)
    }

    @Test(arguments: [
        ("mmol/L", "millimole per liter"), ("kg.m/s2", "kilogram meter per second squared"), ("1", "1"),
        ("10*3/uL", "10^3 per microliter"), ("g{total_protein}", "gram (total protein)"), ("/min", "per minute"),
        ("mg/(kg.d)", "milligram per (kilogram day)"), ("cm3", "centimeter cubed"),
        ("s-2", "second to the power of -2"),
        ("KiBy", "kibibyte"), ("mm[Hg]", "millimeter of mercury column"), ("10*", "10"),
    ])
    func aUnitHasANameInWords(code: String, name: String) throws {
        #expect(try UCUMUnit(code).displayName == name)
    }

    @Test(arguments: [
        ("MG/DL", "mg/dl"), ("mmol/l", "mmol/l"), ("10*3/UL", "10*3/ul"), ("M[IU]/ML", "m[iU]/ml"),
        ("[IN_I]2", "[in_i]2"),
        ("KG.M/S2{Note}", "kg.m/s2{Note}"), ("MAM", "Mm"), ("CEL", "Cel"), ("/HR", "/h"), ("MM[HG]", "mm[Hg]"),
        ("SIE", "S"),
        ("PAL.S", "Pa.s"), ("DAM-1", "dam-1"), ("cal_[15]", "cal_[15]"), ("4.[PI].10*-7.N/A2", "4.[pi].10*-7.N/A2"),
    ])
    func theCaseInsensitiveFormIsTranslated(text: String, code: String) throws {
        #expect(try UCUMUnit(caseInsensitive: text).code == code)
    }

    @Test func wrongCaseInsensitiveUnitHasItsOffset() {
        let error = #expect(throws: UCUMError.self) { try UCUMUnit(caseInsensitive: "mg/QUUX") }
        #expect(error?.code == "unknown-unit" && error?.offset == 3)
        let other = #expect(throws: UCUMError.self) { try UCUMUnit(caseInsensitive: "MG//S") }
        #expect(other?.code == "missing-unit" && other?.offset == 3)
    }
}
