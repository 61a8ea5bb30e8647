import FHIR
import Foundation
import HealthDataTestSupport
import TestSupport
import Testing

@testable import HealthData
@testable import SleepNights

/// A sample has one identity for all units of its value.
@Suite struct IdentityTests {
    private struct Missing: Error {}

    /// A type, and two units that the Health app offers for it.
    static let units: [(type: String, first: String, second: String, range: ClosedRange<Double>)] = [
        ("DistanceWalkingRunning", "mi", "km", 0.01...30), ("DistanceWalkingRunning", "m", "yd", 1...20_000),
        ("BodyMass", "lb", "kg", 60...400), ("BodyMass", "st", "kg", 5...30),
        ("BodyTemperature", "degF", "degC", 90...110), ("WaterTemperature", "degF", "degC", 31...90),
        ("BloodGlucose", "mg/dL", "mmol<180.1558800000541>/L", 30...600),
        ("ActiveEnergyBurned", "kcal", "kJ", 0.01...2000), ("DietaryWater", "fl_oz_us", "mL", 1...60),
        ("Height", "in", "cm", 20...90), ("Height", "ft", "m", 2...8), ("WalkingSpeed", "mi/hr", "km/hr", 0.5...9),
        ("WaistCircumference", "in", "cm", 10...80),
        ("PeakExpiratoryFlowRate", "L/min", "mL/s", 50...900),
    ]

    private static func sample(_ type: String, value: String, unit: String) throws -> HealthSample {
        try Samples.quantity(type, value, unit: unit)
    }

    /// Returns the fingerprints by which a sample is known.
    private static func all(_ sample: HealthSample) -> Set<SampleFingerprint> {
        Set([sample.fingerprint] + sample.alternateFingerprints)
    }

    @Test(arguments: [
        ("DistanceWalkingRunning", "0.5", "mi", "0.804672", "km"),
        ("DistanceWalkingRunning", "0.5", "mi", "804.672", "m"),
        ("BodyMass", "165", "lb", "74.84274105", "kg"), ("BodyMass", "165", "lb", "74.8427", "kg"),
        ("BodyMass", "11.7857", "st", "165", "lb"), ("BodyMass", "72.0", "kg", "72", "kg"),
        ("BloodGlucose", "110", "mg/dL", "6.10582", "mmol<180.1558800000541>/L"),
        ("BodyTemperature", "98.6", "degF", "37", "degC"), ("BodyTemperature", "98.78", "degF", "37.1", "degC"),
        ("WaterTemperature", "32.018", "degF", "0.01", "degC"), ("Height", "70", "in", "177.8", "cm"),
        ("Height", "5.83333", "ft", "1.778", "m"), ("ActiveEnergyBurned", "100", "kcal", "418.4", "kJ"),
        ("DietaryWater", "8", "fl_oz_us", "236.588", "mL"), ("OxygenSaturation", "0.97", "%", "0.970", "%"),
        ("StepCount", "1001", "count", "1001.0", "count"),
    ])
    func theSameValueInAnotherUnitIsTheSameSample(
        type: String, value: String, unit: String, other: String, otherUnit: String
    ) throws {
        let (first, second) = (
            try Self.sample(type, value: value, unit: unit), try Self.sample(type, value: other, unit: otherUnit)
        )
        #expect(first.fingerprint == second.fingerprint)
        #expect(first.fingerprint.resourceID(subject: "p1") == second.fingerprint.resourceID(subject: "p1"))
    }

    @Test(arguments: [
        ("BodyMass", "72.0", "kg", "72.1", "kg"), ("BodyMass", "159.0", "lb", "159.2", "lb"),
        ("StepCount", "1000", "count", "1001", "count"), ("StepCount", "100000", "count", "100001", "count"),
        ("BodyTemperature", "36.6", "degC", "36.65", "degC"), ("BloodGlucose", "110", "mg/dL", "111", "mg/dL"),
        ("BloodGlucose", "399", "mg/dL", "400", "mg/dL"), ("OxygenSaturation", "0.96", "%", "0.97", "%"),
        ("DistanceWalkingRunning", "0.804", "km", "0.805", "km"), ("Height", "177.8", "cm", "178", "cm"),
        ("ActiveEnergyBurned", "0.143", "kcal", "0.144", "kcal"), ("HeartRate", "-1", "count/min", "1", "count/min"),
        ("BodyMass", "0", "kg", "1", "kg"),
    ])
    func anotherValueIsAnotherSample(
        type: String, value: String, unit: String, other: String, otherUnit: String
    ) throws {
        let (first, second) = (
            try Self.sample(type, value: value, unit: unit), try Self.sample(type, value: other, unit: otherUnit)
        )
        #expect(Self.all(first).isDisjoint(with: Self.all(second)))
    }

