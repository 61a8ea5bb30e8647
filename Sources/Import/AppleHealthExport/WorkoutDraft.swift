import HealthData

/// A workout that is open.
struct WorkoutDraft {
    let row: Int
    private let type = HealthType.workout
    private let times: Result<(start: HealthInstant, end: HealthInstant, created: HealthInstant?), SkipReason>
    private let source: HealthSource
    private var workout: HealthWorkout
    /// The attributes of older systems, for figures that no statistics give.
    private let totals: [(identifier: String, value: String, unit: String)]
    var details = DraftDetails()
    var repairs: Repairs

    init(row: Int, _ values: AttributeValues, source: HealthSource, repairs: Repairs) {
        self.row = row
        var repairs = repairs
        do throws(SkipReason) {
            times = .success(try values.times(&repairs))
        } catch {
            times = .failure(error)
        }
        self.source = source
        let name = values.text(.workoutActivityType) ?? ""
        let activity = type.option(named: name)
        if activity == nil { repairs.insert(.unknownActivity) }
        let known = activity ?? HealthOption(HealthType.otherActivity, "Other")
        workout = HealthWorkout(activity: known)
        var totals: [(identifier: String, value: String, unit: String)] = []
        func add(_ identifier: String, _ value: ExportAttribute, _ unit: ExportAttribute) {
            guard let text = values.text(value), !text.isEmpty else { return }
            totals.append((identifier, text, values.text(unit) ?? ""))
        }
        add(WorkoutComponent.duration, .duration, .durationUnit)
        add(WorkoutComponent.energy, .totalEnergyBurned, .totalEnergyBurnedUnit)
        add(HealthType.distanceIdentifier(of: known), .totalDistance, .totalDistanceUnit)
        self.totals = totals
        self.repairs = repairs
    }

    /// Takes the statistics of one type. Types that are no component of a workout are left out.
    mutating func addStatistics(_ values: AttributeValues) {
        let type = values.text(.type) ?? ""
        let unit = values.text(.unit) ?? ""
        if type == WorkoutComponent.heartRate {
            for (code, attribute) in [
                ("average", ExportAttribute.average), ("minimum", .minimum), ("maximum", .maximum),
            ] {
                add(WorkoutComponent.heartRate(code), values.text(attribute), unit)
            }
        } else if self.type.components.contains(where: { $0.identifier == type }) {
            add(type, values.text(.sum), unit)
        }
    }

    mutating func finished(_ zones: inout TimeZoneOffsets) -> Result<HealthSample, SkipReason> {
        switch times {
        case .failure(let reason): return .failure(reason)
        case .success(let times):
            for total in totals { add(total.identifier, total.value, total.unit) }
            if !workout.has(WorkoutComponent.duration) {
                add(WorkoutComponent.duration, String(max(0, times.end.seconds - times.start.seconds)), "s")
            }
            var sample = HealthSample(
                type: type, value: .workout(workout), start: times.start, end: times.end, created: times.created,
                source: source, repairs: repairs)
            details.complete(&sample, &zones)
            return .success(sample)
        }
    }

    private mutating func add(_ identifier: String, _ text: String?, _ unit: String) {
        guard let text, !text.isEmpty, !workout.has(identifier),
            let measure = type.components.first(where: { $0.identifier == identifier })?.measure
        else { return }
        do throws(SkipReason) {
            let quantity = try HealthQuantity(text, unit: unit, as: measure)
            repairs.formUnion(quantity.repairs)
            workout.add(identifier, quantity)
        } catch {
            repairs.insert(.partDropped)
        }
    }
}
