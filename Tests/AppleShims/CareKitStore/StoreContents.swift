import Foundation

/// A version in the store, with its links in both directions.
struct StoredVersion: Sendable {
    var value: any OCKVersionedObjectCompatible
    var knowledge: OCKRevisionRecord.KnowledgeVector
    var previous: Set<UUID> = []
    var next: Set<UUID> = []
    /// The time of an outcome's event.
    var event: DateInterval?

    var isLiveTip: Bool { next.isEmpty && value.deletedDate == nil }

    /// The event of an outcome.
    var eventKey: StoredEvent? {
        (value as? OCKOutcome).map { StoredEvent($0) }
    }
}

/// The identity of an event.
struct StoredEvent: Hashable, Sendable {
    let task: UUID
    let occurrence: Int

    init(_ outcome: OCKOutcome) { (task, occurrence) = (outcome.taskUUID, outcome.taskOccurrenceIndex) }
}

/// What CareKit's database has.
struct StoreContents: Sendable {
    typealias EntityType = OCKEntity.EntityType

    var clockID: UUID
    var vector: OCKRevisionRecord.KnowledgeVector
    private(set) var versions: [EntityType: [UUID: StoredVersion]] = [:]
    private var uuidsByID: [EntityType: [String: [UUID]]] = [:]
    private var outcomesByEvent: [StoredEvent: [UUID]] = [:]

    init(clockID: UUID) {
        self.clockID = clockID
        vector = OCKRevisionRecord.KnowledgeVector([clockID: 1])
    }

    func version(_ type: EntityType, _ uuid: UUID) -> StoredVersion? { versions[type]?[uuid] }

    func versions(_ type: EntityType) -> [StoredVersion] { versions[type].map { Array($0.values) } ?? [] }

    func versions(_ type: EntityType, id: String) -> [StoredVersion] {
        (uuidsByID[type]?[id] ?? []).compactMap { version(type, $0) }
    }

    func tips(_ type: EntityType, id: String) -> [StoredVersion] { versions(type, id: id).filter { $0.next.isEmpty } }

    func outcomes(of event: StoredEvent) -> [StoredVersion] {
        (outcomesByEvent[event] ?? []).compactMap { version(.outcome, $0) }
    }

    /// Inserts a version and links it to the versions that are present, in both directions (3.5 c).
    mutating func insert(_ version: StoredVersion, previous: [UUID], next: [UUID]) {
        let type = Swift.type(of: version.value).entityType
        let uuid = version.value.uuid
        var version = version
        version.previous = Set(previous.filter { $0 != uuid && self.version(type, $0) != nil })
        version.next = Set(next.filter { $0 != uuid && self.version(type, $0) != nil })
        for other in version.previous { versions[type]?[other]?.next.insert(uuid) }
        for other in version.next { versions[type]?[other]?.previous.insert(uuid) }
        versions[type, default: [:]][uuid] = version
        uuidsByID[type, default: [:]][version.value.id, default: []].append(uuid)
        if let event = version.eventKey { outcomesByEvent[event, default: []].append(uuid) }
    }

    mutating func change(_ type: EntityType, _ uuid: UUID, _ change: (inout StoredVersion) -> Void) {
        guard var version = versions[type]?[uuid] else { return }
        change(&version)
        versions[type]?[uuid] = version
    }

    mutating func removeAll() { (versions, uuidsByID, outcomesByEvent) = ([:], [:], [:]) }
}
