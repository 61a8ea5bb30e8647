import FHIR

extension HealthType {
    /// A workout: the value is the kind of activity, the components are its figures.
    public static let workout = HealthType(
        "HKWorkout", .workout, title: "Workout", folder: "Workouts", category: .activity, valueKind: .concept,
        codings: codings([("73985-4", "Exercise activity")], "HKWorkout", "Workout"), components: workoutComponents,
        options: activityNames.map {
            HealthOption("HKWorkoutActivityType" + $0, words(of: $0))
        })

    /// The activity that stands for names which are not in the table.
    public static let otherActivity = "HKWorkoutActivityTypeOther"

    private static let workoutComponents: [HealthComponent] =
        [
            HealthComponent(
                identifier: WorkoutComponent.duration,
                measure: HealthMeasure(
                    title: "Workout Duration",
                    codings: [Coding(system: CodeSystem.loinc, code: "55411-3", display: "Exercise duration")],
                    unit: HealthUnit("min", "min"),
                    sourceUnits: [
                        SourceUnit("min"), .times("s", "1", over: "60"), .times("sec", "1", over: "60"),
                        .times("hr", "60"), .times("h", "60"), .times("ms", "1", over: "60000"),
                    ], plausible: 0...2880)),
            HealthComponent(
                identifier: WorkoutComponent.energy,
                measure: ofWorkout(
                    "energy",
                    measure(
                        "ActiveEnergyBurned", "Active Energy Burned", [("41981-2", "Calories burned")],
                        HealthUnit("kcal", "kcal"), energyUnits, 0...20_000))),
        ]
        + distances.map {
            HealthComponent(
                identifier: "HKQuantityTypeIdentifier" + $0.name,
                measure: ofWorkout(
                    words(of: $0.name).lowercased().replacing(" ", with: "-"),
                    distanceMeasure($0.name, $0.title, $0.loinc)))
        }
        + [("average", "Average"), ("minimum", "Minimum"), ("maximum", "Maximum")].map { code, word in
            // LOINC's heart rate alone would make three different figures look alike: the first coding tells them apart.
            let title = "\(word) Heart Rate"
            return HealthComponent(
                identifier: WorkoutComponent.heartRate(code),
                measure: HealthMeasure(
                    title: title,
                    codings: [
                        Coding(system: CodeSystem.component, code: WorkoutComponent.heartRate(code), display: title),
                        Coding(system: CodeSystem.statistics, code: code, display: word),
                        Coding(system: CodeSystem.loinc, code: "8867-4", display: "Heart rate"),
                    ], unit: HealthUnit("/min", "beats/minute"), sourceUnits: rateUnits, plausible: 20...300))
        }

    /// A workout's total is no sample: the samples that it sums up stand beside it. A code of its own comes first, so
    /// that nobody adds them together.
    private static func ofWorkout(_ code: String, _ measure: HealthMeasure) -> HealthMeasure {
        let title = "Workout " + measure.title
        let own = Coding(system: CodeSystem.component, code: "workout-" + code, display: title)
        return HealthMeasure(
            title: title, codings: [own] + measure.codings, unit: measure.unit, sourceUnits: measure.sourceUnits,
            plausible: measure.plausible)
    }

    private static let distances: [(name: String, title: String, loinc: [(String, String)])] = [
        ("DistanceWalkingRunning", "Walking and Running Distance", []),
        ("DistanceCycling", "Cycling Distance", []),
        ("DistanceSwimming", "Swimming Distance", [("93816-7", "Swimming distance unspecified time")]),
        ("DistanceWheelchair", "Wheelchair Distance", []),
        ("DistanceDownhillSnowSports", "Downhill Snow Sports Distance", []),
        ("DistanceCrossCountrySkiing", "Cross Country Skiing Distance", []),
        ("DistancePaddleSports", "Paddle Sports Distance", []),
        ("DistanceRowing", "Rowing Distance", []),
        ("DistanceSkatingSports", "Skating Sports Distance", []),
    ]

    /// The kind of distance that a workout's single `totalDistance` of older systems means.
    public static func distanceIdentifier(of activity: HealthOption) -> String {
        let name =
            switch activity.code.dropFirst("HKWorkoutActivityType".count) {
            case "Cycling", "HandCycling": "DistanceCycling"
            case "Swimming", "WaterFitness", "WaterPolo", "WaterSports", "UnderwaterDiving": "DistanceSwimming"
            case "WheelchairWalkPace", "WheelchairRunPace": "DistanceWheelchair"
            case "DownhillSkiing", "Snowboarding", "SnowSports": "DistanceDownhillSnowSports"
            case "CrossCountrySkiing": "DistanceCrossCountrySkiing"
            case "PaddleSports": "DistancePaddleSports"
            case "Rowing": "DistanceRowing"
            case "SkatingSports": "DistanceSkatingSports"
            default: "DistanceWalkingRunning"
            }
        return "HKQuantityTypeIdentifier" + name
    }

    /// HealthKit's activities without their common prefix.
    private static let activityNames = """
        AmericanFootball Archery AustralianFootball Badminton Barre Baseball Basketball Bowling Boxing CardioDance \
        Climbing Cooldown CoreTraining Cricket CrossCountrySkiing CrossTraining Curling Cycling Dance \
        DanceInspiredTraining DiscSports DownhillSkiing Elliptical EquestrianSports Fencing Fishing FitnessGaming \
        Flexibility FunctionalStrengthTraining Golf Gymnastics HandCycling Handball HighIntensityIntervalTraining \
        Hiking Hockey Hunting JumpRope Kickboxing Lacrosse MartialArts MindAndBody MixedCardio \
        MixedMetabolicCardioTraining Other PaddleSports Pickleball Pilates Play PreparationAndRecovery Racquetball \
        Rowing Rugby Running Sailing SkatingSports SnowSports Snowboarding Soccer SocialDance Softball Squash \
        StairClimbing Stairs StepTraining SurfingSports SwimBikeRun Swimming TableTennis TaiChi Tennis TrackAndField \
        TraditionalStrengthTraining Transition UnderwaterDiving Volleyball Walking WaterFitness WaterPolo WaterSports \
        WheelchairRunPace WheelchairWalkPace Wrestling Yoga
        """.split(separator: " ").map(String.init)

    /// `TableTennis` becomes "Table Tennis".
    private static func words(of name: String) -> String {
        name.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty { text.append(" ") }
            text.append(letter)
        }
    }
}

/// The identifiers of a workout's components. Distances have HealthKit's identifiers.
public enum WorkoutComponent {
    public static let duration = "workout-duration"
    public static let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"
    /// The type of which a workout gives three statistics.
    public static let heartRate = "HKQuantityTypeIdentifierHeartRate"

    /// The component of a statistic of the heart rate: `average`, `minimum` or `maximum`.
    public static func heartRate(_ statistic: String) -> String { "workout-heart-rate-" + statistic }
}
