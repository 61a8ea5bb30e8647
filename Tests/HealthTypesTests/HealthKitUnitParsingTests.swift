import TestSupport
import Testing

@testable import HealthTypes

@Suite struct HealthKitUnitParsingTests {
    @Test(arguments: [
        ("count", "count"), ("%", "%"), ("count/min", "count/min"), ("mL/min·kg", "mL/min·kg"),
        ("mL/kg*min", "mL/kg·min"), ("kcal/hr·kg", "kcal/hr·kg"), ("kcal/(kg.hr)", "kcal/kg·hr"),
        ("mmol<180.1558800000541>/L", "mmol<180.1558800000541>/L"), ("mol<1234>", "mol<1234>"),
        ("Gmol<123.45>", "Gmol<123.45>"), ("mol<0.50>", "mol<0.5>"), ("mol", "mol"), ("kg·m^2", "kg·m^2"),
        ("mcg", "mcg"), ("l", "L"), ("ml", "mL"), ("dal", "daL"), ("dag", "dag"), ("degF", "degF"),
        ("dBASPL", "dBASPL"), ("dBHL", "dBHL"), ("IU", "IU"), ("mg/dL", "mg/dL"), ("km/hr", "km/hr"),
        ("appleEffortScore", "appleEffortScore"), ("fl_oz_us", "fl_oz_us"), ("cup_imp", "cup_imp"), ("mcS", "mcS"),
        ("mcV", "mcV"), ("D", "D"), ("pD", "pD"), ("d", "d"), ("min", "min"), ("mmHg", "mmHg"), ("inHg", "inHg"),
        ("Cal", "Cal"), ("kcal", "kcal"), ("cal", "cal"), ("degC·m", "degC·m"), ("m/s^2", "m/s^2"),
    ])
    func aUnitIsReadAndWrittenAsHealthKitDoes(written: String, text: String) throws {
        #expect(try HealthKitUnit(written).text == text)
    }

    @Test(arguments: [
        ("s^-2", "1/s^2"), ("m·s^-1", "m/s"), ("m·1/s", "m/s"), ("1/s", "1/s"), ("m*m", "m^2"), ("m^1", "m"),
        ("m^0", "()"), ("m/m", "()"), ("m/s^-1", "m·s"), ("m·s·m", "m^2·s"), ("(m)", "m"), ("((m))", "m"),
        ("(m^2)^2", "m^4"), ("(m^2·atm)^2·GL/in^2", "m^4·atm^2·GL/in^2"),
        ("((m·atm)^2)^2·GL/in^2", "m^4·atm^4·GL/in^2"), ("m^4·atm^2·GL/m^2", "m^2·atm^2·GL"),
        ("atm·(m·L)", "atm·m·L"), ("(atm·m)·L", "atm·m·L"), ("(m)·(m)", "m^2"), ("mL/(kg.min)", "mL/kg·min"),
        ("L·s^-1·g^-1", "L/s·g"), ("%/m", "%/m"), ("in^2·atm^2·GL", "in^2·atm^2·GL"), ("(m·s)^-2", "1/m^2·s^2"),
    ])
    func powersAndParenthesesAreWorkedOut(written: String, text: String) throws {
        #expect(try HealthKitUnit(written).text == text)
    }

    @Test(arguments: ["", "()", "(())", "((((()))))", "m/m", "(m·s)^0"])
    func theUnitWithoutFactorsIsNull(text: String) throws {
        let unit = try HealthKitUnit(text)
        #expect(unit.isNull)
        #expect(unit.text == "()")
        #expect(try unit.isCompatible(with: HealthKitUnit("count")))
    }

    @Test(arguments: [
        ("(", "missing-unit", 1), (")", "unexpected-parenthesis", 0), ("m)", "unexpected-parenthesis", 1),
        ("(m", "unclosed-parenthesis", 0), ("()·()", "missing-unit", 1), ("()·m", "missing-unit", 1),
        ("m·()", "missing-unit", 4), ("()^2", "missing-unit", 1), ("1/()", "missing-unit", 3),
        ("(m)(m)", "missing-operator", 3), ("m(m)", "missing-operator", 1), ("m%", "missing-operator", 1),
        ("/s", "missing-unit", 0), ("m/", "missing-unit", 2), ("m·", "missing-unit", 3), ("m··m", "missing-unit", 3),
        ("·m", "missing-unit", 0), ("^2", "missing-unit", 0), ("m/s/s", "second-division", 3),
        ("1/1/s", "unexpected-character", 2), ("(m·atm/in^4)^2", "nested-division", 7), ("(1/s)", "nested-division", 2),
        ("(m·1/s)", "nested-division", 5),
        ("m^2^2", "repeated-exponent", 3), ("m^", "invalid-exponent", 2), ("m^-", "invalid-exponent", 2),
        ("m^x", "invalid-exponent", 2), ("m^2.5", "unexpected-character", 4), ("m^101", "too-large", 2),
        ("(m^50)^3", "too-large", 6), ("m^60·s^60", "too-large", 0), ("percent", "unknown-unit", 0),
        ("h", "unknown-unit", 0), ("Count", "unknown-unit", 0), ("count/MIN", "unknown-unit", 6),
        ("count/Min", "prefix-not-allowed", 6),
        ("kmin", "prefix-not-allowed", 0), ("mlb", "prefix-not-allowed", 0), ("m/kcount", "prefix-not-allowed", 2),
        ("km<123>", "invalid-molar-mass", 2), ("mol<>", "invalid-molar-mass", 3), ("mol<0>", "invalid-molar-mass", 3),
        ("mol<-1>", "invalid-molar-mass", 3), ("mol<1.2.3>", "invalid-molar-mass", 3),
        ("mol<1e3>", "invalid-molar-mass", 3), ("mol<12", "invalid-molar-mass", 3), (" m", "unexpected-character", 0),
        ("m s", "unexpected-character", 1), ("1", "unexpected-character", 0), ("µg", "unexpected-character", 0),
        ("m\u{0}", "unexpected-character", 1), ("5", "unexpected-character", 0),
    ])
    func invalidUnitIsRefusedWithItsOffset(text: String, code: String, offset: Int) {
        let error = #expect(throws: HealthKitUnitError.self) { try HealthKitUnit(text) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test func hostileTextIsRefused() {
        func code(_ text: String) -> String? {
            #expect(throws: HealthKitUnitError.self) { try HealthKitUnit(text) }?.code
        }
        #expect(code(String(repeating: "(", count: 100_000)) == "too-long")
        #expect(code(String(repeating: "(", count: 200)) == "too-deep")
        #expect(code(String(repeating: "(", count: 33) + "m" + String(repeating: ")", count: 33)) == "too-deep")
        #expect(code(String(repeating: "()", count: 100)) == "missing-unit")
        #expect(code(String(repeating: "m^100·", count: 30) + "m") == "too-large")
        // With middle dots the written text would exceed the length that is read.
        #expect(code((1...23).map { "mol<\($0 * 1111)>" }.joined(separator: ".")) == "too-long")
        #expect(code("m^99999999999999999999") == "too-large")
        #expect(code("mol<\(String(repeating: "9", count: 41))>") == "invalid-molar-mass")
        #expect(code(String(repeating: "(", count: 33) + String(repeating: ")", count: 33)) == "too-deep")
    }

