import Core
import Foundation
import TestSupport
import Testing

@testable import CarePlans

@Suite struct CarePlanContentsTests {
    private let day = 86_400.0
    private func daily(_ start: Double = 0) -> [JSON] { [Fixture.element(start: start * 86_400)] }

    @Test func eachVersionHasItsEventsWhileItIsInForce() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily())
        try plan.task("walk", effective: 3 * day, daily(3.5), following: [first])
        #expect(
            try plan.events(0, 6) == [
                "walk 0 0.0", "walk 1 1.0", "walk 2 2.0", "walk 0 3.5", "walk 1 4.5", "walk 2 5.5",
            ])
        #expect(try plan.events(0, 2) == ["walk 0 0.0", "walk 1 1.0"])
        #expect(try plan.events(5, 6) == ["walk 2 5.5"])
    }

    @Test func aVersionThatStartsWithOrBeforeAnOlderOneOvershadowsIt() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily())
        let second = try plan.task("walk", effective: 4 * day, daily(4.5), following: [first])
        try plan.task("walk", effective: 2 * day, daily(0.25), following: [second])
        #expect(try plan.events(0, 5) == ["walk 0 0.0", "walk 1 1.0", "walk 2 2.25", "walk 3 3.25", "walk 4 4.25"])
    }

    @Test func aDeletedTaskHasNoEvents() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily())
        try plan.task("walk", effective: 0, daily(), following: [first], deleted: true)
        #expect(try plan.events(0, 5) == [])
        #expect(plan.contents.current.isEmpty)
        #expect(plan.contents.newestVersion(of: .init(.task, id: "walk"))?.isTombstone == true)
    }

    @Test func theWinnerOfSeveralTipsIsCurrent() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily())
        try plan.task("walk", effective: day, daily(1.25), following: [first])
        let winner = try plan.task("walk", effective: day, daily(1.5), following: [first])
        #expect(plan.contents.current == [winner])
        #expect(try plan.events(0, 3) == ["walk 0 0.0", "walk 0 1.5", "walk 1 2.5"])
    }

    @Test func aParentThatArrivesLateIsNoTip() throws {
        var plan = FixturePlan()
        let first = try plan.task("walk", effective: 0, daily())
        let second = try plan.task("walk", effective: 0, daily(), following: [first])
        let third = try plan.task("walk", effective: 0, daily(), following: [second])
        for order in [[third, second, first], [second, third, first], [first, third, second]] {
            let contents = CarePlanContents(order + order)
            #expect(contents.current == [third])
            #expect(contents.tips(of: .init(.task, id: "walk")) == [third])
            #expect(contents.history(of: .init(.task, id: "walk")) == [third, second, first])
        }
    }

    @Test func anEventHasTheWinnerOfItsLiveOutcomes() throws {
        var plan = FixturePlan()
        let task = try plan.task("walk", effective: 0, daily())
        try plan.outcome("older", of: task, at: 1)
        try plan.outcome("newer", of: task, at: 1)
        let undone = try plan.outcome("undone", of: task, at: 2)
        try plan.outcome("undone", of: task, at: 2, following: [undone], deleted: true)
        #expect(try plan.events(0, 3) == ["walk 0 0.0", "walk 1 1.0 newer", "walk 2 2.0"])
        #expect(plan.contents.current.map(\.id) == ["walk", "newer"])
        #expect(plan.contents.liveOutcomes(of: .init(task: task.uuid, occurrence: 1)).count == 2)
    }

    @Test func aResolutionOfTwoOutcomesFollowsBoth() throws {
        var plan = FixturePlan()
        let task = try plan.task("walk", effective: 0, daily())
        let tips = [try plan.outcome("a", of: task, at: 1), try plan.outcome("b", of: task, at: 1)]
        let resolution = try #require(ConflictResolution.resolution(of: tips, uuid: FixturePlan.uuid(99)))
        plan.contents.insert(resolution)
        #expect(plan.contents.liveOutcomes(of: .init(task: task.uuid, occurrence: 1)) == [resolution])
    }

    @Test func adherenceCountsDaysOfTheCalendarOfTheSchedule() throws {
        var plan = FixturePlan()
        let zone = Fixture.calendar("Pacific/Auckland")
        let start = Fixture.seconds("2026-06-01T00:30:00+12:00")
        let task = try plan.task("walk", effective: start, [Fixture.element(start: start, calendar: zone)])
        try plan.task(
            "read", effective: start, [Fixture.element(start: start, calendar: zone)], impactsAdherence: false)
        try plan.task("steps", effective: start, [Fixture.element(start: start, calendar: zone)], kind: .healthKitTask)
        try plan.outcome("done", of: task, at: 1)
        let days = try plan.contents.adherence(
            from: #require(CareDay("2026-05-31")), to: #require(CareDay("2026-06-03")))
        #expect(
            JSON.array(days.map(\.json)).text()
                == #"[{"date":"2026-05-31","due":0,"done":0},{"date":"2026-06-01","due":1,"done":0},"#
                + #"{"date":"2026-06-02","due":1,"done":1},{"date":"2026-06-03","due":1,"done":0}]"#)
    }

    @Test func eventsAreWrittenWithTheOffsetOfTheirTimeZone() throws {
        var plan = FixturePlan()
        let start = Fixture.seconds("2026-03-28T08:00:00+01:00")
        let task = try plan.task(
            "walk", effective: start, [Fixture.element(start: start, calendar: Fixture.calendar("Europe/Berlin"))])
        let outcome = try plan.outcome("done", of: task, at: 1)
        let events = try plan.contents.events(
            from: Date(timeIntervalSinceReferenceDate: start), to: Date(timeIntervalSinceReferenceDate: start + 2 * day)
        )
        #expect(
            events.map { $0.json.text() }
                == [
                    #"{"task":"walk","occurrence":0,"start":"2026-03-28T08:00:00+01:00","end":"2026-03-28T09:00:00+01:00","outcome":null}"#,
                    #"{"task":"walk","occurrence":1,"start":"2026-03-29T08:00:00+02:00","end":"2026-03-29T09:00:00+02:00","outcome":"#
                        + outcome.object.text() + "}",
                    #"{"task":"walk","occurrence":2,"start":"2026-03-30T08:00:00+02:00","end":"2026-03-30T09:00:00+02:00","outcome":null}"#,
                ])
    }

    @Test func questionsThatAreTooLargeAreRefused() throws {
        var plan = FixturePlan()
        try plan.task("walk", effective: 0, [Fixture.element(start: 0, every: ["minute": 1])])
        #expect(throws: CarePlanError(.rangeTooLarge, at: "to")) { try plan.events(0, 8) }
        #expect(throws: CarePlanError(.rangeTooLarge, at: "to")) { try plan.events(0, 402) }
        #expect(throws: CarePlanError.self) {
            try plan.contents.adherence(from: CareDay(number: 0), to: CareDay(number: 400))
        }
        #expect(try plan.contents.adherence(from: CareDay(number: 2), to: CareDay(number: 1)).isEmpty)
        #expect(try plan.events(3, 3) == [])
    }

    @Test func oneDayOfALongPlanIsCheap() throws {
        var plan = FixturePlan()
        for task in 0..<200 { try plan.task("task \(task)", effective: 0, daily()) }
        let began = ContinuousClock.now
        #expect(try plan.events(9_000, 9_001).count == 200)
        print("200 daily tasks, 25 years old, one day:", ContinuousClock.now - began)
    }
}
