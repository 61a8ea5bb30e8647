import Core
import Foundation

/// One version of an entity of a care plan: the JSON of CareKit's `Codable`, unchanged, and the members that relate it to
/// other versions.
///
/// A version is immutable. A change is a new version that follows its predecessors, and a deletion is a new version with
/// `deletedDate`. Dates are seconds since 1 January 2001, 00:00 UTC.
public struct CareEntity: Sendable, Hashable {
    /// The kind.
    public let kind: CareEntityKind
    /// The JSON of CareKit's `Codable`: unknown members and the digits of numbers are preserved.
    public let object: JSON
    /// The identity of this version.
    public let uuid: UUID
    /// The identity that all versions of the entity share.
    public let id: String
    /// The versions that this version follows.
    public let previous: [UUID]
    /// The time from which this version counts, in seconds since 2001.
    public let effectiveDate: Double
    /// The time of the last change, in seconds since 2001; nil if the version has none.
    public let updatedDate: Double?
    /// The time of the deletion, in seconds since 2001; nil for a version that is not a tombstone.
    public let deletedDate: Double?
    /// The event of an outcome; nil for other kinds.
    public let event: CareEvent.Key?

    /// Whether this version is a deletion.
    public var isTombstone: Bool { deletedDate != nil }

    /// Reads a version from CareKit's JSON. Members that CareKit does not know are preserved.
    ///
    /// - Throws: ``CarePlanError`` `entity-invalid` with the path of a member without which, or with which, CareKit cannot
    ///   read the version. ``CareTask`` reads the schedule.
    public init(kind: CareEntityKind, object: JSON) throws(CarePlanError) {
        let reading = CareEntityReading(object)
        self.kind = kind
        self.object = object
        uuid = try reading.uuid("uuid")
        id = try reading.id()
        previous = try reading.uuids("previousVersionUUIDs")
        _ = try reading.uuids("nextVersionUUIDs")
        effectiveDate = try reading.date("effectiveDate")
        updatedDate = try reading.dateIfPresent("updatedDate")
        deletedDate = try reading.dateIfPresent("deletedDate")
        _ = try reading.dateIfPresent("createdDate")
        event =
            kind == .outcome
            ? CareEvent.Key(task: try reading.uuid("taskUUID"), occurrence: try reading.occurrence()) : nil
        try CareShape.entity(kind).check(object, at: "$")
        guard !previous.contains(uuid) else { throw CarePlanError(.versionCycle, at: "$.previousVersionUUIDs") }
    }

    /// Reads a version of a store. A calendar of its schedule without members that CareKit requires gets those members,
    /// because stores of former versions have such calendars.
    ///
    /// - Throws: ``CarePlanError`` as ``init(kind:object:)``.
    package init(kind: CareEntityKind, stored object: JSON) throws(CarePlanError) {
        let isTask = kind == .task || kind == .healthKitTask
        try self.init(kind: kind, object: isTask ? CareCalendar.completed(inScheduleOf: object) : object)
    }

    /// Reads `{"type","object"}`.
    ///
    /// - Throws: ``CarePlanError`` `entity-invalid` with the path of the member.
    public init(_ json: JSON) throws(CarePlanError) {
        guard let kind = json["type"]?.string.flatMap({ CareEntityKind(rawValue: $0) }) else {
            throw CarePlanError(.entityInvalid, at: "$.type")
        }
        guard let object = json["object"] else { throw CarePlanError(.entityInvalid, at: "$.object") }
        try self.init(kind: kind, object: object)
    }

    /// `{"type","object"}`.
    public var json: JSON { ["type": .string(kind.rawValue), "object": object] }
}

/// Reads the members that all versions have.
struct CareEntityReading {
    /// Maximum number of bytes of an id.
    static let maximumIDBytes = 512
    /// Maximum number of versions that one version follows.
    static let maximumPredecessors = 1_000
    /// Maximum distance of a date from 2001, in seconds: about 10,000 years.
    static let maximumSeconds = 3.2e11

    let object: JSON

    init(_ object: JSON) { self.object = object }

    private func invalid(_ member: String) -> CarePlanError { CarePlanError(.entityInvalid, at: "$." + member) }

    func uuid(_ member: String) throws(CarePlanError) -> UUID {
        guard let uuid = object[member]?.string.flatMap({ UUID(text: $0) }) else { throw invalid(member) }
        return uuid
    }

    func uuids(_ member: String) throws(CarePlanError) -> [UUID] {
        guard let array = object[member]?.array, array.count <= Self.maximumPredecessors else { throw invalid(member) }
        var uuids: [UUID] = []
        for element in array {
            guard let uuid = element.string.flatMap({ UUID(text: $0) }) else { throw invalid(member) }
            uuids.append(uuid)
        }
        return uuids
    }

    func id() throws(CarePlanError) -> String {
        guard let id = object["id"]?.string, !id.isEmpty, id.utf8.count <= Self.maximumIDBytes else {
            throw invalid("id")
        }
        return id
    }

    func date(_ member: String) throws(CarePlanError) -> Double {
        guard let seconds = object[member]?.number?.careDouble, abs(seconds) <= Self.maximumSeconds else {
            throw invalid(member)
        }
        return seconds
    }

    func dateIfPresent(_ member: String) throws(CarePlanError) -> Double? {
        guard let value = object[member], !value.isNull else { return nil }
        return try date(member)
    }

    func occurrence() throws(CarePlanError) -> Int {
        guard let index = object["taskOccurrenceIndex"]?.integer else { throw invalid("taskOccurrenceIndex") }
        return index
    }
}
