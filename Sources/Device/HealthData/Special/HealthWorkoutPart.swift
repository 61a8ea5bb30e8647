import FHIR

/// A part of a workout with its own time: an event such as a pause or a lap
/// (<https://developer.apple.com/documentation/healthkit/hkworkoutevent>), or one of several activities of a workout.
/// It is a component of the workout's observation, and not part of the workout's fingerprint.
public struct HealthWorkoutPart: Sendable, Hashable {
    /// HealthKit's kind of event, or ``activity``.
    public let kind: HealthOption
    public var start: HealthInstant
    /// The end; equal to ``start`` for a single instant.
    public var end: HealthInstant
    /// Milliseconds that are added to ``end``: laps have a finer resolution than samples.
    public let endMilliseconds: Int
    /// The metadata of the part: the stroke style of a lap.
    public var context = HealthContext()
    /// The statistics of an activity.
    public private(set) var figures: [Figure] = []

    /// A value of an activity, with the identifier of the workout's component.
    public struct Figure: Sendable, Hashable {
        public let identifier: String
        public let measure: HealthMeasure
        public let quantity: HealthQuantity
    }

    /// - Parameter milliseconds: the duration; 0 or less for a single instant.
    public init(_ kind: HealthOption, start: HealthInstant, milliseconds: Int64 = 0) {
        let length = max(0, milliseconds)
        self.kind = kind
        self.start = start
        end = HealthInstant(seconds: start.seconds + length / 1000, offsetMinutes: start.offsetMinutes)
        endMilliseconds = Int(length % 1000)
    }

    /// Returns an activity; nil if its times are out of range.
    ///
    /// - Parameter milliseconds: the duration, which is used if both times are in the same second.
    public static func activity(
        from start: HealthInstant, to end: HealthInstant, milliseconds: Int64
    ) -> HealthWorkoutPart? {
        let seconds = end.seconds - start.seconds
        guard HealthInstant.believable.contains(start.seconds), HealthInstant.believable.contains(end.seconds),
            seconds >= 0
        else { return nil }
        return HealthWorkoutPart(activity, start: start, milliseconds: seconds > 0 ? seconds * 1000 : milliseconds)
    }

    /// Returns a duration in milliseconds; nil if it is longer than a workout can be.
    public static func milliseconds(minutes: Double) -> Int64? {
        guard let range = HealthWorkout.measure(WorkoutComponent.duration)?.plausible, range.contains(minutes) else {
            return nil
        }
        return Int64((minutes * 60_000).rounded())
    }

    /// Adds a value. The first value of an identifier is kept.
    public mutating func add(_ identifier: String, _ quantity: HealthQuantity, as measure: HealthMeasure) {
        guard !figures.contains(where: { $0.identifier == identifier }) else { return }
        figures.append(Figure(identifier: identifier, measure: measure, quantity: quantity))
    }

    var isMoment: Bool { start.seconds == end.seconds && endMilliseconds == 0 }

    /// The prefix of the URLs of the extensions with an activity's values; the identifier follows it.
    public static let figurePrefix = "urn:tributary:workout-activity:"

    /// Writes the component. Everything except its time is in extensions, because components cannot have components.
    func write(_ units: HealthSelection.Units, to text: inout TextSink) {
        var isFirst = true
        for datum in context.metadata {
            text.put(isFirst ? "{\"extension\":[" : ",")
            isFirst = false
            datum.writeExtension(units, to: &text)
        }
        for figure in figures {
            text.put(isFirst ? "{\"extension\":[{\"url\":\"" : ",{\"url\":\"")
            isFirst = false
            text.put(Self.figurePrefix)
            text.put(figure.identifier)
            text.put("\",\"valueQuantity\":")
            figure.quantity.write(as: figure.measure, units, to: &text)
            text.put("}")
        }
        text.put(isFirst ? "{\"code\":" : "],\"code\":")
        text.put(kind.conceptText)
        if isMoment {
            text.put(",\"valueDateTime\":\"")
            text.put(25) { start.writeText(to: $0) }
            text.put("\"}")
        } else {
            text.put(",\"valuePeriod\":{\"start\":\"")
            text.put(25) { start.writeText(to: $0) }
            text.put("\",\"end\":\"")
            text.put(endText)
            text.put("\"}}")
        }
    }

    /// FHIR's dateTime, with milliseconds if there are any: `2016-11-14T07:25:41.300-07:00`.
    private var endText: String {
        guard endMilliseconds > 0 else { return end.text }
        let text = end.text
        let digits = String(endMilliseconds)
        return text.prefix(19) + "." + String(repeating: "0", count: 3 - digits.count) + digits + text.dropFirst(19)
    }
}

extension HealthWorkoutPart {
    /// HealthKit's kinds of events with their raw values.
    public static let events: [HealthOption] = [
        ("Pause", "Workout Pause"), ("Resume", "Workout Resume"), ("Lap", "Workout Lap"),
        ("Marker", "Workout Marker"), ("MotionPaused", "Workout Motion Paused"),
        ("MotionResumed", "Workout Motion Resumed"), ("Segment", "Workout Segment"),
        ("PauseOrResumeRequest", "Workout Pause or Resume Request"),
    ].enumerated().map { HealthOption("HKWorkoutEventType" + $1.0, $1.1, aliases: [String($0 + 1)]) }

    /// One of several activities of a workout, such as a triathlon.
    public static let activity = HealthOption("HKWorkoutActivity", "Workout Activity")

    /// Returns the kind of event with this name or raw value; nil if there is none.
    public static func event(named name: String) -> HealthOption? { byName[name] }

    private static let byName = Dictionary(
        events.flatMap { event in ([event.code] + event.aliases).map { ($0, event) } },
        uniquingKeysWith: { first, _ in first })
}
