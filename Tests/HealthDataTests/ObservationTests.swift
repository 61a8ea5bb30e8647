import FHIR
import Foundation
import HealthDataTestSupport
import TestSupport
import Testing

@testable import HealthData

@Suite struct ObservationTests {
    @Test func aMomentsQuantityMemberByMember() throws {
        var sample = try Samples.heartRate()
        sample.created = HealthInstant(seconds: Samples.start.seconds + 60, offsetMinutes: -420)
        sample.context.add(key: "HKMetadataKeyHeartRateMotionContext", value: "2")
        let expected = """
            {"resourceType":"Observation","id":"\(sample.fingerprint.resourceID(subject: "p1"))",\
            "extension":[{"url":"urn:tributary:healthkit-metadata:HKMetadataKeyHeartRateMotionContext","valueCode":"active"}],\
            "identifier":[{"system":"urn:tributary:content-hash","value":"\(sample.fingerprint.text)"}],"status":"final",\
            "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category",\
            "code":"vital-signs","display":"Vital Signs"}]}],\
            "code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"},\
            {"system":"http://developer.apple.com/documentation/healthkit",\
            "code":"HKQuantityTypeIdentifierHeartRate","display":"Heart Rate"}],"text":"Heart Rate"},\
            "subject":{"reference":"Patient/p1"},"effectiveDateTime":"2016-11-14T08:25:41-07:00",\
            "issued":"2016-11-14T08:26:41-07:00","valueQuantity":{"value":72,"unit":"beats/minute",\
            "system":"http://unitsofmeasure.org","code":"/min"},"device":{"display":"Apple Watch"}}
            """
        #expect(sample.observation(subject: "p1").json.text() == expected)
    }

    @Test func textOfAnObservationIsThatOfTheModel() throws {
        var samples = [try Samples.heartRate(), try Samples.heartRate(end: 5), try Samples.pressure("120", nil)]
        samples[0].uuid = UUID(uuidString: "5A1C1C7E-0F1A-4B58-9D35-0E4B8F6B2A11")
        samples[0].created = Samples.start
        samples[1].context.add(key: "HKMetadataKeyHeartRateMotionContext", value: "2")
        samples[1].context.add(key: "HKIndoorWorkout", value: "1")
        samples[1].context.add(key: "HKLapLength", value: "25 yd")
        samples[1].context.wasUserEntered = true
        samples += try Samples.ofEveryShape() + HealthType.all.compactMap(\.exampleSample)
        for sample in samples {
            for (subject, units) in [
                (nil, .metric), ("p1", .metric), ("p1", .asRecorded), ("quoted\"\\", .metric),
            ] as [(String?, HealthSelection.Units)] {
                let made = HealthObservation(sample, fingerprint: sample.fingerprint, subject: subject, units: units)
                var bytes: [UInt8] = []
                made.write(to: &bytes)
                let model = ObservationModel(sample: sample, subject: subject, units: units).json
                #expect(String(decoding: bytes, as: UTF8.self) == model.text())
                #expect(made.observation.json == model && made.observation.id == made.id)
            }
        }
    }

    @Test func recordedValueIsAnExtensionOrTheValueIfRequested() throws {
        let mass = try Samples.quantity("BodyMass", "158.50", unit: "lb")
        let given = try #require(mass.observation(subject: nil).value?.json)
        #expect(given["value"]?.number?.text == "71.894390645" && given["code"]?.string == "kg")
        let recorded = try #require(given["extension"]?[0])
        #expect(recorded["url"]?.string == HealthQuantity.recordedURL)
        #expect(recorded["valueQuantity"]?["value"]?.number?.text == "158.50")
        #expect(recorded["valueQuantity"]?["code"]?.string == "lb")
        #expect(recorded["valueQuantity"]?["system"]?.string == HealthCodeSystem.healthKit)
        let own = HealthObservation(mass, fingerprint: mass.fingerprint, subject: nil, units: .asRecorded).observation
        let value = try #require(own.value?.json)
        #expect(value["value"]?.number?.text == "158.50" && value["code"]?.string == "[lb_av]")
        #expect(value["extension"] == nil && own.id == mass.observation(subject: nil).id)
        // HealthKit's percent is a fraction; as a percentage it is multiplied by 100.
        let share = try Samples.quantity("OxygenSaturation", "0.97", unit: "%")
        let percent = HealthObservation(share, fingerprint: share.fingerprint, subject: nil, units: .asRecorded)
            .observation
        #expect(percent.value?.json["value"]?.number?.text == "97" && percent.value?.json["code"]?.string == "%")
    }

