// A stand-in for Core Motion on Linux, for the parts that the adapter uses. Names and raw values are Apple's.
import Foundation

/// objc: enum CMMotionActivityConfidence
public enum CMMotionActivityConfidence: Int, Sendable {
    case low = 0  // objc: CMMotionActivityConfidenceLow
    case medium = 1  // objc: CMMotionActivityConfidenceMedium
    case high = 2  // objc: CMMotionActivityConfidenceHigh
}

/// objc: enum CMError, which Swift imports as a struct
public struct CMError: Equatable, Sendable {
    public let rawValue: UInt32
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public let CMErrorMotionActivityNotAvailable = CMError(104)  // objc: CMErrorMotionActivityNotAvailable
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CMErrorMotionActivityNotAuthorized = CMError(105)  // objc: CMErrorMotionActivityNotAuthorized
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CMErrorNotAvailable = CMError(109)  // objc: CMErrorNotAvailable
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CMErrorNotAuthorized = CMError(111)  // objc: CMErrorNotAuthorized

/// objc: class CMMotionActivity
public final class CMMotionActivity: NSObject {
    public let startDate: Date
    public let confidence: CMMotionActivityConfidence
    public let unknown: Bool
    public let stationary: Bool
    public let walking: Bool
    public let running: Bool
    public let automotive: Bool
    public let cycling: Bool

    /// - Parameter kinds: the names of the true properties.
    public init(_ startDate: Date, _ kinds: Set<String>, confidence: CMMotionActivityConfidence = .medium) {
        self.startDate = startDate
        self.confidence = confidence
        unknown = kinds.contains("unknown")
        stationary = kinds.contains("stationary")
        walking = kinds.contains("walking")
        running = kinds.contains("running")
        automotive = kinds.contains("automotive")
        cycling = kinds.contains("cycling")
    }
}

public typealias CMMotionActivityQueryHandler = ([CMMotionActivity]?, (any Error)?) -> Void

/// objc: class CMMotionActivityManager. It keeps the records of seven days.
public final class CMMotionActivityManager: NSObject {
    private let records: [(start: Date, kinds: Set<String>)]
    private let error: NSError?

    // objc: CMMotionActivityManager isActivityAvailable
    public static func isActivityAvailable() -> Bool { true }

    public init(records: [(start: Date, kinds: Set<String>)], error: NSError? = nil) {
        self.records = records
        self.error = error
    }

    override public convenience init() { self.init(records: []) }

    // objc: CMMotionActivityManager queryActivityStartingFromDate:toDate:toQueue:withHandler:
    public func queryActivityStarting(
        from start: Date, to end: Date, to queue: OperationQueue,
        withHandler handler: @escaping CMMotionActivityQueryHandler
    ) {
        struct Handler: @unchecked Sendable { let call: CMMotionActivityQueryHandler }
        let (records, error, handler) = (records, error, Handler(call: handler))
        queue.addOperation {
            guard error == nil else { return handler.call(nil, error) }
            handler.call(
                records.filter { $0.start >= start && $0.start <= end }.map { CMMotionActivity($0.start, $0.kinds) },
                nil)
        }
    }
}
