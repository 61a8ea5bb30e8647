import Foundation
import TestSupport
import Testing

@testable import HealthTypes

@Suite struct HealthKitUnitConversionTests {
    private func convert(_ text: String, from: String, to: String) throws -> String? {
        try HealthKitUnit(from).conversion(to: HealthKitUnit(to))?.convert(text)
    }

    @Test(arguments: [
        ("27", "degC", "degF", "80.6"), ("1", "m^3", "L", "1000"), ("0.5", "%", "count", "0.5"),
        ("12.7", "m^4·atm^2·GL/in^2", "in^2·atm^2·GL", "30511872.047366142"),
        ("12.7", "m^4·atm^2·GL/in^2", "m^4·Pa^2·GL/m^2", "202101488681102.362"),
        ("12.7", "m^4·atm^2·GL", "m^4·Pa^2·GL", "130387796437.5"), ("187", "cm", "m", "1.87"),
        ("2", "mol<18.02>", "g", "36.04"), ("1.1", "degC·m", "degF·m", "1.98"), ("4.7", "m/s^2", "cm/s^2", "470"),
        ("1", "oz", "g", "28.349523125"),
    ])
    func vectorsOfHealthKitAreMet(value: String, from: String, to: String, expected: String) throws {
        #expect(try convert(value, from: from, to: to) == expected)
    }

    @Test func vectorsOfHealthKitAreMetInFloatingPoint() throws {
        func convert(_ value: Double, from: String, to: String) throws -> Double {
            try #require(try HealthKitUnit(from).conversion(to: HealthKitUnit(to))).convert(value)
        }
        #expect(try convert(27, from: "degC", to: "degF") == 80.6)
        #expect(try convert(1, from: "m^3", to: "L") == 1000)
        #expect(try convert(500, from: "mL", to: "L") == 0.5)
        #expect(try convert(0.5, from: "%", to: "count") == 0.5)
        #expect(try convert(1.1, from: "degC·m", to: "degF·m") == 1.98)
        // HealthKit's own result is lower by two units in the last digit.
        let product = try convert(12.7, from: "m^4·atm^2·GL/in^2", to: "in^2·atm^2·GL")
        #expect(abs(product / 30_511_872.047366135 - 1) < 5e-16)
    }

    @Test(arguments: [
        ("oz", "g", "28.349523125"), ("lb", "g", "453.59237"), ("st", "g", "6350.29318"), ("in", "m", "0.0254"),
        ("ft", "m", "0.3048"), ("yd", "m", "0.9144"), ("mi", "m", "1609.344"), ("L", "m^3", "0.001"),
        ("fl_oz_us", "L", "0.0295735295625"), ("fl_oz_imp", "L", "0.0284130625"), ("pt_us", "L", "0.473176473"),
        ("pt_imp", "L", "0.56826125"), ("cup_us", "L", "0.2365882365"), ("cup_imp", "L", "0.284130625"),
        ("mmHg", "Pa", "133.322387415"), ("cmAq", "Pa", "98.0665"), ("inHg", "Pa", "3386.38816"),
        ("atm", "Pa", "101325"), ("min", "s", "60"), ("hr", "min", "60"), ("d", "hr", "24"), ("kcal", "J", "4184"),
        ("Cal", "J", "4184"), ("cal", "J", "4.184"), ("mol<180.15588000005408>", "g", "180.15588000005408"),
        ("lb", "oz", "16"), ("st", "lb", "14"), ("ft", "in", "12"), ("mi", "ft", "5280"), ("pt_us", "fl_oz_us", "16"),
        ("pt_imp", "fl_oz_imp", "20"), ("cup_imp", "fl_oz_imp", "10"), ("km", "m", "1000"), ("mcg", "g", "0.000001"),
        ("Tm", "fm", "1000000000000000000000000000"), ("rad", "deg", "57.2957795130823209"),
    ])
    func everyFactorIsHealthKits(from: String, to: String, factor: String) throws {
        #expect(try convert("1", from: from, to: to) == factor)
    }

