import FHIR

extension HealthType {
    /// A workout: the value is the kind of activity, the components are its duration, energy, distances and heart
    /// rates.
    public static let workout =
        HealthTypeTable.standard.type("HKWorkout")
        ?? HealthType(
            "HKWorkout", .workout, title: "Workout", folder: "Workouts", category: .activity, valueKind: .concept,
            codings: [ownCoding("HKWorkout", "Workout")], options: HealthTypeReader.activities)

    /// The activity for names that are not in the table.
    public static let otherActivity = "HKWorkoutActivityTypeOther"

    /// Returns the components of a workout, in the units of the quantity types.
    static func workoutComponents(_ quantities: [String: HealthType]) -> [HealthComponent] {
        guard let exercise = quantities["AppleExerciseTime"]?.measure,
            let energy = quantities["ActiveEnergyBurned"]?.measure, let heartRate = quantities["HeartRate"]?.measure
        else { return [] }
        let duration = HealthComponent(
            identifier: WorkoutComponent.duration,
            measure: HealthMeasure(
                title: "Workout Duration",
                codings: [Coding(system: HealthCodeSystem.loinc, code: "55411-3", display: "Exercise duration")],
                unit: exercise.unit, healthKitUnit: exercise.healthKitUnit, plausible: 0...2880))
        let burned = HealthComponent(identifier: WorkoutComponent.energy, measure: ofWorkout("energy", energy))
        let distances = distanceNames.compactMap { name in
            quantities[name]?.measure.map { measure in
                HealthComponent(
                    identifier: "HKQuantityTypeIdentifier" + name, measure: ofWorkout(hyphenated(name), measure))
            }
        }
        let statistics = [("average", "Average"), ("minimum", "Minimum"), ("maximum", "Maximum")].map { code, word in
            // With LOINC's code for heart rate alone, the three statistics could not be distinguished. The first coding
            // distinguishes them.
            let title = "\(word) Heart Rate"
            return HealthComponent(
                identifier: WorkoutComponent.heartRate(code),
                measure: HealthMeasure(
                    title: title,
                    codings: [
                        Coding(
                            system: HealthCodeSystem.component, code: WorkoutComponent.heartRate(code), display: title),
                        Coding(system: HealthCodeSystem.statistics, code: code, display: word),
                        Coding(system: HealthCodeSystem.loinc, code: "8867-4", display: "Heart rate"),
                    ], unit: heartRate.unit, healthKitUnit: heartRate.healthKitUnit, plausible: heartRate.plausible))
        }
        return [duration, burned] + distances + statistics
    }

    /// Returns a measure of a workout's total. A total is not a sample: the samples that it sums up are stored too. Its
    /// own code comes first, so that totals and samples are not added together.
    private static func ofWorkout(_ code: String, _ measure: HealthMeasure) -> HealthMeasure {
        let title = "Workout " + measure.title
        let own = Coding(system: HealthCodeSystem.component, code: "workout-" + code, display: title)
        return HealthMeasure(
            title: title, codings: [own] + measure.codings, unit: measure.unit, healthKitUnit: measure.healthKitUnit,
            plausible: measure.plausible)
    }

    /// `DistanceCycling` becomes `distance-cycling`.
    private static func hyphenated(_ name: String) -> String {
        name.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty { text.append("-") }
            text += letter.lowercased()
        }
    }

    private static let distanceNames = [
        "DistanceWalkingRunning", "DistanceCycling", "DistanceSwimming", "DistanceWheelchair",
        "DistanceDownhillSnowSports", "DistanceCrossCountrySkiing", "DistancePaddleSports", "DistanceRowing",
        "DistanceSkatingSports",
    ]

    /// Returns the kind of distance that older systems' single `totalDistance` of a workout means.
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
}

/// The identifiers of a workout's components. Distances use HealthKit's identifiers.
public enum WorkoutComponent {
    /// The duration.
    public static let duration = "workout-duration"
    /// The active energy.
    public static let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"
    /// The type for which a workout has three statistics.
    public static let heartRate = "HKQuantityTypeIdentifierHeartRate"

    /// The component of a statistic of the heart rate: `average`, `minimum` or `maximum`.
    public static func heartRate(_ statistic: String) -> String { "workout-heart-rate-" + statistic }
}
