import Core
import Foundation
import Testing

@testable import CarePlans

/// Values of CareKit's JSON for tests.
enum Fixture {
    /// Seconds since 2001 of an ISO time.
    static func seconds(_ text: String) -> Double {
        DateTime(text)?.start().timeIntervalSinceReferenceDate ?? .nan
    }

    static func date(_ text: String) -> Date { Date(timeIntervalSinceReferenceDate: seconds(text)) }

    /// The number of seconds, as JSON.
    static func number(_ value: Double) -> JSON { .number(JSONNumber(text: "\(value)") ?? JSONNumber(0)) }

    static func calendar(_ zone: String = "UTC", _ identifier: String = "gregorian") -> JSON {
        [
            "identifier": .string(identifier), "current": 0, "firstWeekday": 1, "minimumDaysInFirstWeek": 1,
            "locale": ["identifier": "", "current": 0], "timeZone": ["identifier": .string(zone)],
        ]
    }

    /// A schedule element.
    ///
    /// - Parameter duration: seconds; nil for whole days.
    static func element(
        start: Double, end: Double? = nil, every interval: JSON = ["day": 1], duration: Double? = 3_600,
        calendar: JSON = calendar()
    ) -> JSON {
        var element: JSON = [
            "start": number(start), "interval": interval, "calendar": calendar, "targetValues": [],
            "duration": duration.map { ["isAllDay": false, "seconds": number($0)] } ?? ["isAllDay": true],
        ]
        if let end { element["end"] = number(end) }
        return element
    }

    static func schedule(_ elements: JSON...) throws -> CareSchedule {
        try CareSchedule(["elements": .array(elements)])
    }
}

/// A random generator of tests that makes identities.
struct FixturePlan {
    var contents = CarePlanContents()
    private var count: UInt64 = 0

    /// The identity with a number.
    static func uuid(_ number: UInt64) -> UUID { UUID((0xA000_0000_0000_4000, 0x8000_0000_0000_0000 | number)) }

    private mutating func insert(_ kind: CareEntityKind, _ members: JSON) throws -> CareEntity {
        count += 1
        var object: JSON = [
            "uuid": .string(Self.uuid(count).uuidString), "previousVersionUUIDs": [], "nextVersionUUIDs": [],
            "timezone": ["identifier": "UTC"], "updatedDate": .number(JSONNumber(Int(count))),
        ]
        object.withMembers { object in
            for member in members.object?.members ?? [] { object[member.key] = member.value }
        }
        let entity = try CareEntity(kind: kind, object: object)
        contents.insert(entity)
        return entity
    }

    @discardableResult
    mutating func task(
        _ id: String, effective: Double, _ elements: [JSON], following: [CareEntity] = [],
        kind: CareEntityKind = .task, impactsAdherence: Bool = true, deleted: Bool = false
    ) throws -> CareEntity {
        var members: JSON = [
            "id": .string(id), "effectiveDate": Fixture.number(effective), "schedule": ["elements": .array(elements)],
            "impactsAdherence": .bool(impactsAdherence),
            "previousVersionUUIDs": .array(following.map { .string($0.uuid.uuidString) }),
        ]
        if deleted { members["deletedDate"] = 1 }
        if kind == .healthKitTask {
            members["healthKitLinkage"] = [
                "quantityIdentifier": "HKQuantityTypeIdentifierStepCount", "quantityType": "cumulative",
                "unitString": "count",
            ]
        }
        return try insert(kind, members)
    }

    @discardableResult
    mutating func outcome(
        _ id: String, of task: CareEntity, at occurrence: Int, following: [CareEntity] = [], deleted: Bool = false
    ) throws -> CareEntity {
        var members: JSON = [
            "id": .string(id), "effectiveDate": 0, "taskUUID": .string(task.uuid.uuidString),
            "taskOccurrenceIndex": .number(JSONNumber(occurrence)), "values": [],
            "previousVersionUUIDs": .array(following.map { .string($0.uuid.uuidString) }),
        ]
        if deleted { members["deletedDate"] = 1 }
        return try insert(.outcome, members)
    }

    /// The events of days, as `id index day`.
    func events(_ from: Double, _ to: Double) throws -> [String] {
        try contents.events(
            from: Date(timeIntervalSinceReferenceDate: from * 86_400),
            to: Date(timeIntervalSinceReferenceDate: to * 86_400)
        ).map {
            "\($0.task.id) \($0.schedule.occurrence) \($0.schedule.start.timeIntervalSinceReferenceDate / 86_400)"
                + ($0.outcome.map { " " + $0.id } ?? "")
        }
    }
}