    @Test func physicalDeviceHasOneResourceForAllSoftwareVersionsAndTexts() throws {
        func device(_ text: String) -> HealthDevice? { Redaction.device(text, product: .appleWatch) }
        let first = device(", name:Robin's Watch, manufacturer:Apple, model:Watch, hardware:Watch2,4, software:4.3.1")
        #expect(
            first
                == device(
                    ", name:x, manufacturer:Apple, model:Watch, hardware:Watch2,4, software:10.1, creation date:2020"))
        #expect(first != device(", name:x, manufacturer:Apple, model:Watch, hardware:Watch6,7, software:10.1"))
        let resource = try #require(first).resource(subject: "p1")
        #expect(resource["modelNumber"]?.string == "Watch2,4" && resource["manufacturer"]?.string == "Apple")
        #expect(resource["patient"]?["reference"]?.string == "Patient/p1" && !resource.text().contains("Robin"))
        let other = device(", name:Kim, manufacturer:Kim's Workshop, model:Kim, hardware:Kim2")
        #expect(other?.manufacturer == nil && other?.hardware == nil)
    }

    @Test func healthKitsUUIDIsTheFirstIdentifierWithTheCommonSystem() throws {
        var sample = try Samples.heartRate()
        sample.uuid = UUID(uuidString: "5A1C1C7E-0F1A-4B58-9D35-0E4B8F6B2A11")
        let identifiers = sample.observation(subject: nil).identifier
        #expect(identifiers.map(\.system) == ["com.apple.health", "urn:tributary:content-hash"])
        #expect(identifiers.first?.value == "5A1C1C7E-0F1A-4B58-9D35-0E4B8F6B2A11")
        #expect(sample.observation(subject: nil).subject == nil)
    }

    @Test func timeSpanIsAPeriodAndUserEntryIsMarked() throws {
        var sample = try Samples.heartRate(end: 90)
        sample.context.wasUserEntered = true
        let observation = sample.observation(subject: "p1")
        #expect(observation.effective?.type == "Period")
        #expect(observation.effective?.json["end"]?.string == "2016-11-14T08:27:11-07:00")
        #expect(observation.method?.coding.first?.code == "HKWasUserEntered")
    }

    @Test func aBloodPressureIsOneObservationWithTwoComponents() throws {
        let observation = try Samples.pressure("120", "80").observation(subject: "p1")
        #expect(observation.value == nil)
        #expect(observation.component.map { $0.code?.coding.first?.code } == ["8480-6", "8462-4"])
        #expect(observation.component.map { $0.value?.json["value"]?.integer } == [120, 80])
        #expect(observation.component.map { $0.value?.json["code"]?.string } == ["mm[Hg]", "mm[Hg]"])
    }

    @Test func sleepStageHasItsCodeAndText() throws {
        let type = try #require(HealthType.named("SleepAnalysis"))
        let deep = try #require(type.option(named: "HKCategoryValueSleepAnalysisAsleepDeep"))
        let end = HealthInstant(seconds: Samples.start.seconds + 600, offsetMinutes: -420)
        let sample = HealthSample(
            type: type, value: .option(deep), start: Samples.start, end: end, source: Samples.watch)
        let value = sample.observation(subject: "p1").value
        #expect(value?.type == "CodeableConcept")
        #expect(value?.json["text"]?.string == "Asleep, deep")
        #expect(value?.json["coding"]?[0]?["code"]?.string == "HKCategoryValueSleepAnalysisAsleepDeep")
        // The single "asleep" of older systems.
        #expect(
            type.option(named: "HKCategoryValueSleepAnalysisAsleep")?.code
                == "HKCategoryValueSleepAnalysisAsleepUnspecified")
    }

    @Test func workoutFiguresFollowTheOrderOfTheTableAndHaveDistinctTexts() throws {
        let type = HealthType.workout
        var workout = HealthWorkout(activity: try #require(type.option(named: "HKWorkoutActivityTypeRunning")))
        for (identifier, text, unit) in [
            (WorkoutComponent.heartRate("maximum"), "171", "count/min"),
            (WorkoutComponent.heartRate("average"), "140.5", "count/min"),
            ("HKQuantityTypeIdentifierDistanceWalkingRunning", "2", "mi"), (WorkoutComponent.duration, "1800", "s"),
        ] {
            let measure = try #require(type.components.first { $0.identifier == identifier }?.measure)
            workout.add(identifier, try HealthQuantity(text, unit: unit, as: measure))
        }
        let sample = HealthSample(
            type: type, value: .workout(workout), start: Samples.start, end: Samples.start, source: Samples.watch)
        let observation = sample.observation(subject: "p1")
        #expect(
            observation.component.map { $0.value?.json["value"]?.number?.text } == ["30", "3218.688", "140.5", "171"])
        #expect(
            observation.component.map { $0.code?.text } == [
                "Workout Duration", "Workout Walking and Running Distance", "Average Heart Rate", "Maximum Heart Rate",
            ])
        #expect(observation.value?.json["text"]?.string == "Running")
    }

    @Test func instantsAreWrittenAsFHIRWritesThemForRandomTimesAndOffsets() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        for _ in 0..<2000 {
            let seconds = Int64.random(in: HealthInstant.believable, using: &random)
            let offset = Int16.random(in: -840...840, using: &random)
            let instant = HealthInstant(seconds: seconds, offsetMinutes: offset)
            let read = DateTime(instant.text)
            #expect(read?.start().timeIntervalSince1970 == Double(seconds), "seed \(seed): \(instant.text)")
            #expect(read?.offsetMinutes == Int(offset), "seed \(seed)")
        }
    }

    @Test func zoneHasTheOffsetOfTheDayAndAnUnknownNameHasNone() {
        var zones = TimeZoneOffsets()
        #expect(zones.minutes(in: "America/Los_Angeles", at: 1_479_137_141) == -480)
        #expect(zones.minutes(in: "America/Los_Angeles", at: 1_468_000_000) == -420)
        #expect(zones.minutes(in: "Asia/Kolkata", at: 0) == 330)
        for name in ["", "Robin/Home", "../../etc/passwd", "a b", String(repeating: "A", count: 60)] {
            #expect(zones.minutes(in: name, at: 0) == nil, "\(name)")
        }
    }
}