    @Test(arguments: [
        ("37.0", "degC", "degF", "98.6"), ("98.6", "degF", "degC", "37"), ("0", "degC", "K", "273.15"),
        ("0", "K", "degF", "-459.67"), ("0", "degF", "K", "255.372222222222222"), ("-40", "degF", "degC", "-40"),
        ("1", "degC^2", "degF^2", "3.24"),
        ("300", "mK", "degC", "-272.85"), ("98.60", "degF", "degF", "98.60"),
        ("1", "degF·m", "degC·m", "0.555555555555555556"),
    ])
    func zeroPointAppliesOnlyToSingleUnits(value: String, from: String, to: String, expected: String) throws {
        #expect(try convert(value, from: from, to: to) == expected)
    }

    @Test(arguments: [
        ("5.50", "mmol<180.1558800000541>/L", "mg/dL", "99.085734000029755"), ("100", "mg/dL", "g/L", "1.00"),
        ("150", "lb", "kg", "68.0388555"), ("26.2", "mi", "km", "42.1648128"),
        ("100", "kJ", "kcal", "23.9005736137667304"),
        ("9.5", "min/mi", "s/m", "0.354181579575280363"), ("60", "km/hr", "m/s", "16.6666666666666667"),
        ("1", "count/s", "count/min", "60"),
        ("120", "mmHg", "mmHg", "120"), ("250", "Cal", "kcal", "250"), ("8", "fl_oz_us", "mL", "236.5882365"),
        ("0.097", "%", "count", "0.097"), ("1e2", "m", "cm", "10000"), ("1.50e-3", "km", "m", "1.5"),
        ("-0.50", "kg", "g", "-500"), ("0.0", "lb", "kg", "0"), ("007", "m", "cm", nil), ("x", "m", "cm", nil),
        ("NaN", "lb", "kg", nil), ("", "m", "m", nil), ("1e9999", "lb", "kg", nil), ("1e-999", "m", "km", "1e-1002"),
    ])
    func commonConversionsGiveTheirDecimals(value: String, from: String, to: String, expected: String?) throws {
        #expect(try convert(value, from: from, to: to) == expected)
    }

    @Test(arguments: [
        ("%", "count", true), ("%", "()", true), ("count^2", "count", true), ("cm", "m", true),
        ("%/m", "count/in", true),
        ("%/m", "%/m^2", false), ("m^3", "L", true), ("m^2·in", "L", true), ("m·km·mm", "cup_us", true),
        ("W", "J/s", false), ("kW", "J/s", false), ("Hz", "count/s", false), ("Pa·m^3", "J", false),
        ("Gmol", "kmol", true),
        ("mol<123>", "kmol<456>", true), ("mol<123>", "kg", true), ("mol", "mol<123>", false), ("()", "IU", false),
        ("()", "appleEffortScore", false), ("count", "in", false), ("dBASPL", "dBHL", false), ("D", "pD", false),
        ("m", "g", false), ("degC", "K", true), ("degC", "K·m", false), ("mL/min·kg", "L/s·g", true),
    ])
    func unitsAreCompatibleAsInHealthKit(first: String, second: String, isCompatible: Bool) throws {
        let (left, right) = (try HealthKitUnit(first), try HealthKitUnit(second))
        #expect(left.isCompatible(with: right) == isCompatible)
        #expect(right.isCompatible(with: left) == isCompatible)
        #expect((left.conversion(to: right) != nil) == isCompatible)
        #expect(left.isCompatible(with: left) && right.isCompatible(with: right))
    }

    @Test func conversionReportsWhetherDigitsStay() throws {
        func conversion(_ from: String, _ to: String) throws -> UnitConversion {
            try #require(try HealthKitUnit(from).conversion(to: HealthKitUnit(to)))
        }
        #expect(try conversion("kcal", "Cal").isIdentity)
        #expect(try conversion("%", "count").isIdentity)
        #expect(try conversion("m/s^2", "s^-2·m") == .identity)
        #expect(try conversion("degC", "degC").isIdentity)
        #expect(try conversion("km", "m").powerOfTen == 3)
        #expect(try conversion("mg/dL", "g/L").powerOfTen == -2)
        #expect(try conversion("lb", "kg").powerOfTen == nil)
        #expect(try conversion("degC", "K").powerOfTen == nil)
        #expect(try !conversion("degC", "K").isIdentity)
        #expect(try conversion("degC", "K").hasOffset && !conversion("lb", "kg").hasOffset)
    }

