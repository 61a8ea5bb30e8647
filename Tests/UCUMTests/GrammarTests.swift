import Foundation
import Testing

@testable import UCUM

@Suite struct GrammarTests {
    @Test(arguments: [
        "1", "m", "/m", "m2", "m+2", "m-2", "10*3/uL", "10*-3/ul", "10*+3/ul", "10^3", "10^-9", "10*", "m[H2O]",
        "m3.kg-1.s-2", "4.[pi].10*-7.N/A2", "rad2{a}", "{a}.rad2{b}", "1{c}", "100{WBCs}", "/100{WBCs}", "{e}",
        "/{tot}",
        "dB[10.nV]", "%", "%{vol}", "dyn.s/(cm5.m2)", "kcal/(kg.h)", "umol/2.h", "((m))", "(m)", "/(m.s)",
        "g/(8.h){shift}",
        "[m/s2/Hz^(1/2)]", "k[iU]/mL", "[D'ag'U]", "[Amb'a'1'U]", "cal_[15]", "m0", "a.b", "''", "'",
        "mm[Hg]{a|b(c)[d]}",
        "g{creat}/L{\"x=y\"}", "KiBy", "dar", "Ym", "ym", "mol/kg/s", "007.m", "m999", "999999999999999999",
    ])
    func aUnitOfTheGrammarIsValid(_ code: String) throws {
        let unit = try UCUMUnit(code)
        #expect(unit.code == code)
        #expect(unit.description == code)
        #expect(UCUMUnit.isValid(code))
    }

    /// Wrong units with the kind of the error and its byte offset.
    @Test(arguments: [
        ("", "empty", 0), (" ", "unexpected-character", 0), ("m ", "unexpected-character", 1),
        (" m", "unexpected-character", 0), ("m s", "unexpected-character", 1), ("mg / dL", "unexpected-character", 2),
        ("m/", "missing-unit", 2), ("m.", "missing-unit", 2), ("/", "missing-unit", 1), (".", "missing-unit", 0),
        (".m", "missing-unit", 0), ("//m", "missing-unit", 1), ("m//s", "missing-unit", 2), ("m..s", "missing-unit", 2),
        ("m./s", "missing-unit", 2), ("()", "missing-unit", 1), ("m/()", "missing-unit", 3),
        ("(/m)", "missing-unit", 1),
        ("(m.)", "missing-unit", 3), ("(m", "unclosed-parenthesis", 0), ("s.(m.(g)", "unclosed-parenthesis", 2),
        ("((((", "missing-unit", 4), ("m)", "unexpected-parenthesis", 1), ("(m))", "unexpected-parenthesis", 3),
        (")", "missing-unit", 0), ("(m)2", "invalid-exponent", 3), ("(m)-2", "invalid-exponent", 3),
        ("(m)s", "missing-operator", 3), ("m(s)", "missing-operator", 1), ("ug(8.h)", "missing-operator", 2),
        ("(m){a}{b}", "invalid-annotation", 6), ("m{a}{b}", "invalid-annotation", 4),
        ("{a}{b}", "invalid-annotation", 3),
        ("{a}m", "missing-operator", 3), ("{a}rad2{b}", "missing-operator", 3), ("{|}1", "invalid-exponent", 3),
        ("m{a}2", "invalid-exponent", 4), ("m{a", "unclosed-annotation", 1), ("{", "unclosed-annotation", 0),
        ("{}", "invalid-annotation", 0), ("m{}", "invalid-annotation", 1), ("{a{b}}", "invalid-annotation", 2),
        ("{red cells}", "invalid-annotation", 4), ("rad2{錠}", "invalid-annotation", 5),
        ("m}", "unexpected-character", 1),
        ("m]", "unexpected-character", 1), ("]", "unexpected-character", 0), ("}", "unexpected-character", 0),
        ("[in_i", "unclosed-bracket", 0), ("m[Hg", "unclosed-bracket", 1), ("[[in_i]]", "unclosed-bracket", 0),
        ("[in i]", "unclosed-bracket", 0), ("m-", "invalid-exponent", 1), ("s+", "invalid-exponent", 1),
        ("m--2", "invalid-exponent", 1), ("m-a", "invalid-exponent", 1), ("10+3/ul", "invalid-exponent", 2),
        ("10-3", "invalid-exponent", 2), ("-2", "unexpected-character", 0), ("+m", "unexpected-character", 0),
        ("m2-3", "invalid-exponent", 2), ("m2+3", "invalid-exponent", 2), ("0", "invalid-factor", 0),
        ("m/0", "invalid-factor", 2), ("000", "invalid-factor", 0), ("9999999999999999999", "invalid-factor", 0),
        ("m=s", "unexpected-character", 1), ("m\"", "unexpected-character", 1), ("2.5e3", "unknown-unit", 2),
        ("mmHg", "unknown-unit", 0), ("molv", "unknown-unit", 0), ("iU", "unknown-unit", 0),
        ("[iIU]/d", "unknown-unit", 0),
        ("m[iIU]/L", "unknown-unit", 0), ("mmol/kg[H20]", "unknown-unit", 5), ("cm[H20]", "unknown-unit", 0),
        ("g/12h", "unknown-unit", 2), ("mg/2h", "unknown-unit", 3), ("[BETH'U]", "unknown-unit", 0),
        ("10**3", "unknown-unit", 0), ("10*3*2", "unknown-unit", 0), ("m^2", "unknown-unit", 0),
        ("m*s", "unknown-unit", 0),
        ("k[in_i]", "not-metric", 0), ("kmin", "not-metric", 0), ("m/kh", "not-metric", 2), ("m%", "not-metric", 0),
        ("mk10*3", "unknown-unit", 0), ("kkg", "unknown-unit", 0), ("µg", "unexpected-character", 0),
        ("mg/µL", "unexpected-character", 3), ("m²", "unexpected-character", 1), ("°C", "unexpected-character", 0),
        ("m·s", "unexpected-character", 1), ("m\u{0}", "unexpected-character", 1), ("m\n", "unexpected-character", 1),
        ("m1000", "too-large", 1), ("m-1000", "too-large", 1), ("m99999999", "too-large", 1),
        ("10*999999", "too-large", 3),
        ("m99999999999999999999999999999999", "too-large", 1), ("10*999.10*999.10*999.10*999.10*999", "too-large", 27),
        ("[pi]999", "too-large", 4), ("[pi]30.[pi]30.[pi]30", "too-large", 6),
    ])
    func invalidUnitIsRefusedWithItsOffset(text: String, code: String, offset: Int) {
        let error = #expect(throws: UCUMError.self, "\(text)") { try UCUMUnit(text) }
        #expect(error?.code == code, "\(text): \(String(describing: error))")
        #expect(error?.offset == offset, "\(text): \(String(describing: error))")
        #expect(error?.message.isEmpty == false)
        #expect(!UCUMUnit.isValid(text))
    }

