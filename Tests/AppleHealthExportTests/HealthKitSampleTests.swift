import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

/// What an export brought and HealthKit brings again is one resource.
@Suite struct HealthKitSampleTests {
    private static let device =
        "&lt;&lt;HKDevice: 0x28&gt;, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch6,1, software:10.2&gt;"
    private static let times =
        #"startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:30:00 +0100""#

    private func raw(_ type: String, _ value: String?, _ unit: String? = nil) -> HealthKitSample {
        HealthKitSample(
            type: type, value: value, unit: unit, start: HealthInstant(seconds: 1_772_348_400, offsetMinutes: 60),
            end: HealthInstant(seconds: 1_772_350_200, offsetMinutes: 60),
            source: HealthSource(name: "Kim’s Watch", productType: "Watch6,1", version: "10.2"))
    }

    private func exported(_ element: String) throws -> JSON {
        let made = try Exports.convert(element).made
        return try #require(made.first).observation.json
    }

    private func made(_ raw: HealthKitSample) throws -> JSON {
        var zones = TimeZoneOffsets()
        return try raw.sample(in: .standard, &zones).observation(subject: "p1").json
    }

    private func attributes(_ type: String) -> String {
        #"type="\#(type)" sourceName="Kim’s Watch" sourceVersion="10.2" device="\#(Self.device)" \#(Self.times)"#
    }

