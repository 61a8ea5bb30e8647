import FHIR
import Foundation
import HealthData
import HealthDataTestSupport
import Testing

@Suite struct WorkoutPartTests {
    static func workout(_ parts: [HealthWorkoutPart]) throws -> HealthSample {
        let type = HealthType.workout
        var workout = HealthWorkout(activity: try #require(type.option(named: "HKWorkoutActivityTypeSwimming")))
        for part in parts {
            let isAdded = workout.add(part)
            #expect(isAdded)
        }
        return HealthSample(
            type: type, value: .workout(workout), start: Samples.start,
            end: HealthInstant(seconds: Samples.start.seconds + 1800, offsetMinutes: -420), source: Samples.watch)
    }

    static func event(_ name: String, at seconds: Int64 = 60, milliseconds: Int64 = 0) throws -> HealthWorkoutPart {
        HealthWorkoutPart(
            try #require(HealthWorkoutPart.event(named: name)),
            start: HealthInstant(seconds: Samples.start.seconds + seconds, offsetMinutes: -420),
            milliseconds: milliseconds)
    }

    @Test func healthKitsEightKindsOfEventsByNameAndByNumber() {
        let names = [
            "Pause", "Resume", "Lap", "Marker", "MotionPaused", "MotionResumed", "Segment", "PauseOrResumeRequest",
        ]
        #expect(HealthWorkoutPart.events.map(\.code) == names.map { "HKWorkoutEventType" + $0 })
        for (index, name) in names.enumerated() {
            #expect(HealthWorkoutPart.event(named: "HKWorkoutEventType" + name)?.aliases == [String(index + 1)])
            #expect(HealthWorkoutPart.event(named: String(index + 1))?.code == "HKWorkoutEventType" + name)
        }
        for name in ["", "Pause", "HKWorkoutEventTypeDance", "0", "9"] {
            #expect(HealthWorkoutPart.event(named: name) == nil, "\(name)")
        }
    }

    @Test func aMomentIsADateTimeASpanAPeriodToTheThousandthOfASecond() throws {
        let sample = try Self.workout([
            try Self.event("HKWorkoutEventTypePause"), try Self.event("3", at: 120, milliseconds: 25_030),
            try Self.event("HKWorkoutEventTypeSegment", at: 180, milliseconds: 60_000),
        ])
        let components = sample.observation(subject: "p1").component
        #expect(components.map { $0.value?.type } == ["DateTime", "Period", "Period"])
        #expect(components[0].code?.coding.first?.system == HealthCodeSystem.healthKit)
        #expect(components[0].code?.coding.first?.code == "HKWorkoutEventTypePause")
        #expect(components[0].value?.json.string == "2016-11-14T08:26:41-07:00")
        #expect(
            components[1].value?.json == [
                "start": "2016-11-14T08:27:41-07:00", "end": "2016-11-14T08:28:06.030-07:00",
            ]
        )
        #expect(components[2].value?.json["end"]?.string == "2016-11-14T08:29:41-07:00")
    }

    @Test func textOfAWorkoutIsThatOfTheModelWithMetadataFiguresAndUnitsAsRecorded() throws {
        var lap = try Self.event("HKWorkoutEventTypeLap", milliseconds: 25_300)
        lap.context.add(key: "HKSwimmingStrokeStyle", value: "2")
        lap.context.add(key: "HKLapLength", value: "25 yd")
        var leg = HealthWorkoutPart(HealthWorkoutPart.activity, start: Samples.start, milliseconds: 600_000)
        let name = "HKQuantityTypeIdentifierDistanceSwimming"
        let measure = try #require(HealthType.workout.components.first { $0.identifier == name }?.measure)
        leg.add(name, try HealthQuantity("1500", unit: "yd", as: measure), as: measure)
        leg.add(name, try HealthQuantity("1", unit: "yd", as: measure), as: measure)
        #expect(leg.figures.count == 1)
        for parts in [[lap, leg], [lap], []] {
            var sample = try Self.workout(parts)
            sample.context.add(key: "HKIndoorWorkout", value: "1")
            for units in [HealthSelection.Units.metric, .asRecorded] {
                let made = HealthObservation(sample, fingerprint: sample.fingerprint, subject: "p1", units: units)
                var bytes: [UInt8] = []
                made.write(to: &bytes)
                let model = ObservationModel(sample: sample, subject: "p1", units: units).json
                #expect(String(decoding: bytes, as: UTF8.self) == model.text())
                #expect(made.observation.json == model)
            }
        }
        let components = try Self.workout([lap, leg]).observation(subject: "p1").json["component"]
        #expect(components?[0]?["extension"]?[0]?["valueCode"]?.string == "freestyle")
        #expect(components?[1]?["extension"]?[0]?["url"]?.string == HealthWorkoutPart.figurePrefix + name)
        #expect(components?[1]?["extension"]?[0]?["valueQuantity"]?["value"]?.number?.text == "1371.6")
    }

    @Test func aWorkoutIsTheSameWhetherItsEventsAreKnownOrNot() throws {
        let plain = try Self.workout([])
        let full = try Self.workout([try Self.event("HKWorkoutEventTypePause"), try Self.event("2", at: 90)])
        #expect(plain.fingerprint == full.fingerprint && plain != full)
    }

    @Test func duplicateEventsAreDroppedAndTheirNumberIsLimited() throws {
        var workout = HealthWorkout(activity: try #require(HealthType.workout.options.first))
        for second in 0..<Int64(HealthWorkout.partLimit) {
            let isAdded = [
                workout.add(try Self.event("HKWorkoutEventTypeLap", at: second)),
                workout.add(try Self.event("HKWorkoutEventTypeLap", at: second)),
            ]
            #expect(isAdded == [true, true])
        }
        #expect(workout.parts.count == HealthWorkout.partLimit)
        let isAdded = workout.add(try Self.event("HKWorkoutEventTypeLap", at: 5000))
        #expect(!isAdded && workout.parts.count == HealthWorkout.partLimit)
    }
}
