import Core
import Foundation
import TestSupport
import Testing

@testable import CarePlans

@Suite struct CarePlanEditTests {
    private static let now = Fixture.date("2026-11-29T09:00:00+01:00")
    private static let walk: JSON = [
        "id": "walk", "title": "Walk",
        "schedule": ["elements": [["start": "2026-11-01T08:00:00+01:00", "interval": ["day": 1]]]],
    ]

    private func edit(_ contents: CarePlanContents = CarePlanContents(), at now: Date = now) throws -> CarePlanEdit {
        CarePlanEdit(contents, now: now, timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
    }

    private func code(_ change: () throws -> Void) -> String? {
        do {
            try change()
            return nil
        } catch {
            return (error as? any CodedError)?.code
        }
    }

    @Test func aTaskGetsTheMembersOfCareKitsInitialisers() throws {
        var edit = try edit()
        let version = try edit.add(.task, Self.walk)
        #expect(version.uuid.uuidString == version.object["uuid"]?.string)
        var object = version.object
        object["uuid"] = nil
        let expected: JSON = [
            "id": "walk", "title": "Walk",
            "schedule": [
                "elements": [
                    [
                        "start": 815_209_200, "interval": ["day": 1], "calendar": Fixture.calendar("Europe/Berlin"),
                        "duration": ["isAllDay": false, "seconds": 3_600], "targetValues": [],
                    ]
                ]
            ],
            "timezone": ["identifier": "Europe/Berlin"], "previousVersionUUIDs": [], "nextVersionUUIDs": [],
            "impactsAdherence": true, "effectiveDate": 815_209_200, "createdDate": 817_632_000,
            "updatedDate": 817_632_000,
            "schemaVersion": ["majorVersion": 2, "minorVersion": 1, "patchNumber": 0],
        ]
        #expect(object.text(.pretty) == expected.text(.pretty))
    }

    @Test func aPartialCalendarGetsTheMembersThatCareKitWrites() throws {
        var edit = try edit()
        func calendar(_ partial: JSON) throws -> JSON? {
            let id = "t\(edit.versions.count)"
            let task = try edit.add(
                .task,
                [
                    "id": .string(id),
                    "schedule": [
                        "elements": [["start": "2026-11-02", "interval": ["day": 1], "calendar": partial]]
                    ],
                ])
            return task.object.at("schedule", "elements")?[0]?["calendar"]
        }
        func sorted(_ json: JSON?) -> Data? { json?.canonicalData() }
        let zone: JSON = ["identifier": "Europe/Zurich"]
        let zurich = sorted(Fixture.calendar("Europe/Zurich"))
        #expect(sorted(try calendar(["identifier": "gregorian", "timeZone": zone])) == zurich)
        #expect(sorted(try calendar(["timeZone": zone, "firstWeekday": .null, "locale": [:]])) == zurich)
        #expect(sorted(try calendar([:])) == sorted(Fixture.calendar("Europe/Berlin")))
        #expect(sorted(try calendar(.null)) == sorted(Fixture.calendar("Europe/Berlin")))
        let iso = try calendar(["identifier": "iso8601", "minimumDaysInFirstWeek": 1])
        #expect(iso?["firstWeekday"] == 2 && iso?["minimumDaysInFirstWeek"] == 1)
        #expect(code { _ = try calendar("gregorian") } == "schedule-invalid")
        #expect(
            code { _ = try calendar(["firstWeekday": 3_000_000_000, "identifier": "hebrew"]) } == "schedule-invalid")
        // The time of a date without an offset is that of the calendar.
        let start = edit.versions[0].object.at("schedule", "elements")?[0]?["start"]?.number?.double
        #expect(start == Fixture.seconds("2026-11-02T00:00:00+01:00"))
    }

