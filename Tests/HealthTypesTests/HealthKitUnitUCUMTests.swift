import Foundation
import TestSupport
import Testing
import UCUM

@testable import HealthTypes

@Suite struct HealthKitUnitUCUMTests {
    @Test(arguments: [
        ("count/min", "/min"), ("count", "1"), ("%", "1"), ("()", "1"), ("mmHg", "mm[Hg]"), ("inHg", "[in_i'Hg]"),
        ("cmAq", "cm[H2O]"), ("degC", "Cel"), ("degF", "[degF]"), ("lb", "[lb_av]"), ("oz", "[oz_av]"),
        ("st", "[stone_av]"), ("ft", "[ft_i]"), ("in", "[in_i]"), ("yd", "[yd_i]"), ("mi", "[mi_i]"), ("IU", "[iU]"),
        ("dBASPL", "dB[SPL]"), ("hr", "h"), ("Cal", "kcal"), ("kcal", "kcal"), ("cal", "cal"), ("D", "[diop]"),
        ("pD", "[p'diop]"), ("deg", "deg"), ("fl_oz_us", "[foz_us]"), ("cup_us", "[cup_us]"), ("pt_imp", "[pt_br]"),
        ("mcg", "ug"), ("mcV", "uV"), ("daL", "daL"), ("l", "L"), ("mL/min·kg", "mL/(min.kg)"),
        ("kcal/hr·kg", "kcal/(h.kg)"), ("mmol<180.1558800000541>/L", "mmol/L"), ("m/s^2", "m/s2"), ("1/s^2", "/s2"),
        ("kg·m^2", "kg.m2"), ("in^2", "[in_i]2"), ("mg/dL", "mg/dL"), ("%/m", "/m"), ("degC·m", "K.m"),
        ("degF/hr", "[degR]/h"), ("count·m", "m"), ("count/mL·min", "/(mL.min)"), ("IU/L", "[iU]/L"),
    ])
    func aUnitHasItsCode(unit: String, code: String) throws {
        #expect(try HealthKitUnit(unit).ucum == code)
    }

    @Test(arguments: ["dBHL", "appleEffortScore", "cup_imp", "dBASPL·s", "dBASPL^2", "m/cup_imp", "pD/m"])
    func unitsUnknownToUCUMHaveNoCode(unit: String) throws {
        #expect(try HealthKitUnit(unit).ucum == nil)
    }

    /// UCUM's column of mercury is smaller by three parts in a million.
    private static let differing: Set<String> = ["mmHg", "inHg"]

    /// Every atom without a prefix and with every prefix, except for those with scales of their own.
    static let proper: [String] = HealthKitAtom.all.flatMap { atom -> [String] in
        guard case .unit = atom.ucum else { return atom.ucum == .number ? [atom.symbol] : [] }
        return atom.takesPrefix ? HealthKitPrefix.allCases.map { $0.rawValue + atom.symbol } : [atom.symbol]
    }

    @Test(arguments: proper)
    func aCodeHasTheUnitsDimensionAndSize(name: String) throws {
        let unit = try HealthKitUnit(name)
        let code = try UCUMUnit(#require(unit.ucum))
        let coherent = try UCUMUnit(Self.coherentUnit(unit))
        #expect(code.isComparable(to: coherent))
        #expect(!code.isSpecial)
        let size = try #require(unit.size.decimal ?? Decimal(string: unit.size.text(digits: 38)))
        let theirs = try code.convert(1, to: coherent)
        if Self.differing.contains(name) {
            #expect(theirs != size)
            #expect(abs(theirs / size - 1) < Decimal(sign: .plus, exponent: -6, significand: 3))
        } else if name.hasSuffix("deg") {
            #expect(abs(theirs / size - 1) < Decimal(sign: .plus, exponent: -34, significand: 1))
        } else {
            #expect(theirs == size)
        }
    }

    @Test func aRandomProductHasItsCodesDimensionAndSize() throws {
        var random = Seeded.fresh("aRandomProductHasItsCodesDimensionAndSize")
        var count = 0
        for _ in 0..<400 {
            // Beyond these sizes a `Decimal` loses digits.
            guard let unit = try? HealthKitUnit(random.unit()), let text = unit.ucum,
                (1e-60...1e60).contains(unit.size.double)
            else { continue }
            let parts = unit.factors.map(\.unit)
            guard parts.allSatisfy({ $0.molarMass == nil && !Self.differing.contains($0.atom.symbol) }) else {
                continue
            }
            let code = try UCUMUnit(text)
            if code.isSpecial {
                #expect(unit.factors.count == 1, "\(unit), seed \(random.seed)")
                continue
            }
            let coherent = try UCUMUnit(Self.coherentUnit(unit))
            #expect(code.isComparable(to: coherent), "\(unit) is no \(text), seed \(random.seed)")
            let (ours, theirs) = (
                unit.size.double, NSDecimalNumber(decimal: try code.convert(1, to: coherent)).doubleValue
            )
            #expect(abs(ours / theirs - 1) < 1e-14, "\(unit) is no \(text), seed \(random.seed)")
            count += 1
        }
        #expect(count > 100)
    }

    @Test func temperaturesAgreeWithUCUM() throws {
        for (from, to) in [("degC", "degF"), ("degF", "degC"), ("degC", "K"), ("degF", "K"), ("K", "degC")] {
            let conversion = try #require(try HealthKitUnit(from).conversion(to: HealthKitUnit(to)))
            for value in ["-40", "0", "36.6", "98.6", "451"] {
                let decimal = try #require(Decimal(string: value))
                let theirs = try UCUMUnit(#require(HealthKitUnit(from).ucum))
                    .convert(decimal, to: UCUMUnit(#require(HealthKitUnit(to).ucum)))
                let ours = try #require(conversion.convert(value).flatMap { Decimal(string: $0) })
                #expect(abs(ours - theirs) < Decimal(sign: .plus, exponent: -14, significand: 1), "\(value) \(from)")
            }
        }
    }

    @Test func levelsAndPrismsAreSpecialUnits() throws {
        #expect(try UCUMUnit(#require(HealthKitUnit("dBASPL").ucum)).isSpecial)
        #expect(try UCUMUnit(#require(HealthKitUnit("pD").ucum)).isSpecial)
    }

    @Test func aMoleOfSomethingIsAMole() throws {
        let code = try UCUMUnit(#require(HealthKitUnit("mmol<180.1558800000541>/L").ucum))
        #expect(try code.isEquivalent(to: UCUMUnit("mmol/L")))
    }

    /// The UCUM units that have the size 1 in their dimension.
    private static let axes: [HealthKitDimension.Axis: String] = [
        .length: "m", .mass: "g", .time: "s", .temperature: "K", .energy: "J", .pressure: "Pa", .power: "W",
        .frequency: "Hz", .potential: "V", .conductance: "S", .angle: "rad", .illuminance: "lx", .amount: "mol",
        .internationalUnit: "[iU]", .lensPower: "[diop]",
    ]

    private static func coherentUnit(_ unit: HealthKitUnit) throws -> String {
        var text = "1"
        for factor in unit.factors where factor.unit.atom.quantity != .none {
            let atom = factor.unit.atom
            text += ".\(try #require(axes[atom.quantity]))\(Int(atom.power) * factor.exponent)"
        }
        return text
    }
}
