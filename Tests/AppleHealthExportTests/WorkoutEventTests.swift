import FHIR
import HealthData
import Testing

@Suite struct WorkoutEventTests {
    @Test func statisticsWithoutAComponentOrValueAreCounted() throws {
        func statistics(_ type: String, _ values: String) -> String {
            "<WorkoutStatistics type=\"HKQuantityTypeIdentifier\(type)\" \(values)/>"
        }
        let outcome = try Exports.convert(
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="45" durationUnit="min" sourceName="x" \
            startDate="2026-05-04 08:00:00 +0200" endDate="2026-05-04 08:46:00 +0200">\
            \(statistics("ActiveEnergyBurned", #"sum="512.4" unit="kcal""#))\
            \(statistics("BasalEnergyBurned", #"sum="80.2" unit="kcal""#))\
            \(statistics("StepCount", #"sum="7412" unit="count""#))\
            \(statistics("RunningSpeed", #"average="11.4" minimum="5.1" maximum="15.2" unit="km/hr""#))\
            \(statistics("HeartRate", #"average="151" minimum="98" maximum="176" unit="count/min""#))\
            \(statistics("HeartRate", #"sum="151" unit="count/min""#))\
            \(statistics("DistanceWalkingRunning", #"unit="km""#))\
            <WorkoutActivity startDate="2026-05-04 08:00:00 +0200" endDate="2026-05-04 08:20:00 +0200">\
            \(statistics("RunningPower", #"average="240" unit="W""#))</WorkoutActivity></Workout>
            """)
        #expect(outcome.made.count == 1)
        #expect(outcome.importReport.filtered == ["workout-statistics": 6])
        #expect(outcome.importReport.parts["WorkoutStatistics"] == 8)
    }

    private func workout(_ body: String, attributes: String = "") -> String {
        """
        <Workout workoutActivityType="HKWorkoutActivityTypeSwimBikeRun" \(attributes) sourceName="x" \
        startDate="2022-07-10 09:00:00 -0700" endDate="2022-07-10 11:00:00 -0700">\(body)</Workout>
        """
    }

    private func components(_ body: String) throws -> (Outcome, [JSON]) {
        let outcome = try Exports.convert(workout(body))
        return (outcome, try #require(outcome.observations.first).json["component"]?.array ?? [])
    }

    private func code(_ component: JSON) -> String? { component.at("code", "coding")?[0]?["code"]?.string }

    @Test func eventsAreComponentsWithTimeDurationAndMetadata() throws {
        let (outcome, parts) = try components(
            """
            <WorkoutEvent type="HKWorkoutEventTypePause" date="2022-07-10 09:10:00 -0700"/>
            <WorkoutEvent type="HKWorkoutEventTypeResume" date="2022-07-10 09:11:00 -0700" duration="0" durationUnit="min"/>
            <WorkoutEvent type="HKWorkoutEventTypeLap" date="2022-07-10 09:12:00 -0700" duration="0.4216666666666667" durationUnit="min"><MetadataEntry key="HKSwimmingStrokeStyle" value="2"/><MetadataEntry key="Coach" value="Robin"/></WorkoutEvent>
            <WorkoutEvent type="HKWorkoutEventTypeSegment" date="2022-07-10 09:12:00 -0700" duration="90" durationUnit="s"/>
            """)
        #expect(
            parts.dropFirst().map(code) == [
                "HKWorkoutEventTypePause", "HKWorkoutEventTypeResume", "HKWorkoutEventTypeLap",
                "HKWorkoutEventTypeSegment",
            ])
        #expect(parts[1]["valueDateTime"]?.string == "2022-07-10T09:10:00-07:00")
        #expect(parts[2]["valueDateTime"]?.string == "2022-07-10T09:11:00-07:00")
        #expect(parts[3].at("valuePeriod", "end")?.string == "2022-07-10T09:12:25.300-07:00")
        #expect(parts[3]["extension"]?[0]?["valueCode"]?.string == "freestyle")
        #expect(parts[4].at("valuePeriod", "end")?.string == "2022-07-10T09:13:30-07:00")
        #expect(outcome.importReport.parts["WorkoutEvent"] == 4 && outcome.importReport.repaired == [:])
        #expect(!outcome.text.contains("Robin"))
    }

    @Test func eventsBeforeTheZoneHaveTheOffsetOfTheWorkoutsZone() throws {
        let (_, parts) = try components(
            """
            <WorkoutEvent type="HKWorkoutEventTypeLap" date="2022-07-10 09:12:00 -0700" duration="1" durationUnit="min"/>
            <MetadataEntry key="HKTimeZone" value="Europe/Zurich"/>
            """)
        #expect(
            parts.last?["valuePeriod"] == ["start": "2022-07-10T18:12:00+02:00", "end": "2022-07-10T18:13:00+02:00"])
    }

    @Test func anEventThatCannotBeReadIsLeftOutWithItsMetadataAndCounted() throws {
        for event in [
            #"type="HKWorkoutEventTypeDance" date="2022-07-10 09:10:00 -0700""#, #"type="HKWorkoutEventTypePause""#,
            #"type="HKWorkoutEventTypePause" date="never""#,
            #"type="HKWorkoutEventTypePause" date="9999-12-31 09:10:00 -0700""#,
        ] {
            let (outcome, parts) = try components(
                "<WorkoutEvent \(event)><MetadataEntry key=\"HKLapLength\" value=\"25 m\"/></WorkoutEvent>")
            #expect(parts.count == 1 && outcome.importReport.repaired["part-dropped"] == 1, "\(event)")
        }
        // An event with an invalid duration is a point in time.
        for duration in ["NaN", "-1", "1e309", "999999"] {
            let (outcome, parts) = try components(
                """
                <WorkoutEvent type="HKWorkoutEventTypePause" date="2022-07-10 09:10:00 -0700" duration="\(duration)" durationUnit="min"/>
                """)
            #expect(parts.last?["valueDateTime"] != nil && outcome.importReport.repaired["part-dropped"] == 1)
        }
    }

    @Test func eventsBeyondTheLimitAreLeftOutAndCounted() throws {
        let events = (0..<HealthWorkout.partLimit + 5).map { number in
            let minute = number / 60
            return """
                <WorkoutEvent type="HKWorkoutEventTypeLap" date="2022-07-10 09:\(minute < 10 ? "0" : "")\(minute):\
                \(number % 60 < 10 ? "0" : "")\(number % 60) -0700"/>
                """
        }
        let (outcome, parts) = try components(events.joined())
        #expect(parts.count == 1 + HealthWorkout.partLimit)
        #expect(
            outcome.importReport.filtered["workout-parts"] == 5 && outcome.importReport.repaired["part-dropped"] == 1)
    }

    private let legs = """
        <WorkoutActivity uuid="A" startDate="2022-07-10 09:00:00 -0700" endDate="2022-07-10 09:30:00 -0700" duration="30" durationUnit="min">
        <WorkoutEvent type="HKWorkoutEventTypeLap" date="2022-07-10 09:12:00 -0700"/>
        <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="2022-07-10 09:00:00 -0700" endDate="2022-07-10 09:30:00 -0700" average="131" minimum="90" maximum="150" unit="count/min"/>
        <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceSwimming" startDate="2022-07-10 09:00:00 -0700" endDate="2022-07-10 09:30:00 -0700" sum="1500" unit="m"/>
        <MetadataEntry key="HKSwimmingLocationType" value="2"/></WorkoutActivity>
        """

    @Test func activitiesOfAWorkoutAreComponentsWithTheirStatisticsAndEventsAppearOnce() throws {
        let other = legs.replacing("09:00:00", with: "09:40:00").replacing("09:30:00", with: "10:40:00")
            .replacing("131", with: "142").replacing("1500", with: "40")
        let (_, parts) = try components(
            legs + "<WorkoutEvent type=\"HKWorkoutEventTypeLap\" date=\"2022-07-10 09:12:00 -0700\"/>" + other
                + """
                <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="2022-07-10 09:00:00 -0700" endDate="2022-07-10 11:00:00 -0700" average="137" minimum="90" maximum="150" unit="count/min"/>
                """)
        #expect(
            parts.map(code) == [
                "55411-3", "workout-heart-rate-average", "workout-heart-rate-minimum", "workout-heart-rate-maximum",
                "HKWorkoutEventTypeLap", "HKWorkoutActivity", "HKWorkoutActivity",
            ])
        // The workout has its own statistics, and no sum of the legs' statistics.
        #expect(parts[1].at("valueQuantity", "value")?.number?.text == "137")
        let rates = parts.suffix(2).map { leg in
            leg["extension"]?.array?.first { $0["url"]?.string?.hasSuffix("average") == true }?
                .at("valueQuantity", "value")?.number?.text
        }
        #expect(rates == ["131", "142"])
        #expect(parts[5].at("valuePeriod", "end")?.string == "2022-07-10T09:30:00-07:00")
        #expect(parts[5]["extension"]?[0]?["valueCode"]?.string == "openWater")
    }

    @Test func statisticsOfASingleActivityAreThoseOfTheWorkout() throws {
        let (_, parts) = try components(legs)
        #expect(parts.first { code($0) == "workout-heart-rate-average" }?.at("valueQuantity", "value")?.integer == 131)
        #expect(parts.first { code($0) == "workout-distance-swimming" }?.at("valueQuantity", "value")?.integer == 1500)
        #expect(!parts.contains { code($0) == "HKWorkoutActivity" })
    }

    @Test func eventsAndActivitiesDoNotChangeTheFingerprint() throws {
        let fingerprints = try ["", legs, legs + legs].map {
            try #require(Exports.convert(workout($0)).made.first).fingerprint
        }
        #expect(Set(fingerprints).count == 1)
    }
}