    @Test func aTargetIsANumberATextOrAnObjectOfCareKit() throws {
        var edit = try edit()
        func targets(_ values: JSON) throws -> JSON? {
            let task = try edit.add(
                .task,
                [
                    "id": .string("t\(edit.versions.count)"),
                    "schedule": [
                        "elements": [["start": "2026-11-02T08:00:00Z", "interval": ["day": 1], "targetValues": values]]
                    ],
                ])
            return task.object.at("schedule", "elements")?[0]?["targetValues"]
        }
        let five: JSON = ["value": 5, "createdDate": 817_632_000, "type": "integer"]
        #expect(try targets([5]) == [five])
        #expect(try targets(.null) == [])
        #expect(try targets([["value": "x", "units": "km"]])?[0]?["type"] == "text")
        let refused: [JSON] = [
            [.null], [[1]], [["type": "date", "value": "soon"]], [["value": 5, "units": 3]],
            [["type": "image", "value": 5]],
            [["type": "integer", "value": .number(JSONNumber(text: "1.5") ?? 0)]], [:], "x",
        ]
        for values in refused { #expect(code { _ = try targets(values) } == "schedule-invalid", "\(values.text())") }
        #expect(edit.versions.count == 3)
    }

    @Test func datesWithoutATimeBeginAtMidnightInTheTimeZoneOfTheEntity() throws {
        var edit = try edit()
        let patient = try edit.add(
            .patient,
            [
                "id": "me", "name": ["givenName": "Ann"], "birthday": "1980-07-01", "effectiveDate": "2026-03-29",
                "timezone": "America/New_York",
            ])
        #expect(patient.object["birthday"]?.number?.double == Fixture.seconds("1980-07-01T00:00:00-04:00"))
        #expect(patient.effectiveDate == Fixture.seconds("2026-03-29T00:00:00-04:00"))
        #expect(patient.object["timezone"] == ["identifier": "America/New_York"])
    }

    @Test func aWholeDayStartsAtTheStartOfTheDayAndElementsAreSorted() throws {
        var edit = try edit()
        let task = try edit.add(
            .task,
            [
                "id": "t",
                "schedule": [
                    "elements": [
                        ["start": "2026-11-03T08:00:00Z", "interval": ["weekOfYear": 1]],
                        ["start": "2026-11-02T08:00:00Z", "interval": ["day": 2], "duration": ["isAllDay": true]],
                    ]
                ],
            ])
        let elements = try CareTask(task).schedule.elements
        #expect(
            elements.map(\.start) == [
                Fixture.date("2026-11-02T00:00:00+01:00"), Fixture.date("2026-11-03T09:00:00+01:00"),
            ])
        #expect(task.effectiveDate == elements[0].start.timeIntervalSinceReferenceDate)
    }

    @Test func anIDIsNeverUsedTwice() throws {
        var edit = try edit()
        try edit.add(.task, Self.walk)
        #expect(code { try edit.add(.task, Self.walk) } == "id-in-use")
        try edit.delete(.task, id: "walk")
        #expect(code { try edit.add(.task, Self.walk) } == "id-in-use")
        let contact = try edit.add(.contact, ["id": "walk", "name": [:]])
        var second: JSON = ["id": "other", "name": [:]]
        second["uuid"] = .string(contact.uuid.uuidString)
        #expect(code { try edit.add(.contact, second) } == "id-in-use")
        #expect(edit.versions.count == 3)
    }

    @Test func anUpdateFollowsTheTipsAndKeepsTheCreationDate() throws {
        var edit = try edit()
        let first = try edit.add(.contact, ["id": "ann", "name": ["givenName": "Ann"], "title": "Dr", "tags": ["a"]])
        var later = try self.edit(edit.contents, at: Self.now.addingTimeInterval(60))
        let second = try later.update(.contact, ["id": "ann", "title": "Prof", "tags": .null])
        #expect(second.previous == [first.uuid])
        #expect(second.object["createdDate"] == first.object["createdDate"])
        #expect(second.updatedDate == first.updatedDate.map { $0 + 60 })
        #expect(second.object["title"] == "Prof")
        #expect(second.object["tags"] == nil)
        #expect(second.object["name"] == first.object["name"])
        #expect(second.uuid != first.uuid)
        #expect(later.contents.current == [second])
    }

    @Test func aDeletionIsATombstoneAfterWhichNothingChanges() throws {
        var edit = try edit()
        let first = try edit.add(.contact, ["id": "ann", "name": [:]])
        let tombstone = try edit.delete(.contact, id: "ann")
        #expect(tombstone.previous == [first.uuid])
        #expect(tombstone.deletedDate == Self.now.timeIntervalSinceReferenceDate)
        #expect(tombstone.effectiveDate == first.effectiveDate)
        #expect(code { try edit.update(.contact, ["id": "ann"]) } == "update-after-deletion")
        #expect(code { try edit.delete(.contact, id: "ann") } == "update-after-deletion")
        #expect(code { try edit.delete(.contact, id: "bob") } == "entity-missing")
        #expect(code { try edit.update(.contact, ["title": "Dr"]) } == "entity-invalid")
    }

