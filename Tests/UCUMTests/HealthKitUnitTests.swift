import Foundation
import Testing
import UCUM

/// The units that HealthKit writes, in UCUM. HealthKit's factors are quoted; comments mark where UCUM has other digits.
@Suite struct HealthKitUnitTests {
    @Test(arguments: [
        ("oz", "[oz_av]", "g", "28.349523125"),
        ("lb", "[lb_av]", "g", "453.59237"),
        ("st", "[stone_av]", "g", "6350.29318"),
        ("in", "[in_i]", "m", "0.0254"),
        ("ft", "[ft_i]", "m", "0.3048"),
        ("yd", "[yd_i]", "m", "0.9144"),
        ("mi", "[mi_i]", "m", "1609.344"),
        ("L", "L", "m3", "0.001"),
        ("fl_oz_us", "[foz_us]", "L", "0.0295735295625"),
        // HealthKit's Imperial measures are based on a gallon of 4.54609 L, like those of UCUM.
        ("fl_oz_imp", "[foz_br]", "L", "0.0284130625"),
        ("pt_us", "[pt_us]", "L", "0.473176473"),
        ("pt_imp", "[pt_br]", "L", "0.56826125"),
        ("cup_us", "[cup_us]", "L", "0.2365882365"),
        // HealthKit: 133.322387415 Pa. UCUM has 133.3220, smaller by three parts in a million.
        ("mmHg", "mm[Hg]", "Pa", "133.322"),
        ("cmAq", "cm[H2O]", "Pa", "98.0665"),
        // HealthKit: 3386.38816 Pa. UCUM computes it from its own mercury column: 133.322 Pa · 25.4 = 3386.3788.
        ("inHg", "[in_i'Hg]", "Pa", "3386.3788"),
        ("atm", "atm", "Pa", "101325"),
        ("kcal", "kcal", "J", "4184"),
        ("Cal", "[Cal]", "J", "4184"),
        ("cal", "cal", "J", "4.184"),
        ("min", "min", "s", "60"),
        ("hr", "h", "s", "3600"),
        ("d", "d", "s", "86400"),
        ("%", "%", "1", "0.01"),
        ("ml", "mL", "L", "0.001"),
        ("mmol", "mmol", "mol", "0.001"),
        ("mg/dL", "mg/dL", "g/L", "0.01"),
        ("mcS", "uS", "S", "0.000001"),
        ("D", "[diop]", "m-1", "1"),
    ])
    func aFactorIsHealthKitsUnlessUCUMDiffers(healthKit: String, code: String, to: String, factor: String) throws {
        #expect(try UCUMUnit(code).convert(1, to: UCUMUnit(to)) == Decimal(string: factor), "\(healthKit)")
    }

    @Test func vectorsOfHealthKitAreMet() throws {
        #expect(try UCUMUnit("Cel").convert(27, to: UCUMUnit("[degF]")) == Decimal(string: "80.6"))
        #expect(try UCUMUnit("m3").convert(1, to: UCUMUnit("L")) == 1000)
        #expect(try UCUMUnit("mL").convert(500, to: UCUMUnit("L")) == Decimal(string: "0.5"))
        // HealthKit reads 0.5 % as 0.5; the percent sign of UCUM is a hundredth.
        #expect(try UCUMUnit("%").convert(50, to: UCUMUnit("1")) == Decimal(string: "0.5"))
        // HealthKit regards these two as incompatible; they are the same unit.
        #expect(try UCUMUnit("J/s").isEquivalent(to: UCUMUnit("W")))
        #expect(try UCUMUnit("kcal").isEquivalent(to: UCUMUnit("[Cal]")))
        let product = try UCUMUnit("m4.atm2.GL/[in_i]2")
            .convert(#require(Decimal(string: "12.7")), to: UCUMUnit("[in_i]2.atm2.GL"))
        // 12.7 / 0.0254^4; HealthKit prints 30511872.047366135, the same to the precision of Double.
        #expect(abs(NSDecimalNumber(decimal: product).doubleValue - 30_511_872.047366135) < 1e-7, "\(product)")
    }
}
