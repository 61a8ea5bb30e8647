import HealthData

/// A workout that is not closed yet.
struct WorkoutDraft {
    let row: Int
    private let type = HealthType.workout
    private let times: Result<(start: HealthInstant, end: HealthInstant, created: HealthInstant?), SkipReason>
    private let source: HealthSource
    private var workout: HealthWorkout
    /// The attributes of older systems, for values without statistics.
    private let totals: [(identifier: String, value: String, unit: String)]
    /// The open event or activity, which can be followed by its metadata.
    private var event: HealthWorkoutPart?
    private var activity: HealthWorkoutPart?
    private var activities: [HealthWorkoutPart] = []
    /// The paths of the files of its routes.
    private(set) var routes: [String] = []
    /// The points of its routes in the XML, where older systems wrote them.
    private var track = RouteTrack()
    /// Number of events and activities that exceed the limit.
    private(set) var surplus = 0
    /// Number of statistics that are not components of a workout's observation or have no value.
    private(set) var statisticsLeftOut = 0
    var details = HealthDetails()
    var repairs: Repairs

    /// Maximum number of routes. A workout has one route, or one for each of its activities.
    private static let routeLimit = 100

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
        workout = HealthWorkout(activityNamed: name, &repairs)
        var totals: [(identifier: String, value: String, unit: String)] = []
        func add(_ identifier: String, value: ExportAttribute, unit: ExportAttribute) {
            guard let text = values.text(value), !text.isEmpty else { return }
            totals.append((identifier, text, values.text(unit) ?? ""))
        }
        add(WorkoutComponent.duration, value: .duration, unit: .durationUnit)
        add(WorkoutComponent.energy, value: .totalEnergyBurned, unit: .totalEnergyBurnedUnit)
        add(HealthType.distanceIdentifier(of: workout.activity), value: .totalDistance, unit: .totalDistanceUnit)
        self.totals = totals
        self.repairs = repairs
    }

    /// Adds the statistics of one type, for the workout or for the open activity. Statistics of a type that is not a
    /// component of a workout, and statistics without a value, are omitted and counted.
    mutating func addStatistics(_ values: AttributeValues, ofActivity: Bool) {
        let type = values.text(.type) ?? ""
        let unit = values.text(.unit) ?? ""
        let figures: [(identifier: String, attribute: ExportAttribute)] =
            if type == WorkoutComponent.heartRate {
                [
                    (WorkoutComponent.heartRate("average"), .average),
                    (WorkoutComponent.heartRate("minimum"), .minimum),
                    (WorkoutComponent.heartRate("maximum"), .maximum),
                ]
            } else {
                [(type, .sum)]
            }
        var isEmpty = true
        for figure in figures where measure(figure.identifier) != nil {
            guard let text = values.text(figure.attribute), !text.isEmpty else { continue }
            isEmpty = false
            add(figure.identifier, text: text, unit: unit, ofActivity: ofActivity)
        }
        if isEmpty { statisticsLeftOut += 1 }
    }

    /// Begins an event. An event that cannot be read is omitted, with its metadata.
    mutating func beginEvent(_ values: AttributeValues) {
        endEvent()
        guard let kind = values.text(.type).flatMap(HealthWorkoutPart.event),
            let date = values[.date].flatMap({ ExportDate.read($0) ?? ExportDate.readOld($0) }),
            HealthInstant.believable.contains(date.seconds)
        else {
            repairs.insert(.partDropped)
            return
        }
        event = HealthWorkoutPart(kind, start: date, milliseconds: length(values))
    }

    /// Begins an activity.
    mutating func beginActivity(_ values: AttributeValues) {
        endActivity()
        do throws(SkipReason) {
            let times = try values.times(&repairs)
            let isMoment = times.start.seconds == times.end.seconds
            activity = HealthWorkoutPart.activity(
                from: times.start, to: times.end, milliseconds: isMoment ? length(values) : 0)
            if activity == nil { repairs.insert(.partDropped) }
        } catch {
            repairs.insert(.partDropped)
        }
    }

    /// Adds metadata to the open event or activity.
    ///
    /// - Returns: false if the key has a value already.
    mutating func addToPart(_ meaning: HealthDetails.Meaning, isActivity: Bool) -> Bool {
        guard case .entry(let entry) = meaning else { return true }
        return (isActivity ? activity?.context.add(entry) : event?.context.add(entry)) ?? true
    }

    /// Adds the file of a route.
    mutating func addRoute(_ path: String) {
        guard !path.isEmpty, routes.count < Self.routeLimit else { return }
        routes.append(path)
    }

    /// Adds a point of a route. A point that cannot be read is omitted.
    mutating func addLocation(_ attributes: [String: String]) {
        guard let point = RouteTrack.Point({ attributes[$0] }), track.add(point) else {
            repairs.insert(.partDropped)
            return
        }
    }

    /// Returns the route of the points; nil if there are none.
    func route(of sample: HealthSample, _ selection: HealthSelection) -> WorkoutRoute? {
        var route = WorkoutRoute(
            track: track, detail: .locations, offsetMinutes: sample.start.offsetMinutes,
            origin: SpecialOrigin(source: sample.source))
        route?.refer(to: sample.fingerprint, selection)
        return route
    }

    mutating func finished(_ zones: inout TimeZoneOffsets) -> Result<HealthSample, SkipReason> {
        switch times {
        case .failure(let reason): return .failure(reason)
        case .success(let times):
            endEvent()
            endActivity()
            for total in totals { add(total.identifier, text: total.value, unit: total.unit, ofActivity: false) }
            for _ in 0..<workout.add(activities: activities) { drop() }
            workout.addDuration(from: times.start, to: times.end)
            if let zone = details.zone { workout.setOffsets { zones.minutes(in: zone, at: $0) } }
            var sample = HealthSample.Content(
                type: type, value: .workout(workout), start: times.start, end: times.end, created: times.created,
                source: source, repairs: repairs)
            details.complete(&sample, &zones)
            return .success(HealthSample(sample))
        }
    }

    private mutating func endEvent() {
        if let event, !workout.add(event) { drop() }
        event = nil
    }

    private mutating func endActivity() {
        if let activity {
            if activities.count < HealthWorkout.partLimit { activities.append(activity) } else { drop() }
        }
        activity = nil
    }

    private mutating func drop() {
        surplus += 1
        repairs.insert(.partDropped)
    }

    /// Returns the duration of a part in milliseconds; 0 if there is none, or if it is out of range.
    private mutating func length(_ values: AttributeValues) -> Int64 {
        guard let text = values.text(.duration), !text.isEmpty else { return 0 }
        let unit = values.text(.durationUnit) ?? ""
        guard let measure = measure(WorkoutComponent.duration),
            let read = try? HealthQuantity(text, unit: unit.isEmpty ? "min" : unit, as: measure),
            let length = HealthWorkoutPart.milliseconds(minutes: read.number.double)
        else {
            repairs.insert(.partDropped)
            return 0
        }
        return length
    }

    private func measure(_ identifier: String) -> HealthMeasure? {
        type.components.first { $0.identifier == identifier }?.measure
    }

    private mutating func add(_ identifier: String, text: String?, unit: String, ofActivity: Bool) {
        guard let text, !text.isEmpty, ofActivity || !workout.has(identifier), let measure = measure(identifier)
        else { return }
        do throws(SkipReason) {
            let quantity = try HealthQuantity(text, unit: unit, as: measure)
            repairs.formUnion(quantity.repairs)
            if ofActivity {
                activity?.add(identifier, quantity, as: measure)
            } else {
                workout.add(identifier, quantity)
            }
        } catch {
            repairs.insert(.partDropped)
        }
    }
}