    @Test func anEventHasOneLiveOutcomeAndANewIDAfterEachRemoval() throws {
        var edit = try edit()
        let task = try edit.add(.task, Self.walk)
        let event = try edit.event(task: "walk", occurrence: 3)
        #expect(event == CareEvent.Key(task: task.uuid, occurrence: 3))
        let first = try edit.record(event, values: [5, .number(#require(JSONNumber(text: "2.5"))), true, "well"])
        #expect(
            first.object["values"]?.array?.compactMap { $0["type"]?.string } == [
                "integer", "double", "boolean", "text",
            ])
        #expect(code { try edit.record(event, values: []) } == "outcome-exists")
        let changed = try edit.replaceValues(event, with: [6])
        #expect(changed.previous == [first.uuid] && changed.id == first.id)
        let removed = try edit.removeOutcome(event)
        #expect(removed.previous == [changed.uuid] && removed.isTombstone)
        #expect(code { try edit.removeOutcome(event) } == "outcome-missing")
        let second = try edit.record(event, values: [])
        #expect(second.id != first.id)
        #expect(edit.contents.outcome(of: event) == second)
    }

    @Test func anOutcomeNeedsAnEventOfItsTask() throws {
        var edit = try edit()
        let task = try edit.add(
            .task,
            [
                "id": "short",
                "schedule": [
                    "elements": [
                        ["start": "2026-11-01T08:00:00Z", "end": "2026-11-04T08:00:00Z", "interval": ["day": 1]]
                    ]
                ],
            ])
        #expect(code { _ = try edit.event(task: "short", occurrence: 3) } == "occurrence-missing")
        #expect(code { try edit.record(.init(task: task.uuid, occurrence: 3), values: []) } == "occurrence-missing")
        #expect(code { try edit.record(.init(task: task.uuid, occurrence: -1), values: []) } == "occurrence-missing")
        #expect(code { try edit.record(.init(task: UUID.random(), occurrence: 0), values: []) } == "entity-missing")
        #expect(code { _ = try edit.event(task: "long", occurrence: 0) } == "entity-missing")
        var steps = Self.walk
        steps["id"] = "steps"
        steps["healthKitLinkage"] = [
            "quantityIdentifier": "HKQuantityTypeIdentifierStepCount", "quantityType": "cumulative",
            "unitString": "count",
        ]
        let linked = try edit.add(.healthKitTask, steps)
        #expect(code { try edit.record(.init(task: linked.uuid, occurrence: 0), values: []) } == "outcome-impossible")
    }

    @Test func anEventThatANewerVersionOvershadowsHasNoOutcome() throws {
        var edit = try edit()
        let first = try edit.add(.task, Self.walk)
        let second = try edit.update(.task, ["id": "walk", "effectiveDate": "2026-11-10T00:00:00+01:00"])
        #expect(code { try edit.record(.init(task: first.uuid, occurrence: 9), values: []) } == "event-overshadowed")
        #expect(try edit.event(task: "walk", occurrence: 9) == .init(task: second.uuid, occurrence: 9))
        #expect(try edit.event(task: "walk", occurrence: 8) == .init(task: first.uuid, occurrence: 8))
        #expect(code { try edit.record(.init(task: first.uuid, occurrence: 8), values: []) } == nil)
        #expect(code { try edit.record(.init(task: second.uuid, occurrence: 9), values: []) } == nil)
    }

    @Test func aTaskUpdateThatWouldLoseOutcomesIsRefused() throws {
        var edit = try edit()
        let first = try edit.add(.task, Self.walk)
        try edit.record(.init(task: first.uuid, occurrence: 4), values: [])
        func update(_ date: String) -> JSON { ["id": "walk", "effectiveDate": .string(date)] }
        #expect(code { try edit.update(.task, update("2026-11-05T08:00:00+01:00")) } == "outcomes-lost")
        #expect(code { try edit.update(.task, update("2026-11-01T08:00:00+01:00")) } == "outcomes-lost")
        var removed = edit
        try removed.removeOutcome(.init(task: first.uuid, occurrence: 4))
        #expect(code { try removed.update(.task, update("2026-11-01T08:00:00+01:00")) } == nil)
        #expect(code { try edit.update(.task, update("2026-11-05T08:00:01+01:00")) } == nil)
        // The version in between has no outcomes, the first one has.
        #expect(code { try edit.update(.task, update("2026-11-03T08:00:00+01:00")) } == "outcomes-lost")
    }

    @Test func aTaskUpdateWithoutADateCountsFromNowOn() throws {
        var edit = try edit()
        try edit.add(.task, Self.walk)
        let now = try edit.update(.task, ["id": "walk", "title": "Run"])
        #expect(now.effectiveDate == Self.now.timeIntervalSinceReferenceDate)
        var future = Self.walk
        future["id"] = "future"
        future["effectiveDate"] = "2030-01-01"
        let start = try edit.add(.task, future)
        #expect(try edit.update(.task, ["id": "future", "title": "Run"]).effectiveDate == start.effectiveDate)
    }

    @Test(arguments: [
        ("2026-01-28T08:00:00+01:00", #"{"month":1}"#, false), ("2026-01-29T08:00:00+01:00", #"{"month":1}"#, true),
        ("2026-01-31T08:00:00+01:00", #"{"month":2}"#, true), ("2028-02-29T08:00:00+01:00", #"{"year":1}"#, true),
        ("2026-12-31T08:00:00+01:00", #"{"year":1}"#, false), ("2026-01-01T02:30:00+01:00", #"{"day":1}"#, true),
        ("2026-01-01T03:00:00+01:00", #"{"day":1}"#, false), ("2026-01-01T01:59:00+01:00", #"{"day":1}"#, false),
        ("2026-01-05T02:30:00+01:00", #"{"weekOfYear":1}"#, false),
        ("2026-01-04T02:30:00+01:00", #"{"weekOfYear":1}"#, true),
        ("2026-01-01T02:30:00+01:00", #"{"hour":24}"#, false),
        ("2026-01-20T08:00:00+01:00", #"{"month":1,"day":1}"#, true),
    ])
    func schedulesThatDriftAreRefused(start: String, interval: String, drifts: Bool) throws {
        var edit = try edit()
        let draft: JSON = [
            "id": "t", "schedule": ["elements": [["start": .string(start), "interval": try JSON(parsing: interval)]]],
        ]
        #expect(code { try edit.add(.task, draft) } == (drifts ? "schedule-drifts" : nil))
        // Data from CareKit are not refused.
        #expect(
            try Fixture.schedule(Fixture.element(start: Fixture.seconds(start), every: try JSON(parsing: interval)))
                .elements.count == 1)
    }

    @Test func draftsThatCareKitCannotReadAreRefused() throws {
        var edit = try edit()
        #expect(code { try edit.add(.task, ["id": "t"]) } == "entity-invalid")
        #expect(code { try edit.add(.patient, ["id": "t"]) } == "entity-invalid")
        #expect(code { try edit.add(.patient, []) } == "entity-invalid")
        #expect(
            code { try edit.add(.carePlan, ["id": "t", "title": "T", "timezone": "Mars/Phobos"]) } == "entity-invalid")
        var draft = Self.walk
        draft["schedule"] = ["elements": [["start": "soon", "interval": ["day": 1]]]]
        #expect(code { try edit.add(.task, draft) } == "schedule-invalid")
        draft["schedule"] = ["elements": [1]]
        #expect(code { try edit.add(.task, draft) } == "schedule-invalid")
        #expect(edit.versions.isEmpty)
    }

    @Test func conflictingOutcomesAreRemovedTogether() throws {
        var plan = FixturePlan()
        let task = try plan.task("walk", effective: 0, [Fixture.element(start: 0)])
        let tips = [try plan.outcome("a", of: task, at: 1), try plan.outcome("b", of: task, at: 1)]
        var edit = try edit(plan.contents)
        let removed = try edit.removeOutcome(.init(task: task.uuid, occurrence: 1))
        #expect(Set(removed.previous) == Set(tips.map(\.uuid)))
        #expect(edit.contents.liveOutcomes(of: .init(task: task.uuid, occurrence: 1)).isEmpty)
    }
}