    @Test(arguments: [
        ("mmHg", "mm[Hg]"), ("lbs", "[lb_av]"), ("degC", "Cel"), ("IU", "[iU]"), ("mcg", "ug"), ("inch", "[in_i]"),
        ("Inches", "[in_i]"), ("pounds", "[lb_av]"), ("KG", "kg"), ("MEQ", "meq"), ("mmhg", "mm[Hg]"), ("SEC", "s"),
        ("HPF", "[HPF]"), ("liter", "l"), ("meters", "m"), ("hours", "h"),
    ])
    func errorOfACommonMistakeSuggestsTheCode(symbol: String, code: String) {
        let error = #expect(throws: UCUMError.self) { try UCUMUnit(symbol) }
        #expect(error?.message == "\(symbol) is no unit of UCUM; did you mean \(code)?")
        #expect(UCUMUnit.isValid(code))
    }

    @Test func suggestionsAreAlwaysValid() {
        for code in UCUMSuggestion.usual.values { #expect(UCUMUnit.isValid(code), "\(code)") }
    }

    @Test(arguments: [
        ("µg", "write u for micro"), ("°C", "write Cel, [degF] or deg"), ("kΩ", "write Ohm"),
        ("m³", "write the exponent as 3"),
        ("m·s", "multiply with ."), ("10Å", "write Ao"), ("é", "remove this one"),
    ])
    func errorOfANonASCIICharacterSuggestsTheCode(text: String, advice: String) {
        let error = #expect(throws: UCUMError.self) { try UCUMUnit(text) }
        #expect(error?.message == "A unit is written with ASCII characters; \(advice).")
    }

    @Test func operatorsAreReadFromLeftToRight() throws {
        #expect(try UCUMUnit("m/s.g").isEquivalent(to: UCUMUnit("m.g/s")))
        #expect(try UCUMUnit("m/s/g").isEquivalent(to: UCUMUnit("m/(s.g)")))
        #expect(try !UCUMUnit("m/s.g").isEquivalent(to: UCUMUnit("m/(s.g)")))
        #expect(try UCUMUnit("/s.m").isEquivalent(to: UCUMUnit("m/s")))
        #expect(try UCUMUnit("umol/2.h").isEquivalent(to: UCUMUnit("h.umol/2")))
        #expect(try UCUMUnit("cm3").isEquivalent(to: UCUMUnit("mL")))
        #expect(try UCUMUnit("2.5").isEquivalent(to: UCUMUnit("10")))
    }

    @Test func anAnnotationHasNoMeaningButIsKept() throws {
        let unit = try UCUMUnit("mg{total_protein}/(24.h)")
        #expect(unit.code == "mg{total_protein}/(24.h)")
        #expect(try unit.isEquivalent(to: UCUMUnit("mg/d")))
        #expect(try UCUMUnit("{RBC}").isEquivalent(to: .unity))
        #expect(try unit != UCUMUnit("mg/(24.h)"))
    }
}
