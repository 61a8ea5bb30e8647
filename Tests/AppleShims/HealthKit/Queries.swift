import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKObjectQueryNoLimit = 0  // objc: HKObjectQueryNoLimit

/// objc: class HKQuery
open class HKQuery: NSObject, @unchecked Sendable {
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let strictStartDate = Options(rawValue: 1)  // objc: HKQueryOptionStrictStartDate
        public static let strictEndDate = Options(rawValue: 2)  // objc: HKQueryOptionStrictEndDate
    }

    public static func predicateForSamples(withStart start: Date?, end: Date?, options: Options = []) -> NSPredicate {
        NSPredicate { object, _ in
            guard let sample = object as? HKSample else { return false }
            let first = options.contains(.strictStartDate) ? sample.startDate : sample.endDate
            let last = options.contains(.strictEndDate) ? sample.endDate : sample.startDate
            if let start, first < start { return false }
            if let end, last >= end { return false }
            return true
        }
    }

    public static func predicateForObjects(with uuids: Set<UUID>) -> NSPredicate {
        NSPredicate { object, _ in (object as? HKObject).map { uuids.contains($0.uuid) } ?? false }
    }
}

/// objc: class HKQueryAnchor
public final class HKQueryAnchor: NSObject, NSSecureCoding, @unchecked Sendable {
    public static let supportsSecureCoding = true
    let place: Int

    init(place: Int) { self.place = place }

    public init?(coder: NSCoder) { place = coder.decodeInteger(forKey: "place") }

    public func encode(with coder: NSCoder) { coder.encode(place, forKey: "place") }
}

/// objc: class HKObserverQuery
public final class HKObserverQuery: HKQuery, @unchecked Sendable {
    public typealias Completion = @Sendable () -> Void
    let type: HKSampleType
    let handler: @Sendable (HKObserverQuery, @escaping Completion, (any Error)?) -> Void
    // objc: HKObserverQuery initWithSampleType:predicate:updateHandler:
    public init(
        sampleType: HKSampleType, predicate: NSPredicate?,
        updateHandler: @escaping @Sendable (HKObserverQuery, @escaping Completion, (any Error)?) -> Void
    ) {
        type = sampleType
        handler = updateHandler
    }
}

/// objc: class HKAnchoredObjectQuery
public final class HKAnchoredObjectQuery: HKQuery, @unchecked Sendable {
    public typealias Handler =
        @Sendable (
            HKAnchoredObjectQuery, [HKSample]?, [HKDeletedObject]?, HKQueryAnchor?, (any Error)?
        ) -> Void
    let type: HKSampleType
    let predicate: NSPredicate?
    let anchor: HKQueryAnchor?
    let limit: Int
    let handler: Handler
    // objc: HKAnchoredObjectQuery initWithType:predicate:anchor:limit:resultsHandler:
    public init(
        type: HKSampleType, predicate: NSPredicate?, anchor: HKQueryAnchor?, limit: Int,
        resultsHandler: @escaping Handler
    ) {
        self.type = type
        self.predicate = predicate
        self.anchor = anchor
        self.limit = limit
        handler = resultsHandler
    }

    /// Raises an exception for a query with a limit.
    // objc: HKAnchoredObjectQuery setUpdateHandler:
    public var updateHandler: Handler? {
        willSet { precondition(limit == HKObjectQueryNoLimit, "HealthKit raises: an update handler needs no limit") }
    }
}

/// objc: class HKSampleQuery
public final class HKSampleQuery: HKQuery, @unchecked Sendable {
    public typealias Handler = @Sendable (HKSampleQuery, [HKSample]?, (any Error)?) -> Void
    let type: HKSampleType
    let predicate: NSPredicate?
    let limit: Int
    let sort: [SortDescriptor<HKSample>]
    let handler: Handler
    // objc: HKSampleQuery initWithSampleType:predicate:limit:sortDescriptors:resultsHandler:
    public init(
        sampleType: HKSampleType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
        resultsHandler: @escaping Handler
    ) {
        type = sampleType
        self.predicate = predicate
        self.limit = limit
        sort = []
        handler = resultsHandler
    }