    @Test func writtenFormsWithSixDigitsShareAnIdentityForRandomValuesOfEveryUnit() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        var (apart, missed, count) = (0, 0, 0)
        for (type, first, second, range) in Self.units {
            let measure = try #require(HealthType.named(type)?.measure)
            let size = try [first, second].map { name in
                try [0, 1].map { try HealthQuantity(String($0), unit: name, as: measure).number.double }
            }
            for _ in 0..<400 {
                let value = Double.random(in: range, using: &random)
                let own = size[0][0] + value * (size[0][1] - size[0][0])
                let other = (own - size[1][0]) / (size[1][1] - size[1][0])
                func read(_ value: Double, _ unit: String) throws -> HealthSample {
                    try Self.sample(type, value: String(format: "%.6g", value), unit: unit)
                }
                let (left, right) = (try read(value, first), try read(other, second))
                count += 1
                guard left.fingerprint != right.fingerprint else { continue }
                apart += 1
                if Self.all(left).isDisjoint(with: Self.all(right)) { missed += 1 }
            }
        }
        #expect(missed == 0, "seed \(seed)")
        // Few values are at a boundary, so that nearly all have one id from the beginning.
        #expect(apart * 25 < count, "\(apart) of \(count), seed \(seed)")
    }

    @Test(arguments: [
        ("0", "0"), ("0.0", "0"), ("72", "72"), ("72.0", "72"), ("1234", "1234"), ("12345", "12350"),
        ("12344", "12340"),
        ("99999", "100000"), ("0.00012345", "0.0001235"), ("-0.5", "-0.5"), ("1.5e3", "1500"), ("2E-3", "0.002"),
        ("10.5", "10.5"), ("100", "100"), ("0.970", "0.97"),
    ])
    func aNumberIsRoundedToFourDigits(number: String, text: String) {
        #expect(IdentityNumber(number, .significant(4, isCount: false)).text == text)
    }

    @Test func aNumberAtABoundaryHasTheOtherSideAsItsAlternate() {
        func number(_ text: String) -> IdentityNumber { IdentityNumber(text, .significant(4, isCount: false)) }
        #expect(number("10.005") == number("10.005"))
        #expect(number("10.0050001").text == "10.01" && number("10.0050001").alternate == "10")
        #expect(number("10.0049999").text == "10" && number("10.0049999").alternate == "10.01")
        #expect(number("10.003").alternate == nil)
        #expect(number("999.95").text == "1000" && number("999.95").alternate == "999.9")
        #expect(IdentityNumber("1234567", .significant(4, isCount: true)).text == "1234567")
        #expect(IdentityNumber("12345.67", .significant(4, isCount: true)).text == "12350")
        #expect(IdentityNumber("36.655", .decimal(2)).alternate == "36.65")
        #expect(IdentityNumber("0.001", .decimal(2)).text == "0")
        #expect(IdentityNumber("97.0", .significant(4, isCount: false), shiftedBy: -2).text == "0.97")
    }

    /// Returns two written forms of one value that are on both sides of a boundary.
    private static func pairAtABoundary() throws -> (HealthSample, HealthSample) {
        for step in 1...20_000 {
            let miles = Double(step) / 1000
            let left = try sample("DistanceWalkingRunning", value: String(format: "%.6g", miles), unit: "mi")
            let right = try sample(
                "DistanceWalkingRunning", value: String(format: "%.6g", miles * 1.609344), unit: "km")
            if left.fingerprint != right.fingerprint { return (left, right) }
        }
        throw Missing()
    }

    @Test func sampleInTwoUnitsAtABoundaryIsConvertedOnce() throws {
        let (left, right) = try Self.pairAtABoundary()
        #expect(right.alternateFingerprints.contains(left.fingerprint))
        for samples in [[left, right], [right, left]] {
            let (made, importReport) = try Samples.convert(samples)
            #expect(made.count == 1 && importReport.converted == 1)
            #expect(importReport.skipped["HKQuantityTypeIdentifierDistanceWalkingRunning"] == [.duplicate: 1])
        }
        let (made, importReport) = try Samples.convert([right], known: [left.fingerprint])
        #expect(made.isEmpty)
        #expect(importReport.skipped["HKQuantityTypeIdentifierDistanceWalkingRunning"] == [.alreadyKnown: 1])
    }

    @Test func bothPressuresAndTheMembersOfAMealCountWithTheirAlternates() throws {
        let type = try #require(HealthType.named("BloodPressure"))
        func pressure(_ systolic: String, diastolic: String, unit: String) throws -> HealthSample {
            let values = try zip(type.components, [systolic, diastolic]).map { component, text in
                try HealthQuantity(text, unit: unit, as: component.measure)
            }
            return HealthSample(
                type: type, value: .bloodPressure(systolic: values[0], diastolic: values[1]), start: Samples.start,
                end: Samples.start, source: Samples.watch)
        }
        let written = try pressure("120", diastolic: "80", unit: "mmHg")
        #expect(written.alternateFingerprints.isEmpty)
        #expect(try pressure("15.9987", diastolic: "10.6658", unit: "kPa").fingerprint == written.fingerprint)
        let close = try pressure("120.05001", diastolic: "80.005001", unit: "mmHg")
        #expect(close.alternateFingerprints.count == 3)
        #expect(close.alternateFingerprints.contains(try pressure("120", diastolic: "80", unit: "mmHg").fingerprint))
        #expect(close.alternateFingerprints.contains(try pressure("120.1", diastolic: "80", unit: "mmHg").fingerprint))
        func meal(_ energy: String, _ unit: String) throws -> HealthSample {
            let part = try Samples.quantity("DietaryEnergyConsumed", energy, unit: unit)
            guard case .quantity(let quantity) = part.value else { throw Missing() }
            let member = HealthMember(
                measure: try #require(part.type.measure), quantity: quantity, fingerprint: part.fingerprint,
                alternates: part.alternateFingerprints)
            return try Samples.category("HKCorrelationTypeIdentifierFood", .components([member]))
        }
        #expect(try meal("500", "kcal").fingerprint == meal("2092", "kJ").fingerprint)
        #expect(try meal("500.05001", "kcal").alternateFingerprints == [meal("500", "kcal").fingerprint])
    }

    @Test func nameOfASourceIsNotPartOfIdentityOrEquality() throws {
        let named = try Samples.heartRate(source: HealthSource(product: .app, version: "1", name: "Alpha".utf8))
        let other = try Samples.heartRate(source: HealthSource(product: .app, version: "1", name: "Beta".utf8))
        #expect(named.fingerprint == other.fingerprint && named.source == other.source)
        #expect(SourceRank(named) != SourceRank(other))
    }
}
