import Core
import Foundation
import Testing

@testable import CarePlans

@Suite struct CareEntityTests {
    private func error(_ kind: CareEntityKind, of base: JSON, _ change: (inout JSON) -> Void) -> String? {
        var object = base
        change(&object)
        do throws(CarePlanError) {
            _ = try CareEntity(kind: kind, object: object)
            return nil
        } catch {
            return error.code + " " + error.location
        }
    }

    private func task() throws -> JSON {
        var plan = FixturePlan()
        return try plan.task("walk", effective: 0, [Fixture.element(start: 0)]).object
    }

    @Test func unknownMembersAndDigitsArePreserved() throws {
        var object = try task()
        object["x"] = ["deep": [.number(JSONNumber(text: "1.50") ?? JSONNumber(0)), .null]]
        object["effectiveDate"] = .number(JSONNumber(text: "0.10") ?? JSONNumber(0))
        let entity = try CareEntity(["type": "task", "object": object])
        #expect(entity.object.text() == object.text())
        #expect(entity.json.text() == #"{"type":"task","object":\#(object.text())}"#)
    }

    @Test(arguments: [
        "id", "uuid", "previousVersionUUIDs", "nextVersionUUIDs", "effectiveDate", "timezone", "schedule",
        "impactsAdherence",
    ])
    func aMemberThatCareKitRequiresIsRequired(member: String) throws {
        #expect(error(.task, of: try task()) { $0[member] = nil } == "entity-invalid $.\(member)")
        #expect(error(.task, of: try task()) { $0[member] = .null } == "entity-invalid $.\(member)")
    }

