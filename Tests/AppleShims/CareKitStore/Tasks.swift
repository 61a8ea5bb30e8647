import Foundation
import HealthKit

/// CareKit: OCKTask.swift
public struct OCKTask: Codable, Hashable, Identifiable, Sendable {
    public var carePlanUUID: UUID?
    public var id: String
    public var title: String?
    public var instructions: String?
    public var impactsAdherence = true
    public var schedule: OCKSchedule
    public var groupIdentifier: String?
    public var tags: [String]?
    public var effectiveDate: Date
    public var deletedDate: Date?
    public var uuid = UUID()
    public var nextVersionUUIDs: [UUID] = []
    public var previousVersionUUIDs: [UUID] = []
    public var createdDate: Date?
    public var updatedDate: Date?
    public var schemaVersion: OCKSemanticVersion?
    public var remoteID: String?
    public var source: String?
    public var userInfo: [String: String]?
    public var asset: String?
    public var notes: [OCKNote]?
    public var timezone: TimeZone

    public init(id: String, title: String?, carePlanUUID: UUID?, schedule: OCKSchedule) {
        (self.id, self.title, self.carePlanUUID, self.schedule) = (id, title, carePlanUUID, schedule)
        effectiveDate = schedule.startDate()
        timezone = TimeZone.current
    }
}

extension HKQuantityTypeIdentifier: Codable {}

/// CareKit: OCKHealthKitLinkage.swift
public struct OCKHealthKitLinkage: Hashable, Codable, Sendable {
    public enum QuantityType: String, Codable, Sendable { case cumulative, discrete }

    public var quantityIdentifier: HKQuantityTypeIdentifier
    public var quantityType: QuantityType
    private var unitString: String

    public var unit: HKUnit {
        get { HKUnit(from: unitString) }
        set { unitString = newValue.unitString }
    }

    public init(quantityIdentifier: HKQuantityTypeIdentifier, quantityType: QuantityType, unit: HKUnit) {
        (self.quantityIdentifier, self.quantityType) = (quantityIdentifier, quantityType)
        unitString = unit.unitString
    }
}

/// CareKit: OCKHealthKitTask.swift. The identity, the links and the dates have no public setters there.
public struct OCKHealthKitTask: Codable, Hashable, Identifiable, Sendable {
    public var carePlanUUID: UUID?
    public var healthKitLinkage: OCKHealthKitLinkage
    public var id: String
    public var title: String?
    public var instructions: String?
    public var impactsAdherence = true
    public var schedule: OCKSchedule
    public var groupIdentifier: String?
    public var tags: [String]?
    public var effectiveDate: Date
    public package(set) var deletedDate: Date?
    public package(set) var uuid = UUID()
    public package(set) var nextVersionUUIDs: [UUID] = []
    public package(set) var previousVersionUUIDs: [UUID] = []
    public package(set) var createdDate: Date?
    public package(set) var updatedDate: Date?
    public package(set) var schemaVersion: OCKSemanticVersion?
    public var remoteID: String?
    public var source: String?
    public var userInfo: [String: String]?
    public var asset: String?
    public var notes: [OCKNote]?
    public var timezone: TimeZone

    public init(
        id: String, title: String?, carePlanUUID: UUID?, schedule: OCKSchedule, healthKitLinkage: OCKHealthKitLinkage
    ) {
        (self.id, self.title, self.carePlanUUID, self.schedule) = (id, title, carePlanUUID, schedule)
        self.healthKitLinkage = healthKitLinkage
        effectiveDate = schedule.startDate()
        timezone = TimeZone.current
    }
}

extension OCKTask: OCKVersionedObjectCompatible {
    package static var entityType: OCKEntity.EntityType { .task }
    package func entity() -> OCKEntity { .task(self) }
}
extension OCKHealthKitTask: OCKVersionedObjectCompatible {
    package static var entityType: OCKEntity.EntityType { .healthKitTask }
    package func entity() -> OCKEntity { .healthKitTask(self) }
}
