import CarePlans
import Core
import Foundation
import Testing

@testable import CareStores

@Suite struct CareChangeTests {
    let server = ModelCareServer()

    /// A walk each day at 8 o'clock in Zurich, from 2 November 2026.
    static func walk(_ changes: [String: JSON] = [:]) -> JSON {
        var object: JSON = [
            "id": "walk", "title": "Walk", "effectiveDate": "2026-11-01T00:00:00Z",
            "schedule": [
                "elements": [
                    [
                        "start": "2026-11-02T08:00:00+01:00", "interval": ["day": 1],
                        "duration": ["isAllDay": false, "seconds": 1200], "targetValues": [],
                        "calendar": [
                            "identifier": "gregorian", "current": 0, "firstWeekday": 2, "minimumDaysInFirstWeek": 4,
                            "locale": ["identifier": "", "current": 0],
                            "timeZone": ["identifier": "Europe/Zurich"],
                        ],
                    ]
                ]
            ],
        ]
        for (name, value) in changes { object[name] = value }
        return ["type": "task", "object": object]
    }

    private func instant(_ text: String) throws -> Date { try #require(DateTime(text)).start() }

    @Test func aPlanWorksWithoutANetworkAndTheServerTakesIt() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        try await store.add([Self.walk()])
        try await store.recordOutcome(task: "walk", occurrence: 1, values: [20])
        let start = try instant("2026-11-02T00:00:00Z")
        let end = try instant("2026-11-05T00:00:00Z")
        let events = try await store.events(from: start, to: end)
        #expect(events.map { $0.outcome != nil } == [false, true, false])
        let first = try #require(CareDay("2026-11-02"))
        let last = try #require(CareDay("2026-11-04"))
        #expect(try await store.adherence(from: first, to: last).map(\.done) == [0, 1, 0])
        #expect(try await store.sync().pushed == 2)
        #expect(try await phone.open().adherence(from: first, to: last).map(\.due) == [1, 1, 1])
    }

    @Test func aPartialCalendarIsCompleteInThePushAndInAnOldCopy() async throws {
        var draft = Self.walk()
        let partial: JSON = ["identifier": "gregorian", "timeZone": ["identifier": "Europe/Zurich"]]
        draft["object"]?["schedule"]?["elements"]?.withElements { $0[0]["calendar"] = partial }
        let phone = CarePhone(server)
        let store = try phone.open()
        let task = try #require(try await store.add([draft]).first)
        try await store.sync()
        func calendar(_ task: CareEntity?) -> JSON? { task?.object.at("schedule", "elements")?[0]?["calendar"] }
        let pushed = await server.versions[task.uuid]
        #expect(calendar(pushed)?["firstWeekday"] == 1)
        #expect(calendar(pushed)?["timeZone"] == ["identifier": "Europe/Zurich"])
        // The record of a former version of the library.
        var object = task.object
        object["schedule"]?["elements"]?.withElements { $0[0]["calendar"] = partial }
        var record = CareCopyRecord()
        record.versions = [.init(entity: try CareEntity(kind: .task, object: object), knowledge: KnowledgeVector())]
        let read = try #require(CareCopyRecord(record.bytes[...]))
        #expect(calendar(read.versions.first?.entity) == calendar(task))
    }

    @Test func anOutcomeAfterARemovalHasANewID() async throws {
        let store = try CarePhone(server).open()
        try await store.add([Self.walk()])
        var ids: [String] = []
        for round in 0..<3 {
            ids += try await store.recordOutcome(task: "walk", occurrence: 0, values: [.number(JSONNumber(round))])
                .map(\.id)
            let changed = try await store.recordOutcome(task: "walk", occurrence: 0, values: [9])
            #expect(changed.map(\.id) == [ids[round]])
            let removed = try await store.removeOutcome(task: "walk", occurrence: 0)
            #expect(removed.map(\.isTombstone) == [true])
            #expect(removed.map(\.id) == [ids[round]])
        }
        #expect(Set(ids).count == 3)
        try await store.sync()
        #expect(await server.tips.count == 4)
    }

    @Test func aCallChangesAllOrNothing() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        let file = phone.file.bytes
        await #expect(throws: CarePlanEditError.idInUse("walk")) { try await store.add([Self.walk(), Self.walk()]) }
        await #expect(throws: CarePlanEditError.self) { try await store.add([Self.walk(), ["type": "planet"]]) }
        #expect(phone.file.bytes == file)
        #expect(await store.entities().isEmpty)
    }

    @Test func deletionsAndRefusedChangesHaveStableCodes() async throws {
        let store = try CarePhone(server).open()
        try await store.add([Self.walk()])
        try await store.delete(.task, id: "walk")
        #expect(await store.entities().isEmpty)
        #expect(await store.versions().map(\.isTombstone) == [false, true])
        await #expect(throws: CarePlanEditError.updateAfterDeletion("walk")) { try await store.update([Self.walk()]) }
        await #expect(throws: CarePlanEditError.idInUse("walk")) { try await store.add([Self.walk()]) }
        await #expect(throws: CarePlanEditError.entityMissing("run")) { try await store.delete(.task, id: "run") }
    }

    @Test func thePlanShowsTheWinnerOfSeveralTips() async throws {
        let (one, two) = (try CarePhone(server).open(), try CarePhone(server).open())
        try await one.add([Self.walk(["title": "First"])])
        try await two.add([Self.walk(["title": "Second"])])
        let winner = try #require(await ConflictResolution.winner(of: one.entities() + two.entities()))
        // Before the resolution arrives, a copy can have both tips.
        try await one.insert(two.versions())
        #expect(await one.entities() == [winner])
        try await one.sync()
        #expect(await one.entities().map(\.object["title"]) == [winner.object["title"]])
        #expect(await one.copy.graph.tips.count == 1)
    }
}
