import FHIR

/// The route of a workout: HealthKit's HKWorkoutRoute.
///
/// Locations can identify a person by home, work or usual routes. Latitude, longitude, elevation and course are
/// therefore in the observation only if ``detail`` permits them; otherwise it contains only the speed.
public struct WorkoutRoute: SpecialRecord {
    /// The parts of the route that are released.
    public enum Detail: Sendable, Hashable {
        /// Times and speed.
        case motion
        /// The locations too.
        case locations
    }

    public let track: RouteTrack
    public var detail: Detail
    /// Minutes east of UTC of the person's clock; route files contain only UTC.
    public var offsetMinutes: Int16
    /// A reference to the observation of the workout.
    public var workout: JSON?
    public var origin: SpecialOrigin

    /// - Returns: nil if the track has no point.
    public init?(
        track: RouteTrack, detail: Detail = .motion, offsetMinutes: Int16 = 0, workout: JSON? = nil,
        origin: SpecialOrigin = SpecialOrigin()
    ) {
        guard track.count > 0 else { return nil }
        self.track = track
        self.detail = detail
        self.offsetMinutes = offsetMinutes
        self.workout = workout
        self.origin = origin
    }

    public var kind: SpecialKind { .workoutRoute }

    public var time: SpecialTime {
        .period(
            HealthInstant(seconds: track.start.flooredDivision(by: 1000).quotient, offsetMinutes: offsetMinutes),
            HealthInstant(seconds: track.end.flooredDivision(by: 1000).quotient, offsetMinutes: offsetMinutes))
    }

    /// The fingerprint of the released parts. It leaves the device, and a hash of locations that can be guessed would
    /// reveal them. A route therefore has another fingerprint without its locations than with them.
    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        for series in released { content.add(series.data) }
        return content.fingerprint
    }

    private var released: [SampledSeries] {
        switch detail {
        case .motion: [track.offsets, track.speeds]
        case .locations: track.all
        }
    }

    /// Returns the observation: SampledData series whose elements correspond by index. Points have no constant period,
    /// which SampledData requires: the mean period is written, and the offsets contain the exact times.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.focus = workout
        let seconds = Double(track.end - track.start) / 1000
        let period = SampledSeries.meanPeriod(seconds: seconds, count: track.count)
        func add(_ code: String, title: String, series: SampledSeries, unit: HealthUnit) {
            guard series.gaps < series.count else { return }
            parts.add(
                ComponentCode.own("route-" + code, title), type: "SampledData",
                value: series.sampledData(unit, period: period))
        }
        parts.add(
            ComponentCode.own("route-points", "Number of Points"), type: "Integer",
            value: .number(JSONNumber(track.count)))
        add(
            "time", title: "Time of Each Point Since the Start", series: track.offsets,
            unit: SpecialMeasure.seconds.unit)
        if detail == .locations {
            add("latitude", title: "Latitude (WGS 84)", series: track.latitudes, unit: SpecialMeasure.angle.unit)
            add("longitude", title: "Longitude (WGS 84)", series: track.longitudes, unit: SpecialMeasure.angle.unit)
            add(
                "elevation", title: "Elevation Above Sea Level", series: track.elevations,
                unit: SpecialMeasure.metre.unit)
            add("course", title: "Course, Clockwise From North", series: track.courses, unit: SpecialMeasure.angle.unit)
        }
        add("speed", title: "Speed", series: track.speeds, unit: SpecialMeasure.speed.unit)
        if detail == .locations {
            add(
                "horizontal-accuracy", title: "Horizontal Accuracy", series: track.horizontalAccuracies,
                unit: SpecialMeasure.metre.unit)
            add(
                "vertical-accuracy", title: "Vertical Accuracy", series: track.verticalAccuracies,
                unit: SpecialMeasure.metre.unit)
        }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }
}