    @Test func anErrorDoesNotRepeatTheText() {
        let error = #expect(throws: HealthKitUnitError.self) { try HealthKitUnit("secretname") }
        #expect(error?.description.contains("secret") == false)
    }

    @Test func unitsAreEqualWithTheSameFactorsInAnyOrder() throws {
        #expect(try HealthKitUnit("m/s^2") == HealthKitUnit("s^-2·m"))
        #expect(try Set([HealthKitUnit("m/s^2"), HealthKitUnit("m·s^-2"), HealthKitUnit("s^-2*m")]).count == 1)
        #expect(try Set([HealthKitUnit("m/s^2"), HealthKitUnit("m·s^-1"), HealthKitUnit("m^2/s^2")]).count == 3)
        #expect(try HealthKitUnit("m") != HealthKitUnit("m·s"))
        #expect(try HealthKitUnit("kcal") != HealthKitUnit("Cal"))
        #expect(try HealthKitUnit("mol") != HealthKitUnit("mol<180.15588000005408>"))
        #expect(try HealthKitUnit("l") == HealthKitUnit("L"))
        #expect(try HealthKitUnit.count == HealthKitUnit("count"))
        #expect(try HealthKitUnit.percent == HealthKitUnit("%"))
    }

    @Test func aMolarMassIsWrittenWithSixteenDigitsAsInExports() throws {
        #expect(try HealthKitUnit("mmol<180.15588000005408>/L").text == "mmol<180.1558800000541>/L")
        #expect(try HealthKitUnit("mol<180.15588000005408>") == HealthKitUnit("mol<180.1558800000541>"))
        #expect(try HealthKitUnit("mol<85581160400206067>/mol<85581160400206066>").isNull)
        #expect(try HealthKitUnit("mol<180.15588>") != HealthKitUnit("mol<180.15589>"))
    }

    @Test func everyNameMeansOneUnit() throws {
        let names = HealthKitAtom.all.flatMap { atom in
            atom.takesPrefix ? HealthKitPrefix.allCases.map { $0.rawValue + atom.symbol } : [atom.symbol]
        }
        #expect(Set(names).count == names.count)
        #expect(names.count == 14 * 14 + 34)
        for name in names { #expect(try HealthKitUnit(name).text == name) }
        for atom in HealthKitAtom.all { #expect(!atom.size.isZero && !atom.size.isNegative, "\(atom.symbol)") }
    }

    @Test func aRandomUnitComesBackFromItsText() throws {
        var random = Seeded.fresh("aRandomUnitComesBackFromItsText")
        for _ in 0..<500 {
            let written = random.unit()
            guard let unit = try? HealthKitUnit(written) else {
                // Only exponents beyond the limit can make it invalid.
                let error = #expect(throws: HealthKitUnitError.self) { try HealthKitUnit(written) }
                #expect(error?.code == "too-large", "\(written), seed \(random.seed)")
                continue
            }
            let again = try HealthKitUnit(unit.text)
            #expect(again == unit, "\(written), seed \(random.seed)")
            #expect(again.text == unit.text, "\(written), seed \(random.seed)")
            #expect(again.hashValue == unit.hashValue, "\(written), seed \(random.seed)")
        }
    }

    @Test func damagedUnitsAreReadOrRefusedButNeverHarm() {
        var random = Seeded.fresh("damagedUnitsAreReadOrRefusedButNeverHarm")
        let splinters = ["", "(", ")", "/", "1/", "^", "^-", "·", "<", ">", "%", "0", "é", "\u{C2}", " ", "mol<"]
        var refused = 0
        for _ in 0..<800 {
            var text = Array(random.unit())
            let index = Int.random(in: 0...text.count, using: &random)
            text.replaceSubrange(
                index..<min(text.count, index + Int.random(in: 0...2, using: &random)), with: random.pick(splinters))
            do {
                let unit = try HealthKitUnit(String(text))
                #expect((try? HealthKitUnit(unit.text)) == unit, "\(String(text)), seed \(random.seed)")
            } catch {
                refused += 1
                #expect((0...String(text).utf8.count).contains(error.offset), "\(String(text)), seed \(random.seed)")
            }
        }
        #expect(refused > 80)
    }
}
