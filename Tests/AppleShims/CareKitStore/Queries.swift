import Foundation

/// The members that all queries have.
package protocol OCKQueryProtocol: Sendable {
    init()
    var ids: [String] { get set }
    var uuids: [UUID] { get set }
    var dateInterval: DateInterval? { get set }
    var limit: Int? { get set }
    var offset: Int { get set }
}

extension OCKQueryProtocol {
    static func day(of date: Date) -> DateInterval {
        let start = Calendar.current.startOfDay(for: date)
        return DateInterval(start: start, duration: 86_399)
    }
}

/// CareKit: OCKOutcomeQuery.swift
public struct OCKOutcomeQuery: Equatable, OCKQueryProtocol {
    public var taskIDs: [String] = []
    public var taskUUIDs: [UUID] = []
    public var ids: [String] = []
    public var uuids: [UUID] = []
    public var dateInterval: DateInterval?
    public var limit: Int?
    public var offset: Int = 0
    public init() {}
    public init(dateInterval: DateInterval? = nil) { self.dateInterval = dateInterval }
    public init(for date: Date) { dateInterval = Self.day(of: date) }
}

/// CareKit: OCKTaskQuery.swift
public struct OCKTaskQuery: Equatable, OCKQueryProtocol {
    public var ids: [String] = []
    public var uuids: [UUID] = []
    public var dateInterval: DateInterval?
    public var limit: Int?
    public var offset: Int = 0
    public init() {}
    public init(id: String) { ids = [id] }
    public init(dateInterval: DateInterval? = nil) { self.dateInterval = dateInterval }
    public init(for date: Date) { dateInterval = Self.day(of: date) }
}

/// CareKit: OCKPatientQuery.swift
public struct OCKPatientQuery: Equatable, OCKQueryProtocol {
    public var ids: [String] = []
    public var uuids: [UUID] = []
    public var dateInterval: DateInterval?
    public var limit: Int?
    public var offset: Int = 0
    public init() {}
    public init(for date: Date) { dateInterval = Self.day(of: date) }
}

/// CareKit: OCKCarePlanQuery.swift
public struct OCKCarePlanQuery: Equatable, OCKQueryProtocol {
    public var ids: [String] = []
    public var uuids: [UUID] = []
    public var dateInterval: DateInterval?
    public var limit: Int?
    public var offset: Int = 0
    public init() {}
    public init(for date: Date) { dateInterval = Self.day(of: date) }
}

/// CareKit: OCKContactQuery.swift
public struct OCKContactQuery: Equatable, OCKQueryProtocol {
    public var ids: [String] = []
    public var uuids: [UUID] = []
    public var dateInterval: DateInterval?
    public var limit: Int?
    public var offset: Int = 0
    public init() {}
    public init(for date: Date) { dateInterval = Self.day(of: date) }
}
