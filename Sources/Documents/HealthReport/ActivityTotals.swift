import HealthData

/// The workouts of one kind of activity.
struct ActivityTotals: Sendable {
    private(set) var count = 0
    private var sums = (minutes: ExactSum(), distance: ExactSum(), energy: ExactSum())

    var minutes: Double { sums.minutes.value }
    /// Distance in metres, over all kinds of distance.
    var distance: Double { sums.distance.value }
    /// Energy in kilocalories.
    var energy: Double { sums.energy.value }

    /// Adds a workout.
    ///
    /// - Parameter type: the type with the plausible ranges of the values.
    /// - Returns: the number of values that are omitted because they are outside of these ranges.
    mutating func add(_ workout: HealthWorkout, of type: HealthType) -> Int {
        count += 1
        var leftOut = 0
        for figure in workout.figures {
            let value = figure.quantity.number.double
            let measure = type.components.first { $0.identifier == figure.identifier }?.measure
            guard value.isFinite, value >= 0, measure?.plausible?.contains(value) ?? true else {
                leftOut += 1
                continue
            }
            if figure.identifier == WorkoutComponent.duration {
                sums.minutes.add(value)
            } else if figure.identifier == WorkoutComponent.energy {
                sums.energy.add(value)
            } else if figure.identifier.hasPrefix("HKQuantityTypeIdentifierDistance") {
                sums.distance.add(value)
            }
        }
        return leftOut
    }
}

/// A sum of numbers, rounded to millionths. Unlike a floating-point sum, it does not depend on the order of the
/// numbers.
struct ExactSum: Sendable {
    private var millionths: Int64 = 0

    var value: Double { Double(millionths) / 1_000_000 }

    /// Adds a number that is not negative. A sum that overflows stays at the maximum.
    mutating func add(_ number: Double) {
        let (sum, isTooLarge) = millionths.addingReportingOverflow(Int64(min(number * 1_000_000, 9e18).rounded()))
        millionths = isTooLarge ? .max : sum
    }
}
