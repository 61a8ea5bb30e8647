import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@Suite struct HealthQuantityTests {
    private func converted(_ type: String, text: String, unit: String) throws -> String {
        let measure = try #require(HealthType.named(type)?.measure)
        return try HealthQuantity(text, unit: unit, as: measure).number.text
    }

    @Test(arguments: [
        ("HeartRate", "72", "count/min", "72"), ("HeartRate", "72.0", "count/min", "72.0"),
        ("HeartRate", "1.2", "count/s", "72"),
        ("StepCount", "1234", "count", "1234"), ("BodyMass", "154", "lb", "69.85322498"),
        ("BodyMass", "70.50", "kg", "70.50"), ("BodyMass", "70500", "g", "70.500"),
        ("BodyMass", "11", "st", "69.85322498"),
        ("BodyMass", "16", "oz", "0.45359237"),
        ("Height", "5.75", "ft", "175.26"), ("Height", "1.75", "m", "175"), ("Height", "69", "in", "175.26"),
        ("Height", "175.0", "cm", "175.0"), ("Height", "1750", "mm", "175.0"),
        ("DistanceWalkingRunning", "0.5", "mi", "804.672"), ("DistanceWalkingRunning", "1.20", "km", "1200"),
        ("DistanceWalkingRunning", "1.2345", "km", "1234.5"), ("DistanceWalkingRunning", "25", "yd", "22.86"),
        ("DistanceCycling", "3", "ft", "0.9144"), ("DistanceSwimming", "150", "cm", "1.50"),
        ("ActiveEnergyBurned", "4.184", "kJ", "1"), ("ActiveEnergyBurned", "12.5", "Cal", "12.5"),
        ("ActiveEnergyBurned", "8368", "J", "2"), ("ActiveEnergyBurned", "1500", "cal", "1.500"),
        ("BodyTemperature", "80.6", "degF", "27"), ("BodyTemperature", "98.6", "degF", "37"),
        ("BodyTemperature", "36.6", "degC", "36.6"), ("BodyTemperature", "310.15", "K", "37"),
        ("BodyTemperature", "-40", "degF", "-40"),
        ("BloodGlucose", "95", "mg/dL", "95"),
        ("BloodGlucose", "5", "mmol<180.1558800000541>/L", "90.07794000002705"),
        ("OxygenSaturation", "0.97", "%", "97"), ("OxygenSaturation", "0.970", "%", "97.0"),
        ("OxygenSaturation", "1", "%", "100"), ("OxygenSaturation", "0", "%", "0"),
        ("OxygenSaturation", "0.9", "%", "90"), ("OxygenSaturation", "9.7e-1", "%", "97"),
    ])
    func exactDecimalArithmetic(type: String, text: String, unit: String, expected: String) throws {
        #expect(try converted(type, text: text, unit: unit) == expected)
    }

    @Test func resultsHaveUpTo18Digits() throws {
        let text = try converted("DistanceWalkingRunning", text: "0.4971749504535062", unit: "mi")
        #expect(text == "800.125523462647482")
        #expect(try converted("BodyTemperature", text: "99.1", unit: "degF") == "37.2777777777777778")
    }

    @Test func aPercentageAbove1IsPercentAlreadyAndCountedAsMended() throws {
        let measure = try #require(HealthType.named("OxygenSaturation")?.measure)
        let quantity = try HealthQuantity("96", unit: "%", as: measure)
        #expect(quantity.number.text == "96")
        #expect(quantity.repairs == [.percentAlreadyScaled])
        #expect(try HealthQuantity("0.96", unit: "%", as: measure).repairs.isEmpty)
    }

    @Test(arguments: [
        ("", SkipReason.valueMissing), ("  ", .valueMissing), ("NaN", .valueNotANumber), ("inf", .valueNotANumber),
        ("72,5", .valueNotANumber), ("0x48", .valueNotANumber), ("7 2", .valueNotANumber),
        ("1e309", .valueOutOfRange),
        ("1e-400", .valueOutOfRange), ("-1e300", .valueOutOfRange), ("seventy", .valueNotANumber),
        ("-", .valueNotANumber),
        (".", .valueNotANumber), ("1.2.3", .valueNotANumber), (String(repeating: "9", count: 40), .valueOutOfRange),
    ])
    func invalidNumberIsRefusedWithItsReason(text: String, reason: SkipReason) throws {
        let measure = try #require(HealthType.named("HeartRate")?.measure)
        #expect(throws: reason) { try HealthQuantity(text, unit: "count/min", as: measure) }
    }

    @Test(arguments: [("+72", "72"), (".5", "0.5"), ("072", "72"), ("5.", "5"), (" 7 ", "7"), ("-.5", "-0.5")])
    func numbersThatAreNotValidJSONAreRepaired(text: String, expected: String) throws {
        let measure = try #require(HealthType.named("HeartRate")?.measure)
        let quantity = try HealthQuantity(text, unit: "count/min", as: measure)
        #expect(quantity.number.text == expected)
        #expect(quantity.repairs == [.numberSyntax])
    }

    @Test func aUnitThatTheTypeDoesNotHaveIsRefused() throws {
        let measure = try #require(HealthType.named("HeartRate")?.measure)
        #expect(throws: SkipReason.unknownUnit) { try HealthQuantity("72", unit: "kg", as: measure) }
    }

    @Test func movingThePointAgreesWithMultiplyingForRandomNumbers() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let mass = try #require(HealthType.named("BodyMass")?.measure)
        let height = try #require(HealthType.named("Height")?.measure)
        for _ in 0..<2000 {
            let digits = String(Int.random(in: 0...9_999_999, using: &random))
            let fractionDigits = Int.random(in: 0...6, using: &random)
            let text =
                fractionDigits == 0 ? digits : digits + "." + String(repeating: "0", count: fractionDigits - 1) + "7"
            let value = try #require(Decimal(string: text, locale: nil))
            let grams = try HealthQuantity(text, unit: "g", as: mass).number
            let metres = try HealthQuantity(text, unit: "m", as: height).number
            #expect(grams.decimal == value / 1000, "seed \(seed): \(text)")
            #expect(metres.decimal == value * 100, "seed \(seed): \(text)")
        }
    }
}
