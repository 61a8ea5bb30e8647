import Core
import Foundation

/// A version of a task, with its schedule.
public struct CareTask: Sendable, Hashable {
    /// The version.
    public let entity: CareEntity
    /// The schedule.
    public let schedule: CareSchedule
    /// The title.
    public let title: String?
    /// Whether the events count for adherence.
    public let impactsAdherence: Bool

    /// The identity that all versions of the task share.
    public var id: String { entity.id }
    /// The identity of this version.
    public var uuid: UUID { entity.uuid }
    /// The time from which this version counts.
    public var effectiveDate: Date { Date(timeIntervalSinceReferenceDate: entity.effectiveDate) }
    /// Whether HealthKit has the outcomes. They remain on the phone.
    public var isHealthKit: Bool { entity.kind == .healthKitTask }

    /// Reads a version of a task.
    ///
    /// - Throws: ``CarePlanError`` `entity-invalid` if the version is not a task; `schedule-invalid` with the path of the
    ///   member.
    public init(_ entity: CareEntity) throws(CarePlanError) {
        guard entity.kind == .task || entity.kind == .healthKitTask else {
            throw CarePlanError(.entityInvalid, at: "$.type")
        }
        self.entity = entity
        schedule = try CareSchedule(entity.object["schedule"] ?? .null)
        title = entity.object["title"]?.string
        impactsAdherence = entity.object["impactsAdherence"]?.bool ?? true
    }

    /// Whether the schedule has an event with an index. The events of a HealthKit task count too, although CareKit's store
    /// takes no outcome of them.
    ///
    /// - Throws: ``CarePlanError`` `schedule-too-dense`.
    public func hasEvent(occurrence: Int) throws(CarePlanError) -> Bool {
        try schedule.event(occurrence: occurrence) != nil
    }
}