    @Test(arguments: [
        ("degF", "degC", "5", "-160", "9"), ("degC", "degF", "1.8", "32", "1"), ("K", "degF", "1.8", "-459.67", "1"),
        ("degF", "K", "5", "2298.35", "9"), ("lb", "kg", "0.45359237", "0", "1"), ("kJ", "kcal", "125", "0", "523"),
        ("m", "m", "1", "0", "1"), ("m", "ft", "1250", "0", "381"),
    ])
    func thePartsOfAConversionAreExact(from: String, to: String, multiply: String, add: String, divide: String) throws {
        let conversion = try #require(try HealthKitUnit(from).conversion(to: HealthKitUnit(to)))
        let parts = try #require(conversion.parts)
        #expect(parts.multiply == Decimal(string: multiply))
        #expect(parts.add == Decimal(string: add))
        #expect(parts.divide == Decimal(string: divide))
    }

    @Test func everyPairOfSingleUnitsHasParts() throws {
        for from in HealthKitAtom.all {
            for to in HealthKitAtom.all {
                guard let conversion = try HealthKitUnit(from.symbol).conversion(to: HealthKitUnit(to.symbol)) else {
                    continue
                }
                #expect(conversion.parts != nil, "\(from.symbol) to \(to.symbol)")
            }
        }
        #expect(try HealthKitUnit("in^20").conversion(to: HealthKitUnit("m^20"))?.parts == nil)
        #expect(
            try HealthKitUnit("in^20").conversion(to: HealthKitUnit("m^20"))?.convert("1") == "1.24932184070448602e-32")
    }

    @Test func aRandomConversionComesBack() throws {
        var random = Seeded.fresh("aRandomConversionComesBack")
        var count = 0
        for _ in 0..<400 {
            guard let unit = try? HealthKitUnit(random.unit()) else { continue }
            let other = random.alike(unit)
            let there = try #require(unit.conversion(to: other), "\(unit) to \(other), seed \(random.seed)")
            let back = try #require(other.conversion(to: unit))
            #expect(there.inverse == back, "\(unit) to \(other), seed \(random.seed)")
            #expect(there.followed(by: back) == .identity, "\(unit) to \(other), seed \(random.seed)")
            let third = random.alike(unit)
            let detour = try #require(unit.conversion(to: third)).followed(
                by: try #require(third.conversion(to: other)))
            #expect(detour == there, "\(unit) to \(third) to \(other), seed \(random.seed)")
            count += 1
        }
        #expect(count > 300)
    }

    @Test func theShortWayAndTheLongOneAgree() throws {
        var random = Seeded.fresh("theShortWayAndTheLongOneAgree")
        for _ in 0..<1_500 {
            let unit = try HealthKitUnit(random.part())
            let conversion = try #require(unit.conversion(to: random.alike(unit)))
            let text = random.decimal()
            #expect(
                conversion.convert(text) == conversion.convertAtLength(text),
                "\(text) \(unit) \(conversion.factor), seed \(random.seed)")
        }
    }

    @Test func textAndFloatingPointAgree() throws {
        var random = Seeded.fresh("textAndFloatingPointAgree")
        for _ in 0..<1_000 {
            let unit = try HealthKitUnit(random.part())
            let conversion = try #require(unit.conversion(to: random.alike(unit)))
            let text = random.decimal()
            let value = try #require(Double(text))
            let exact = try #require(conversion.convert(text).flatMap(Double.init))
            let bound = 1e-14 * max(abs(exact), abs(value * conversion.factor.double))
            #expect(abs(conversion.convert(value) - exact) <= bound, "\(text) \(unit), seed \(random.seed)")
        }
    }
}
