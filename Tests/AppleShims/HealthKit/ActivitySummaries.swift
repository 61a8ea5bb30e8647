import Foundation

/// objc: class HKActivitySummary
public final class HKActivitySummary: NSObject, @unchecked Sendable {
    public var activeEnergyBurned: HKQuantity
    public var activeEnergyBurnedGoal: HKQuantity
    public var appleMoveTime = HKQuantity(unit: HKUnit(from: "min"), doubleValue: 0)
    public var appleMoveTimeGoal = HKQuantity(unit: HKUnit(from: "min"), doubleValue: 0)
    public var appleExerciseTime: HKQuantity
    public var exerciseTimeGoal: HKQuantity?
    public var appleStandHours: HKQuantity
    public var standHoursGoal: HKQuantity?
    let date: DateComponents

    /// A summary of a day of the Gregorian calendar, with energy in kilocalories.
    public init(
        year: Int, month: Int, day: Int, energy: (Double, Double), exercise: (Double, Double?), stand: (Double, Double?)
    ) {
        func quantity(_ value: Double, _ unit: String) -> HKQuantity {
            HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
        }
        date = DateComponents(year: year, month: month, day: day)
        activeEnergyBurned = quantity(energy.0, "kcal")
        activeEnergyBurnedGoal = quantity(energy.1, "kcal")
        appleExerciseTime = quantity(exercise.0, "min")
        exerciseTimeGoal = exercise.1.map { quantity($0, "min") }
        appleStandHours = quantity(stand.0, "count")
        standHoursGoal = stand.1.map { quantity($0, "count") }
    }

    public func dateComponents(for calendar: Calendar) -> DateComponents {
        var components = date
        components.calendar = calendar
        return components
    }

    /// Orders days of the proleptic calendar only.
    var order: Int { ((date.year ?? 0) * 100 + (date.month ?? 0)) * 100 + (date.day ?? 0) }
}

extension HKQuery {
    /// Raises an exception for a day without a calendar.

    public static func predicate(
        forActivitySummariesBetweenStart start: DateComponents, end: DateComponents
    ) -> NSPredicate {
        precondition(start.calendar != nil && end.calendar != nil, "HealthKit raises: the day names no calendar")
        func order(_ day: DateComponents) -> Int { ((day.year ?? 0) * 100 + (day.month ?? 0)) * 100 + (day.day ?? 0) }
        let days = order(start)...order(end)
        return NSPredicate { object, _ in (object as? HKActivitySummary).map { days.contains($0.order) } ?? false }
    }
}

/// objc: class HKActivitySummaryQuery
public final class HKActivitySummaryQuery: HKQuery, @unchecked Sendable {
    public typealias Handler = @Sendable (HKActivitySummaryQuery, [HKActivitySummary]?, (any Error)?) -> Void
    let predicate: NSPredicate?
    let handler: Handler
    // objc: HKActivitySummaryQuery initWithPredicate:resultsHandler:
    public init(predicate: NSPredicate?, resultsHandler: @escaping Handler) {
        self.predicate = predicate
        handler = resultsHandler
    }
}