    init(
        type: HKSampleType, predicate: NSPredicate?, limit: Int, sort: [SortDescriptor<HKSample>],
        handler: @escaping Handler
    ) {
        self.type = type
        self.predicate = predicate
        self.limit = limit
        self.sort = sort
        self.handler = handler
    }
}

/// Swift only; Objective-C's headers do not have it.
public struct HKSamplePredicate<Sample>: @unchecked Sendable {
    let type: HKSampleType
    let predicate: NSPredicate?
}

extension HKSamplePredicate where Sample == HKSample {
    public static func sample(type: HKSampleType, predicate: NSPredicate? = nil) -> HKSamplePredicate<HKSample> {
        HKSamplePredicate(type: type, predicate: predicate)
    }
}

/// Swift only; Objective-C's headers do not have it.
public struct HKSampleQueryDescriptor<Sample>: @unchecked Sendable {
    let predicate: HKSamplePredicate<Sample>?
    let sort: [SortDescriptor<Sample>]
    let limit: Int?

    public init(predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>], limit: Int? = nil) {
        predicate = predicates.first
        sort = sortDescriptors
        self.limit = limit
    }
}

extension HKSampleQueryDescriptor where Sample == HKSample {
    public func result(for store: HKHealthStore) async throws -> [HKSample] {
        guard let predicate else { return [] }
        let (sort, limit) = (sort, limit ?? HKObjectQueryNoLimit)
        return try await withCheckedThrowingContinuation { continuation in
            store.execute(
                HKSampleQuery(type: predicate.type, predicate: predicate.predicate, limit: limit, sort: sort) {
                    _, samples, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: samples ?? [])
                    }
                })
        }
    }
}

/// objc: class HKElectrocardiogramQuery
public final class HKElectrocardiogramQuery: HKQuery, @unchecked Sendable {
    public enum Result: @unchecked Sendable {
        case measurement(HKElectrocardiogram.VoltageMeasurement)
        case done
        case error(any Error)
    }
    let electrocardiogram: HKElectrocardiogram
    let handler: @Sendable (HKElectrocardiogramQuery, Result) -> Void
    // objc: HKElectrocardiogramQuery initWithElectrocardiogram:dataHandler:
    public init(
        _ electrocardiogram: HKElectrocardiogram,
        dataHandler: @escaping @Sendable (HKElectrocardiogramQuery, Result) -> Void
    ) {
        self.electrocardiogram = electrocardiogram
        handler = dataHandler
    }
}

/// objc: class HKHeartbeatSeriesQuery
public final class HKHeartbeatSeriesQuery: HKQuery, @unchecked Sendable {
    public typealias Handler = @Sendable (HKHeartbeatSeriesQuery, TimeInterval, Bool, Bool, (any Error)?) -> Void
    let series: HKHeartbeatSeriesSample
    let handler: Handler
    // objc: HKHeartbeatSeriesQuery initWithHeartbeatSeries:dataHandler:
    public init(heartbeatSeries: HKHeartbeatSeriesSample, dataHandler: @escaping Handler) {
        series = heartbeatSeries
        handler = dataHandler
    }
}

/// objc: class HKWorkoutRouteQuery
public final class HKWorkoutRouteQuery: HKQuery, @unchecked Sendable {
    public typealias Handler = @Sendable (HKWorkoutRouteQuery, [CLLocation]?, Bool, (any Error)?) -> Void
    let route: HKWorkoutRoute
    let handler: Handler
    // objc: HKWorkoutRouteQuery initWithRoute:dataHandler:
    public init(route: HKWorkoutRoute, dataHandler: @escaping Handler) {
        self.route = route
        handler = dataHandler
    }
}