    @Test(arguments: [
        ("HKQuantityTypeIdentifierHeartRate", "72", "72", "count/min"),
        ("HKQuantityTypeIdentifierOxygenSaturation", "0.97", "0.97", "%"),
        ("HKQuantityTypeIdentifierOxygenSaturation", "97", "97", "%"),
        ("HKQuantityTypeIdentifierBodyMass", "150.50", "150.50", "lb"),
        ("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisAsleepREM", "5", nil),
        ("HKCategoryTypeIdentifierHighHeartRateEvent", "HKCategoryValueNotApplicable", "0", nil),
        ("HKCategoryTypeIdentifierMenstrualFlow", "HKCategoryValueVaginalBleedingLight", "2", nil),
    ])
    func aRecord(type: String, written: String, raw value: String, unit: String?) throws {
        let unitText = unit.map { #" unit="\#($0)""# } ?? ""
        let record =
            #"<Record \#(attributes(type)) value="\#(written)"\#(unitText)>"#
            + #"<MetadataEntry key="HKTimeZone" value="America/New_York"/>"#
            + #"<MetadataEntry key="HKWasUserEntered" value="1"/><MetadataEntry key="X" value="Kim"/></Record>"#
        var sample = raw(type, value, unit)
        sample.metadata = ["HKTimeZone": "America/New_York", "HKWasUserEntered": "1", "X": "Kim"]
        #expect(try made(sample) == exported(record))
    }

    @Test func aCorrelationAndAWorkout() throws {
        let (systolic, diastolic) = (
            "HKQuantityTypeIdentifierBloodPressureSystolic", "HKQuantityTypeIdentifierBloodPressureDiastolic"
        )
        let correlation =
            #"<Correlation \#(attributes("HKCorrelationTypeIdentifierBloodPressure"))>"#
            + #"<Record \#(attributes(systolic)) value="121" unit="mmHg"/>"#
            + #"<Record \#(attributes(diastolic)) value="79" unit="mmHg"/></Correlation>"#
        var pressure = raw("HKCorrelationTypeIdentifierBloodPressure", nil)
        pressure.members = [raw(systolic, "121", "mmHg"), raw(diastolic, "79", "mmHg")]
        #expect(try made(pressure) == exported(correlation))

        let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"
        let workout =
            #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Kim’s Watch" sourceVersion="10.2""#
            + #" device="\#(Self.device)" \#(Self.times)>"#
            + #"<WorkoutStatistics type="\#(energy)" sum="250.5" unit="kcal"/></Workout>"#
        var run = raw("HKWorkoutTypeIdentifier", "37")
        run.members = [raw(energy, "250.5", "kcal")]
        #expect(try made(run) == exported(workout))
    }

    @Test(arguments: [1, 2])
    func aWorkoutWithItsParts(activities: Int) throws {
        let distance = "HKQuantityTypeIdentifierDistanceSwimming"
        let event =
            #"<WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-03-01 08:05:00 +0100" duration="0.5125""#
            + #" durationUnit="min"><MetadataEntry key="HKSwimmingStrokeStyle" value="2"/></WorkoutEvent>"#
            + #"<WorkoutEvent type="HKWorkoutEventTypePause" date="2026-03-01 08:10:00 +0100"/>"#
        let activity =
            #"<WorkoutActivity uuid="x" startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:12:00 +0100""#
            + #" duration="12" durationUnit="min"><WorkoutStatistics type="\#(distance)" sum="400" unit="m"/>"#
            + "</WorkoutActivity>"
        let second = activity.replacingOccurrences(of: "08:00:00", with: "08:02:00")
        let workout =
            #"<Workout workoutActivityType="HKWorkoutActivityTypeSwimming" sourceName="Kim’s Watch""#
            + #" sourceVersion="10.2" device="\#(Self.device)" \#(Self.times)>"# + event + activity
            + (activities == 2 ? second : "") + "</Workout>"
        let start: Int64 = 1_772_348_400
        func part(_ event: String?, _ from: Int64, _ to: Int64, _ duration: Double) -> HealthKitSample.WorkoutPart {
            HealthKitSample.WorkoutPart(
                event: event, start: HealthInstant(seconds: start + from, offsetMinutes: 60),
                end: HealthInstant(seconds: start + to, offsetMinutes: 60), duration: duration)
        }
        var swim = raw("HKWorkoutTypeIdentifier", "46")
        swim.parts = [part("3", 300, 330, 30.75), part("1", 600, 600, 0), part(nil, 0, 720, 720)]
        swim.parts[0].metadata = ["HKSwimmingStrokeStyle": "2", "X": "Kim"]
        swim.parts[2].members = [raw(distance, "400", "m")]
        if activities == 2 {
            var more = part(nil, 120, 720, 600)
            more.members = swim.parts[2].members
            swim.parts.append(more)
        }
        let made = try made(swim)
        #expect(try made == exported(workout))
        let parts = made["component"]?.array ?? []
        #expect(parts.count { $0["valuePeriod"] != nil } == (activities == 2 ? 3 : 1))
    }

    @Test func partsThatCannotBeAreLeftOut() throws {
        let moment = HealthInstant(seconds: 1_772_348_400, offsetMinutes: 60)
        let never = HealthInstant(seconds: .max / 2, offsetMinutes: 0)
        var run = raw("HKWorkoutTypeIdentifier", "37")
        for (event, start, end, duration) in [
            ("99", moment, moment, 0), ("3", never, never, 0), (nil, moment, never, 0), (nil, never, moment, 1),
            ("2", moment, moment, Double.nan), ("7", moment, moment, -1), ("4", moment, moment, 1e300),
        ] as [(String?, HealthInstant, HealthInstant, Double)] {
            run.parts.append(
                HealthKitSample.WorkoutPart(event: event, start: start, end: end, duration: duration))
        }
        for place in 0..<1_100 {
            let start = HealthInstant(seconds: moment.seconds + Int64(place), offsetMinutes: 60)
            run.parts.append(HealthKitSample.WorkoutPart(event: "3", start: start, end: start, duration: 0))
        }
        var zones = TimeZoneOffsets()
        let sample = try run.sample(in: .standard, &zones)
        guard case .workout(let workout) = sample.value else { return #expect(Bool(false)) }
        // Those of an impossible length are moments.
        #expect(workout.parts.count == HealthWorkout.partLimit && sample.repairs.contains(.partDropped))
        #expect(workout.parts.prefix(3).map(\.kind.code).allSatisfy { $0.hasPrefix("HKWorkoutEventType") })
    }

    @Test func whatIsNoneSaysWhy() {
        func reason(_ raw: HealthKitSample) -> SkipReason? {
            var zones = TimeZoneOffsets()
            do throws(SkipReason) {
                _ = try raw.sample(in: .standard, &zones)
                return nil
            } catch {
                return error
            }
        }
        let heartRate = "HKQuantityTypeIdentifierHeartRate"
        #expect(reason(raw("HKUnknown", "1")) == .unsupportedType)
        #expect(reason(raw("HKElectrocardiogram", "1")) == .unsupportedType)
        #expect(reason(raw(heartRate, nil, "count/min")) == .valueMissing)
        #expect(reason(raw(heartRate, "72", "kg")) == .unknownUnit)
        #expect(reason(raw(heartRate, "x", "count/min")) == .valueNotANumber)
        #expect(reason(raw("HKCategoryTypeIdentifierSleepAnalysis", "99")) == .unknownValue)
        #expect(reason(raw("HKCorrelationTypeIdentifierBloodPressure", nil)) == .incompleteCorrelation)
    }
}
