import HealthData

/// The workouts of one kind of activity.
struct ActivityTotals: Sendable {
    private(set) var count = 0
    private var sums = (minutes: ExactSum(), distance: ExactSum(), energy: ExactSum())

    var minutes: Double { sums.minutes.value }
    /// In metres, over all kinds of distance.
    var distance: Double { sums.distance.value }
    /// In kilocalories.
    var energy: Double { sums.energy.value }

    /// Adds a workout.
    ///
    /// - Parameter type: says what is likely of its figures.
    /// - Returns: how many figures are left out, as they are not.
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

/// A sum of numbers to the millionth. Unlike one of floating-point numbers it is the same in whatever order they come.
struct ExactSum: Sendable {
    private var millionths: Int64 = 0

    var value: Double { Double(millionths) / 1_000_000 }

    /// Adds a number that is not negative. What is too large to count stays at the largest sum.
    mutating func add(_ number: Double) {
        let (sum, isTooLarge) = millionths.addingReportingOverflow(Int64(min(number * 1_000_000, 9e18).rounded()))
        millionths = isTooLarge ? .max : sum
    }
}
