import Foundation

/// One report of the motion coprocessor: the activity from a time on, until the next report.
public struct MotionActivity: Sendable, Hashable {
    /// The activities that the coprocessor distinguishes. A report may have several, such as a stop in a car, or none.
    public struct Kinds: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The phone does not move.
        public static let stationary = Kinds(rawValue: 1)
        /// In a vehicle.
        public static let automotive = Kinds(rawValue: 2)
        /// Walking.
        public static let walking = Kinds(rawValue: 4)
        /// Running.
        public static let running = Kinds(rawValue: 8)
        /// On a bicycle.
        public static let cycling = Kinds(rawValue: 16)
    }

    /// The time at which the activity begins.
    public var start: Date
    /// The activities; empty if the coprocessor knows none.
    public var kinds: Kinds
    /// The confidence of the coprocessor: 0 low, 1 medium, 2 high.
    public var confidence: Int

    /// Creates a report.
    public init(start: Date, kinds: Kinds, confidence: Int = 1) {
        self.start = start
        self.kinds = kinds
        self.confidence = confidence
    }
}

/// The activity of a person, as C3-PRO interprets the reports of the motion coprocessor. The raw value is C3-PRO's word.
public enum MotionInterpretation: String, Sendable, Hashable, CaseIterable {
    /// Stationary for three hours or longer.
    case sleeping
    /// Not moving.
    case stationary
    /// In a vehicle for five minutes or longer.
    case driving
    /// Walking.
    case walking
    /// Running.
    case running
    /// On a bicycle for two minutes or longer.
    case cycling
}

/// A time during which the interpretation is the same.
public struct MotionInterval: Sendable, Hashable {
    /// The start.
    public var start: Date
    /// The end, which is after the start.
    public var end: Date
    /// The activity.
    public var interpretation: MotionInterpretation

    /// Creates an interval.
    public init(start: Date, end: Date, interpretation: MotionInterpretation) {
        self.start = start
        self.end = end
        self.interpretation = interpretation
    }

    /// Length in seconds.
    public var seconds: Double { end.timeIntervalSince(start) }
}
