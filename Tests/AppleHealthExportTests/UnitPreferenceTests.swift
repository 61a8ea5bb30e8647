import HealthData
import Testing

@testable import AppleHealthExport

/// The same samples exported before and after the person changed the units of the Health app.
@Suite struct UnitPreferenceTests {
    private static let forms: [(type: String, first: (String, String), second: (String, String))] = [
        ("BodyMass", ("165", "lb"), ("74.84274105", "kg")),
        ("DistanceWalkingRunning", ("0.5", "mi"), ("0.804672", "km")),
        ("BloodGlucose", ("110", "mg/dL"), ("6.10582", "mmol&lt;180.1558800000541&gt;/L")),
        ("BodyTemperature", ("98.6", "degF"), ("37", "degC")),
        ("ActiveEnergyBurned", ("59.751", "kcal"), ("249.998", "kJ")),
        ("DietaryWater", ("8", "fl_oz_us"), ("236.588", "mL")), ("Height", ("70", "in"), ("177.8", "cm")),
    ]

    private static func export(_ isSecond: Bool) -> String {
        forms.map { type, first, second in
            let (value, unit) = isSecond ? second : first
            return Exports.record("HKQuantityTypeIdentifier" + type, value, unit: unit)
        }.joined()
    }

    @Test func anExportInOtherUnitsAddsNothing() throws {
        let first = try Exports.convert(Self.export(false))
        let second = try Exports.convert(Self.export(true))
        #expect(first.observations.map(\.id) == second.observations.map(\.id))
        #expect(first.made.count == Self.forms.count)
        let again = try Exports.convert(
            bytes: Array(Exports.root(Self.export(true)).utf8), known: Set(first.made.map(\.fingerprint)))
        #expect(again.made.isEmpty && again.importReport.skippedTotal == Self.forms.count)
    }

    @Test func samplesInTwoUnitsWithinOneExportAreConvertedOnce() throws {
        let outcome = try Exports.convert(Self.export(false) + Self.export(true))
        #expect(outcome.made.count == Self.forms.count)
        for form in Self.forms { #expect(outcome.skipped("HKQuantityTypeIdentifier" + form.type, .duplicate) == 1) }
    }

    @Test func valuesThatDifferAreTwoSamplesInEitherUnit() throws {
        func export(_ unit: String, _ values: [String]) -> String {
            values.map { Exports.record("HKQuantityTypeIdentifierBodyMass", $0, unit: unit) }.joined()
        }
        let pounds = try Exports.convert(export("lb", ["165", "165.2"]))
        let kilograms = try Exports.convert(export("kg", ["74.9335", "74.8427"]))
        #expect(pounds.made.count == 2)
        #expect(Set(pounds.observations.map(\.id)) == Set(kilograms.observations.map(\.id)))
    }

    @Test func aUnitThatDoesNotConvertIsSkippedWithItsReason() throws {
        let outcome = try Exports.convert(
            Exports.record("HKQuantityTypeIdentifierBodyMass", "72", unit: "mi")
                + Exports.record("HKQuantityTypeIdentifierBodyMass", "72", unit: "kg"))
        #expect(outcome.made.count == 1 && outcome.skipped("HKQuantityTypeIdentifierBodyMass", .unknownUnit) == 1)
    }

    /// A sample that HealthKit or a journal reports has the same id as the export's.
    @Test(arguments: [("804.672", "m"), ("0.804672", "km"), ("0.5", "mi"), ("880", "yd")])
    func healthKitSampleHasTheIdOfTheExportsSampleInAnyUnit(value: String, unit: String) throws {
        let made = try #require(
            Exports.convert(
                Exports.record("HKQuantityTypeIdentifierDistanceWalkingRunning", "0.5", unit: "mi")
            ).made.first)
        var raw = HealthKitSample(
            uuid: .init(), type: "HKQuantityTypeIdentifierDistanceWalkingRunning", value: value, unit: unit,
            start: made.sample.start, end: made.sample.end,
            source: HealthSource(name: "Apple Watch", productType: "Watch2,4", version: "4.3.1"))
        raw.start.offsetMinutes = 60
        var zones = TimeZoneOffsets()
        let sample = try raw.sample(in: .standard, &zones)
        #expect(sample.fingerprint == made.fingerprint)
    }
}
