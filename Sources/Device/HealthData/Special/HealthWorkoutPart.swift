import FHIR

/// A part of a workout that has a time of its own: an event such as a pause or a lap
/// (<https://developer.apple.com/documentation/healthkit/hkworkoutevent>), or one of the activities of a workout that
/// has several. It is a component of the workout's observation, and no part of the workout's fingerprint.
public struct HealthWorkoutPart: Sendable, Hashable {
    /// HealthKit's kind of event, or ``activity``.
    public let kind: HealthOption
    public var start: HealthInstant
    /// Equal to ``start`` for a moment.
    public var end: HealthInstant
    /// Thousandths of a second behind ``end``: laps are timed more finely than samples are.
    public let endMilliseconds: Int
    /// The metadata of the part: the stroke style of a lap.
    public var context = HealthContext()
    /// The statistics of an activity.
    public private(set) var figures: [Figure] = []

    /// A figure of an activity, under the identifier of the workout's component.
    public struct Figure: Sendable, Hashable {
        public let identifier: String
        public let measure: HealthMeasure
        public let quantity: HealthQuantity
    }

    /// - Parameter milliseconds: how long it was; 0 or less for a moment.
    public init(_ kind: HealthOption, start: HealthInstant, milliseconds: Int64 = 0) {
        let length = max(0, milliseconds)
        self.kind = kind
        self.start = start
        end = HealthInstant(seconds: start.seconds + length / 1000, offsetMinutes: start.offsetMinutes)
        endMilliseconds = Int(length % 1000)
    }

    /// An activity; nil where its times cannot be believed.
    ///
    /// - Parameter milliseconds: how long it was, which tells where both times are in one second.
    public static func activity(
        from start: HealthInstant, to end: HealthInstant, milliseconds: Int64
    ) -> HealthWorkoutPart? {
        let seconds = end.seconds - start.seconds
        guard HealthInstant.believable.contains(start.seconds), HealthInstant.believable.contains(end.seconds),
            seconds >= 0
        else { return nil }
        return HealthWorkoutPart(activity, start: start, milliseconds: seconds > 0 ? seconds * 1000 : milliseconds)
    }

    /// A duration in milliseconds; nil where no workout is that long.
    public static func milliseconds(minutes: Double) -> Int64? {
        guard let range = HealthWorkout.measure(WorkoutComponent.duration)?.plausible, range.contains(minutes) else {
            return nil
        }
        return Int64((minutes * 60_000).rounded())
    }

    /// Sets a figure. The first one counts.
    public mutating func add(_ identifier: String, _ quantity: HealthQuantity, as measure: HealthMeasure) {
        guard !figures.contains(where: { $0.identifier == identifier }) else { return }
        figures.append(Figure(identifier: identifier, measure: measure, quantity: quantity))
    }

    var isMoment: Bool { start.seconds == end.seconds && endMilliseconds == 0 }

    /// The prefix of the URLs of the extensions that hold an activity's figures: the identifier follows.
    public static let figurePrefix = "urn:tributary:workout-activity:"

    /// The component. What is known of it besides its time stands in extensions: components have no components.
    func component(_ units: HealthSelection.Units) -> JSON {
        var object = JSONObject()
        let extensions =
            context.metadata.map { $0.extension(units) }
            + figures.map { figure in
                [
                    "url": .string(Self.figurePrefix + figure.identifier),
                    "valueQuantity": figure.quantity.json(as: figure.measure, units),
                ]
            }
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        object["code"] = kind.concept
        if isMoment {
            object["valueDateTime"] = .string(start.text)
        } else {
            object["valuePeriod"] = ["start": .string(start.text), "end": .string(endText)]
        }
        return .object(object)
    }

    /// FHIR's dateTime with thousandths where there are any: `2016-11-14T07:25:41.300-07:00`.
    private var endText: String {
        guard endMilliseconds > 0 else { return end.text }
        let text = end.text
        let places = String(endMilliseconds)
        return text.prefix(19) + "." + String(repeating: "0", count: 3 - places.count) + places + text.dropFirst(19)
    }
}

extension HealthWorkoutPart {
    /// HealthKit's kinds of events, with their numbers.
    public static let events: [HealthOption] = [
        ("Pause", "Workout Pause"), ("Resume", "Workout Resume"), ("Lap", "Workout Lap"),
        ("Marker", "Workout Marker"), ("MotionPaused", "Workout Motion Paused"),
        ("MotionResumed", "Workout Motion Resumed"), ("Segment", "Workout Segment"),
        ("PauseOrResumeRequest", "Workout Pause or Resume Request"),
    ].enumerated().map { HealthOption("HKWorkoutEventType" + $1.0, $1.1, aliases: [String($0 + 1)]) }

    /// One activity of a workout that has several, as a triathlon.
    public static let activity = HealthOption("HKWorkoutActivity", "Workout Activity")

    /// The kind of event with the name or the number; nil for what is none.
    public static func event(named name: String) -> HealthOption? { byName[name] }

    private static let byName = Dictionary(
        events.flatMap { event in ([event.code] + event.aliases).map { ($0, event) } },
        uniquingKeysWith: { first, _ in first })
}
