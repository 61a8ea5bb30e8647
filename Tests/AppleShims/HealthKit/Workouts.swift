import Foundation

public enum HKWorkoutActivityType: UInt, Sendable {
    case americanFootball = 1  // objc: HKWorkoutActivityTypeAmericanFootball
    case cycling = 13  // objc: HKWorkoutActivityTypeCycling
    case running = 37  // objc: HKWorkoutActivityTypeRunning
    case swimming = 46  // objc: HKWorkoutActivityTypeSwimming
    case walking = 52  // objc: HKWorkoutActivityTypeWalking
    case other = 3000  // objc: HKWorkoutActivityTypeOther
}

/// objc: class HKStatistics
public final class HKStatistics: NSObject, @unchecked Sendable {
    private let sum: HKQuantity?
    private let range: (average: HKQuantity, minimum: HKQuantity, maximum: HKQuantity)?
    public init(sum: HKQuantity) {
        self.sum = sum
        range = nil
    }
    public init(average: HKQuantity, minimum: HKQuantity, maximum: HKQuantity) {
        sum = nil
        range = (average, minimum, maximum)
    }
    public func sumQuantity() -> HKQuantity? { sum }
    public func averageQuantity() -> HKQuantity? { range?.average }
    public func minimumQuantity() -> HKQuantity? { range?.minimum }
    public func maximumQuantity() -> HKQuantity? { range?.maximum }
}

/// objc: class HKWorkout
public final class HKWorkout: HKSample, @unchecked Sendable {
    public let workoutActivityType: HKWorkoutActivityType
    public let duration: TimeInterval
    public let workoutEvents: [HKWorkoutEvent]?
    public let workoutActivities: [HKWorkoutActivity]
    private let all: [HKQuantityType: HKStatistics]
    public init(
        activity: HKWorkoutActivityType, start: Date, end: Date, duration: TimeInterval,
        statistics: [HKQuantityType: HKStatistics] = [:], events: [HKWorkoutEvent]? = nil,
        activities: [HKWorkoutActivity] = [], origin: Origin = Origin()
    ) {
        workoutActivityType = activity
        self.duration = duration
        workoutEvents = events
        workoutActivities = activities
        all = statistics
        super.init(HKObjectType.workoutType(), start, end, origin)
    }
    public var allStatistics: [HKQuantityType: HKStatistics] { all }
    public func statistics(for quantityType: HKQuantityType) -> HKStatistics? { all[quantityType] }
}

public enum HKWorkoutEventType: Int, Sendable {
    case pause = 1  // objc: HKWorkoutEventTypePause
    case resume = 2  // objc: HKWorkoutEventTypeResume
    case lap = 3  // objc: HKWorkoutEventTypeLap
    case marker = 4  // objc: HKWorkoutEventTypeMarker
    case motionPaused = 5  // objc: HKWorkoutEventTypeMotionPaused
    case motionResumed = 6  // objc: HKWorkoutEventTypeMotionResumed
    case segment = 7  // objc: HKWorkoutEventTypeSegment
    case pauseOrResumeRequest = 8  // objc: HKWorkoutEventTypePauseOrResumeRequest
}

/// objc: class HKWorkoutEvent
public final class HKWorkoutEvent: NSObject, @unchecked Sendable {
    public let type: HKWorkoutEventType
    public let dateInterval: DateInterval
    public let metadata: [String: Any]?
    public init(type: HKWorkoutEventType, dateInterval: DateInterval, metadata: [String: Any]?) {
        self.type = type
        self.dateInterval = dateInterval
        self.metadata = metadata
    }
}

/// objc: class HKWorkoutActivity
public final class HKWorkoutActivity: NSObject, @unchecked Sendable {
    public let startDate: Date
    public let endDate: Date?
    public let duration: TimeInterval
    public let metadata: [String: Any]?
    public let workoutEvents: [HKWorkoutEvent]
    public let allStatistics: [HKQuantityType: HKStatistics]
    public init(
        start: Date, end: Date?, duration: TimeInterval, metadata: [String: Any]? = nil, events: [HKWorkoutEvent] = [],
        statistics: [HKQuantityType: HKStatistics] = [:]
    ) {
        startDate = start
        endDate = end
        self.duration = duration
        self.metadata = metadata
        workoutEvents = events
        allStatistics = statistics
    }
}
