extension HealthWorkout {
    /// Creates a workout from an activity's name or raw value. An activity that is not in the table becomes "other".
    public init(activityNamed name: String, _ repairs: inout Repairs) {
        let activity = HealthType.workout.option(named: name)
        if activity == nil { repairs.insert(.unknownActivity) }
        self.init(activity: activity ?? HealthOption(HealthType.otherActivity, "Other"))
    }

    /// Adds the time between start and end as the duration, if there is none.
    public mutating func addDuration(from start: HealthInstant, to end: HealthInstant) {
        guard !has(WorkoutComponent.duration), let measure = Self.measure(WorkoutComponent.duration),
            let quantity = try? HealthQuantity(String(max(0, end.seconds - start.seconds)), unit: "s", as: measure)
        else { return }
        add(WorkoutComponent.duration, quantity)
    }

    /// Returns the measure of a workout component; nil if the identifier is not one.
    public static func measure(_ identifier: String) -> HealthMeasure? {
        HealthType.workout.components.first { $0.identifier == identifier }?.measure
    }
}
