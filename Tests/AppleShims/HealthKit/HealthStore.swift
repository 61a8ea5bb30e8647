import Foundation

public enum HKUpdateFrequency: Int, Sendable {
    case immediate = 1  // objc: HKUpdateFrequencyImmediate
    case hourly = 2  // objc: HKUpdateFrequencyHourly
    case daily = 3  // objc: HKUpdateFrequencyDaily
    case weekly = 4  // objc: HKUpdateFrequencyWeekly
}

public enum HKAuthorizationRequestStatus: Int, Sendable {
    case unknown = 0  // objc: HKAuthorizationRequestStatusUnknown
    case shouldRequest = 1  // objc: HKAuthorizationRequestStatusShouldRequest
    case unnecessary = 2  // objc: HKAuthorizationRequestStatusUnnecessary
}

public struct HKError: Error, Sendable, Hashable {
    public enum Code: Int, Sendable {
        case errorHealthDataUnavailable = 1  // objc: HKErrorHealthDataUnavailable
        case errorHealthDataRestricted = 2  // objc: HKErrorHealthDataRestricted
        case errorInvalidArgument = 3  // objc: HKErrorInvalidArgument
        case errorAuthorizationDenied = 4  // objc: HKErrorAuthorizationDenied
        case errorAuthorizationNotDetermined = 5  // objc: HKErrorAuthorizationNotDetermined
        case errorDatabaseInaccessible = 6  // objc: HKErrorDatabaseInaccessible
        case errorUserCanceled = 7  // objc: HKErrorUserCanceled
        case errorNoData = 11  // objc: HKErrorNoData
    }
    public let code: Code
    public init(_ code: Code) { self.code = code }
}

/// objc: class HKHealthStore
public final class HKHealthStore: NSObject, Sendable {
    /// The data of the store; HealthKit has one database for all stores.
    public let database: HealthDatabase

    public init(database: HealthDatabase) { self.database = database }

    override public convenience init() { self.init(database: HealthDatabase()) }

    // objc: HKHealthStore isHealthDataAvailable
    public static func isHealthDataAvailable() -> Bool { true }

    public func execute(_ query: HKQuery) { database.execute(query) }
    public func stop(_ query: HKQuery) { database.stop(query) }

    // objc: HKHealthStore enableBackgroundDeliveryForType:frequency:withCompletion:
    public func enableBackgroundDelivery(
        for type: HKObjectType, frequency: HKUpdateFrequency,
        withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { database.enableDelivery(type, completion) }

    // objc: HKHealthStore disableBackgroundDeliveryForType:withCompletion:
    public func disableBackgroundDelivery(
        for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { database.disableDelivery(type, completion) }

    // objc: HKHealthStore requestAuthorizationToShareTypes:readTypes:completion:
    public func requestAuthorization(
        toShare: Set<HKSampleType>?, read: Set<HKObjectType>?,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { database.ask(read ?? [], completion) }

    // objc: HKHealthStore getRequestStatusForAuthorizationToShareTypes:readTypes:completion:
    public func getRequestStatusForAuthorization(
        toShare: Set<HKSampleType>, read: Set<HKObjectType>,
        completion: @escaping @Sendable (HKAuthorizationRequestStatus, (any Error)?) -> Void
    ) { database.status(read, completion) }

    // objc: HKHealthStore preferredUnitsForQuantityTypes:completion:
    public func preferredUnits(
        for types: Set<HKQuantityType>, completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
    ) { database.preferred(types, completion) }
}
