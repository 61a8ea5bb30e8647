import Foundation

/// CareKit: OCKOutcome.swift
public struct OCKOutcome: Codable, Hashable, Identifiable, Sendable {
    public var taskUUID: UUID
    public var id: String = UUID().uuidString
    public var taskOccurrenceIndex: Int
    public var values: [OCKOutcomeValue]
    public var effectiveDate: Date
    public var deletedDate: Date?
    public var uuid = UUID()
    public var nextVersionUUIDs: [UUID] = []
    public var previousVersionUUIDs: [UUID] = []
    public var createdDate: Date?
    public var updatedDate: Date?
    public var schemaVersion: OCKSemanticVersion?
    public var remoteID: String?
    public var groupIdentifier: String?
    public var tags: [String]?
    public var source: String?
    public var userInfo: [String: String]?
    public var asset: String?
    public var notes: [OCKNote]?
    public var timezone: TimeZone

    public init(taskUUID: UUID, taskOccurrenceIndex: Int, values: [OCKOutcomeValue]) {
        (self.taskUUID, self.taskOccurrenceIndex, self.values) = (taskUUID, taskOccurrenceIndex, values)
        effectiveDate = Date()
        timezone = TimeZone.current
    }
}

extension OCKOutcome: OCKVersionedObjectCompatible {
    package static var entityType: OCKEntity.EntityType { .outcome }
    package func entity() -> OCKEntity { .outcome(self) }
}

public protocol OCKOutcomeValueUnderlyingType: Codable, Sendable {}
extension Int: OCKOutcomeValueUnderlyingType {}
extension Double: OCKOutcomeValueUnderlyingType {}
extension Bool: OCKOutcomeValueUnderlyingType {}
extension String: OCKOutcomeValueUnderlyingType {}
extension Data: OCKOutcomeValueUnderlyingType {}
extension Date: OCKOutcomeValueUnderlyingType {}

public enum OCKOutcomeValueType: String, Codable, Sendable { case integer, double, boolean, text, binary, date }

/// CareKit: OCKOutcomeValue.swift
public struct OCKOutcomeValue: Codable, Hashable, Sendable {
    public var kind: String?
    public var units: String?
    public var createdDate = Date()
    public var value: any OCKOutcomeValueUnderlyingType

    public init(_ value: any OCKOutcomeValueUnderlyingType, units: String? = nil) {
        (self.value, self.units) = (value, units)
    }

    public var type: OCKOutcomeValueType {
        switch value {
        case is Int: .integer
        case is Double: .double
        case is Bool: .boolean
        case is String: .text
        case is Data: .binary
        default: .date
        }
    }

    private var hashable: AnyHashable? { value as? AnyHashable }

    public static func == (one: OCKOutcomeValue, other: OCKOutcomeValue) -> Bool {
        one.type == other.type && one.hashable == other.hashable && one.kind == other.kind && one.units == other.units
            && one.createdDate == other.createdDate
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(hashable)
        hasher.combine(createdDate)
    }

    private enum CodingKeys: CodingKey { case kind, units, value, type, createdDate }

    public init(from decoder: Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(OCKOutcomeValueType.self, forKey: .type) {
        case .integer: value = try members.decode(Int.self, forKey: .value)
        case .double: value = try members.decode(Double.self, forKey: .value)
        case .boolean: value = try members.decode(Bool.self, forKey: .value)
        case .text: value = try members.decode(String.self, forKey: .value)
        case .binary: value = try members.decode(Data.self, forKey: .value)
        case .date: value = try members.decode(Date.self, forKey: .value)
        }
        kind = try members.decodeIfPresent(String.self, forKey: .kind)
        units = try members.decodeIfPresent(String.self, forKey: .units)
        createdDate = try members.decode(Date.self, forKey: .createdDate)
    }

    public func encode(to encoder: Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(type, forKey: .type)
        try members.encode(createdDate, forKey: .createdDate)
        try members.encodeIfPresent(kind, forKey: .kind)
        try members.encodeIfPresent(units, forKey: .units)
        switch value {
        case let value as Int: try members.encode(value, forKey: .value)
        case let value as Double: try members.encode(value, forKey: .value)
        case let value as Bool: try members.encode(value, forKey: .value)
        case let value as String: try members.encode(value, forKey: .value)
        case let value as Data: try members.encode(value, forKey: .value)
        default: try members.encode(value as? Date, forKey: .value)
        }
    }
}
