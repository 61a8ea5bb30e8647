import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

/// A sample of an export and the same sample of HealthKit are one resource.
@Suite struct HealthKitSampleTests {
    private static let device =
        "&lt;&lt;HKDevice: 0x28&gt;, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch6,1, software:10.2&gt;"
    private static let times =
        #"startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:30:00 +0100""#

    private func raw(_ type: String, value: String?, unit: String? = nil) -> HealthKitSample {
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
        var sample = raw(type, value: value, unit: unit)
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
        var pressure = raw("HKCorrelationTypeIdentifierBloodPressure", value: nil)
        pressure.members = [raw(systolic, value: "121", unit: "mmHg"), raw(diastolic, value: "79", unit: "mmHg")]
        #expect(try made(pressure) == exported(correlation))

        let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"
        let workout =
            #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Kim’s Watch" sourceVersion="10.2""#
            + #" device="\#(Self.device)" \#(Self.times)>"#
            + #"<WorkoutStatistics type="\#(energy)" sum="250.5" unit="kcal"/></Workout>"#
        var run = raw("HKWorkoutTypeIdentifier", value: "37")
        run.members = [raw(energy, value: "250.5", unit: "kcal")]
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
        func part(_ event: String?, from: Int64, to: Int64, duration: Double) -> HealthKitSample.WorkoutPart {
            HealthKitSample.WorkoutPart(
                event: event, start: HealthInstant(seconds: start + from, offsetMinutes: 60),
                end: HealthInstant(seconds: start + to, offsetMinutes: 60), duration: duration)
        }
        var swim = raw("HKWorkoutTypeIdentifier", value: "46")
        swim.parts = [
            part("3", from: 300, to: 330, duration: 30.75), part("1", from: 600, to: 600, duration: 0),
            part(nil, from: 0, to: 720, duration: 720),
        ]
        swim.parts[0].metadata = ["HKSwimmingStrokeStyle": "2", "X": "Kim"]
        swim.parts[2].members = [raw(distance, value: "400", unit: "m")]
        if activities == 2 {
            var more = part(nil, from: 120, to: 720, duration: 600)
            more.members = swim.parts[2].members
            swim.parts.append(more)
        }
        let made = try made(swim)
        #expect(try made == exported(workout))
        let parts = made["component"]?.array ?? []
        #expect(parts.count { $0["valuePeriod"] != nil } == (activities == 2 ? 3 : 1))
    }

    @Test func invalidPartsAreLeftOut() throws {
        let moment = HealthInstant(seconds: 1_772_348_400, offsetMinutes: 60)
        let never = HealthInstant(seconds: .max / 2, offsetMinutes: 0)
        var run = raw("HKWorkoutTypeIdentifier", value: "37")
        for (event, start, end, duration) in [
            ("99", moment, moment, 0), ("3", never, never, 0), (nil, moment, never, 0), (nil, never, moment, 1),
            ("2", moment, moment, Double.nan), ("7", moment, moment, -1), ("4", moment, moment, 1e300),
        ] as [(String?, HealthInstant, HealthInstant, Double)] {
            run.parts.append(
                HealthKitSample.WorkoutPart(event: event, start: start, end: end, duration: duration))
        }
        for offset in 0..<1_100 {
            let start = HealthInstant(seconds: moment.seconds + Int64(offset), offsetMinutes: 60)
            run.parts.append(HealthKitSample.WorkoutPart(event: "3", start: start, end: start, duration: 0))
        }
        var zones = TimeZoneOffsets()
        let sample = try run.sample(in: .standard, &zones)
        guard case .workout(let workout) = sample.value else { return #expect(Bool(false)) }
        // Events of an impossible duration are points in time.
        #expect(workout.parts.count == HealthWorkout.partLimit && sample.repairs.contains(.partDropped))
        #expect(workout.parts.prefix(3).map(\.kind.code).allSatisfy { $0.hasPrefix("HKWorkoutEventType") })
    }

    @Test func invalidSamplesHaveAReason() {
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
        #expect(reason(raw("HKUnknown", value: "1")) == .unsupportedType)
        #expect(reason(raw("HKElectrocardiogram", value: "1")) == .unsupportedType)
        #expect(reason(raw(heartRate, value: nil, unit: "count/min")) == .valueMissing)
        #expect(reason(raw(heartRate, value: "72", unit: "kg")) == .unknownUnit)
        #expect(reason(raw(heartRate, value: "x", unit: "count/min")) == .valueNotANumber)
        #expect(reason(raw("HKCategoryTypeIdentifierSleepAnalysis", value: "99")) == .unknownValue)
        #expect(reason(raw("HKCorrelationTypeIdentifierBloodPressure", value: nil)) == .incompleteCorrelation)
    }
}
