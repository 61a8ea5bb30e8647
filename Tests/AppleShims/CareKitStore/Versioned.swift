import Foundation

/// CareKit: OCKVersionedObjectCompatible, which is internal there.
package protocol OCKVersionedObjectCompatible: Sendable {
    static var entityType: OCKEntity.EntityType { get }
    var id: String { get set }
    var uuid: UUID { get set }
    var previousVersionUUIDs: [UUID] { get set }
    var nextVersionUUIDs: [UUID] { get set }
    var createdDate: Date? { get set }
    var updatedDate: Date? { get set }
    var deletedDate: Date? { get set }
    var effectiveDate: Date { get set }
    var groupIdentifier: String? { get set }
    var tags: [String]? { get set }
    var remoteID: String? { get set }
    var userInfo: [String: String]? { get set }
    var source: String? { get set }
    var asset: String? { get set }
    var notes: [OCKNote]? { get set }
    var schemaVersion: OCKSemanticVersion? { get set }
    var timezone: TimeZone { get set }

    func entity() -> OCKEntity
}

/// CareKit: OCKEntity.swift
public enum OCKEntity: Hashable, Sendable, Codable {
    case patient(OCKPatient)
    case carePlan(OCKCarePlan)
    case contact(OCKContact)
    case task(OCKTask)
    case healthKitTask(OCKHealthKitTask)
    case outcome(OCKOutcome)

    public enum EntityType: String, Equatable, Codable, CodingKey, CaseIterable, Sendable {
        case patient, carePlan, contact, task, healthKitTask, outcome
    }

    public var entityType: EntityType { type(of: value).entityType }

    package var value: any OCKVersionedObjectCompatible {
        switch self {
        case .patient(let value): value
        case .carePlan(let value): value
        case .contact(let value): value
        case .task(let value): value
        case .healthKitTask(let value): value
        case .outcome(let value): value
        }
    }

    private enum Keys: CodingKey { case type, object }

    public init(from decoder: Decoder) throws {
        let members = try decoder.container(keyedBy: Keys.self)
        switch try members.decode(EntityType.self, forKey: .type) {
        case .patient: self = .patient(try members.decode(OCKPatient.self, forKey: .object))
        case .carePlan: self = .carePlan(try members.decode(OCKCarePlan.self, forKey: .object))
        case .contact: self = .contact(try members.decode(OCKContact.self, forKey: .object))
        case .task: self = .task(try members.decode(OCKTask.self, forKey: .object))
        case .healthKitTask: self = .healthKitTask(try members.decode(OCKHealthKitTask.self, forKey: .object))
        case .outcome: self = .outcome(try members.decode(OCKOutcome.self, forKey: .object))
        }
    }

    public func encode(to encoder: Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(entityType, forKey: .type)
        switch self {
        case .patient(let value): try members.encode(value, forKey: .object)
        case .carePlan(let value): try members.encode(value, forKey: .object)
        case .contact(let value): try members.encode(value, forKey: .object)
        case .task(let value): try members.encode(value, forKey: .object)
        case .healthKitTask(let value): try members.encode(value, forKey: .object)
        case .outcome(let value): try members.encode(value, forKey: .object)
        }
    }
}