    @Test func membersOfAnotherTypeAreRefusedWithTheirPath() throws {
        let task = try task()
        #expect(error(.task, of: task) { $0["tags"] = ["a", 1] } == "entity-invalid $.tags[1]")
        #expect(error(.task, of: task) { $0["userInfo"] = ["a": true] } == "entity-invalid $.userInfo.a")
        #expect(error(.task, of: task) { $0["notes"] = [["author": 1]] } == "entity-invalid $.notes[0].author")
        #expect(error(.task, of: task) { $0["schemaVersion"] = "2.1.0" } == "entity-invalid $.schemaVersion")
        #expect(
            error(.task, of: task) { $0["timezone"] = ["identifier": "Mars/Phobos"] } == "entity-invalid $.timezone")
        #expect(error(.task, of: task) { $0["updatedDate"] = "2026-01-01" } == "entity-invalid $.updatedDate")
        #expect(error(.task, of: task) { $0["carePlanUUID"] = "plan" } == "entity-invalid $.carePlanUUID")
        #expect(error(.task, of: task) { $0["title"] = .null } == nil)
        #expect(error(.healthKitTask, of: task) { _ in } == "entity-invalid $.healthKitLinkage")
        #expect(error(.carePlan, of: task) { $0["title"] = nil } == "entity-invalid $.title")
        #expect(error(.patient, of: task) { _ in } == "entity-invalid $.name")
        #expect(error(.contact, of: task) { $0["name"] = ["givenName": 1] } == "entity-invalid $.name.givenName")
        #expect(
            error(.contact, of: task) {
                $0["name"] = [:]
                $0["address"] = ["street": ""]
            } == "entity-invalid $.address.city")
        #expect(
            error(.contact, of: task) {
                $0["name"] = [:]
                $0["category"] = "doctor"
            } == "entity-invalid $.category")
        #expect(error(.contact, of: task) { $0["name"] = [:] } == nil)
    }

    @Test func valuesOfOutcomesHaveTheirType() throws {
        var plan = FixturePlan()
        let task = try plan.task("walk", effective: 0, [Fixture.element(start: 0)])
        let outcome = try plan.outcome("a", of: task, at: 0).object
        func value(_ type: String, _ value: JSON) -> String? {
            error(.outcome, of: outcome) { $0["values"] = [["type": .string(type), "value": value, "createdDate": 0]] }
        }
        #expect(value("integer", 5) == nil)
        #expect(
            value("integer", .number(JSONNumber(text: "5.5") ?? JSONNumber(0))) == "entity-invalid $.values[0].value")
        #expect(value("double", 5) == nil)
        #expect(value("double", .number(JSONNumber(text: "1e-400") ?? 0)) == "entity-invalid $.values[0].value")
        #expect(value("double", .number(JSONNumber(text: "0e-400") ?? 1)) == nil)
        #expect(value("boolean", 1) == "entity-invalid $.values[0].value")
        #expect(value("text", "") == nil)
        #expect(value("binary", "AQID") == nil)
        #expect(value("binary", "not base64") == "entity-invalid $.values[0].value")
        #expect(value("date", 0) == nil)
        #expect(value("image", 0) == "entity-invalid $.values[0].type")
        #expect(
            error(.outcome, of: outcome) { $0["values"] = [["type": "text", "value": ""]] }
                == "entity-invalid $.values[0].createdDate")
        #expect(error(.outcome, of: outcome) { $0["taskUUID"] = nil } == "entity-invalid $.taskUUID")
        #expect(
            error(.outcome, of: outcome) { $0["taskOccurrenceIndex"] = "1" } == "entity-invalid $.taskOccurrenceIndex")
    }

    @Test func boundsHold() throws {
        let task = try task()
        #expect(error(.task, of: task) { $0["id"] = "" } == "entity-invalid $.id")
        #expect(
            error(.task, of: task) { $0["id"] = .string(String(repeating: "x", count: 513)) } == "entity-invalid $.id")
        #expect(
            error(.task, of: task) { $0["effectiveDate"] = .number(JSONNumber(text: "1e12") ?? JSONNumber(0)) }
                == "entity-invalid $.effectiveDate")
        for member in ["effectiveDate", "updatedDate", "createdDate", "deletedDate"] {
            #expect(
                error(.task, of: task) { $0[member] = .number(JSONNumber(text: "1e-400") ?? 0) }
                    == "entity-invalid $.\(member)")
        }
        let many = JSON.array(Array(repeating: .string(FixturePlan.uuid(9).uuidString), count: 1_001))
        #expect(error(.task, of: task) { $0["previousVersionUUIDs"] = many } == "entity-invalid $.previousVersionUUIDs")
    }

    @Test func aTimeZoneThatFollowsTheDeviceIsAFlag() throws {
        let task = try task()
        #expect(error(.task, of: task) { $0["timezone"] = ["identifier": "UTC", "autoupdating": true] } == nil)
        #expect(
            error(.task, of: task) { $0["timezone"] = ["identifier": "UTC", "autoupdating": "x"] }
                == "entity-invalid $.timezone")
    }

    @Test func aPartialCalendarOfAStoreIsCompleted() throws {
        var object = try task()
        object["schedule"]?["elements"] = [
            Fixture.element(start: 0),
            Fixture.element(start: 5, calendar: ["identifier": "iso8601", "timeZone": ["identifier": "Asia/Tokyo"]]),
            Fixture.element(
                start: 7, calendar: ["identifier": "gregorian", "timeZone": ["identifier": "UTC"], "locale": .null]),
        ]
        let asSent = try CareEntity(kind: .task, object: object)
        #expect(throws: CarePlanError.self) { try CareTask(asSent) }
        let stored = try CareEntity(kind: .task, stored: object)
        let elements = try #require(stored.object.at("schedule", "elements")?.array)
        #expect(elements[0] == object.at("schedule", "elements")?[0])
        #expect(elements[1]["calendar"]?["firstWeekday"] == 2)
        #expect(elements[1]["calendar"]?["minimumDaysInFirstWeek"] == 4)
        #expect(elements[2]["calendar"]?["firstWeekday"] == 1)
        #expect(elements[2]["calendar"]?["locale"] == ["identifier": "", "current": 0])
        #expect(try CareTask(stored).schedule.elements.count == 3)
        // Without a known calendar, nothing is added.
        for calendar: JSON in [
            ["identifier": "mayan", "timeZone": ["identifier": "UTC"]], ["identifier": "gregorian"], [], .null, 5,
        ] {
            object["schedule"]?["elements"] = [Fixture.element(start: 0, calendar: calendar)]
            #expect(try CareEntity(kind: .task, stored: object).object == object)
        }
    }

    @Test func anUnknownTypeIsRefused() throws {
        let error = #expect(throws: CarePlanError.self) { try CareEntity(["type": "survey", "object": [:]]) }
        #expect(error == CarePlanError(.entityInvalid, at: "$.type"))
        let missing = #expect(throws: CarePlanError.self) { try CareEntity(["type": "task"]) }
        #expect(missing == CarePlanError(.entityInvalid, at: "$.object"))
    }
}
