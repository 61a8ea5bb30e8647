import Core
import Foundation
import Testing

@testable import CarePlans

/// The scenarios of CareKit's `TestSchedule`, `TestScheduleElement` and `TestScheduleEvent`. One day is 86,400 s here.
@Suite struct ScheduleScenarioTests {
    private static let day = 86_400.0

    private func date(_ days: Double) -> Date { Date(timeIntervalSinceReferenceDate: days * Self.day) }

    private func starts(_ schedule: CareSchedule, _ from: Double, to: Double) throws -> [Double] {
        try schedule.events(from: date(from), to: date(to), limit: 1_000).map {
            $0.start.timeIntervalSinceReferenceDate / Self.day
        }
    }

    private func element(
        _ start: Double, end: Double? = nil, every interval: JSON = ["day": 1], hours: Double? = 1
    ) -> JSON {
        Fixture.element(
            start: start * Self.day, end: end.map { $0 * Self.day }, every: interval, duration: hours.map { $0 * 3_600 }
        )
    }

    @Test func aScheduleStartsWithItsFirstElement() throws {
        let schedule = try Fixture.schedule(element(3), element(1), element(2))
        #expect(schedule.start == date(1))
        #expect(schedule.elements.map(\.start) == [date(1), date(2), date(3)])
        #expect(try schedule.event(occurrence: 0)?.start == date(1))
    }

    @Test func aScheduleEndsWithItsLastElementIfAllEnd() throws {
        #expect(try Fixture.schedule(element(0, end: 4), element(0, end: 9)).end == date(9))
        #expect(try Fixture.schedule(element(0, end: 4), element(0)).end == nil)
    }

    @Test func dailyAndWeeklySchedulesHaveTheirEvents() throws {
        #expect(try starts(Fixture.schedule(element(0.25)), 2, to: 5) == [2.25, 3.25, 4.25])
        #expect(try starts(Fixture.schedule(element(1, every: ["weekOfYear": 1])), 0, to: 30) == [1, 8, 15, 22, 29])
        #expect(try starts(Fixture.schedule(element(0, every: ["day": 2])), 1, to: 7) == [2, 4, 6])
    }

    @Test func composedSchedulesNumberTheirEventsInTheOrderOfTheirStarts() throws {
        let schedule = try Fixture.schedule(element(0.75, every: ["day": 2]), element(0.25))
        let events = try schedule.events(from: date(0), to: date(3), limit: 10)
        #expect(events.map(\.occurrence) == [0, 1, 2, 3, 4])
        #expect(events.map(\.element) == [0, 1, 0, 0, 1])
        let later = try schedule.events(from: date(2), to: date(3), limit: 10)
        #expect(later.map(\.occurrence) == [3, 4])
        for event in events { #expect(try schedule.event(occurrence: event.occurrence) == event) }
    }

    @Test func anElementThatHasEndedStillCounts() throws {
        let schedule = try Fixture.schedule(element(0, end: 3), element(0.5))
        let events = try schedule.events(from: date(5), to: date(7), limit: 10)
        #expect(events.map(\.occurrence) == [8, 9])
        #expect(events.map(\.start) == [date(5.5), date(6.5)])
    }

    @Test func noEventStartsAtTheEndOrLater() throws {
        let schedule = try Fixture.schedule(element(0, end: 3))
        #expect(try schedule.event(occurrence: 2)?.start == date(2))
        #expect(try schedule.event(occurrence: 3) == nil)
        #expect(try starts(schedule, 0, to: 100) == [0, 1, 2])
        #expect(try starts(schedule, 3.5, to: 100) == [])
    }

    @Test func anEventOccursExactlyAtTheStart() throws {
        #expect(try starts(Fixture.schedule(element(1)), 1, to: 1.01) == [1])
        #expect(try starts(Fixture.schedule(element(1)), 0, to: 1) == [])
    }

    @Test func eventsOfWholeDaysOverlapAllTimesOfTheirDay() throws {
        let schedule = try Fixture.schedule(element(0.8, every: ["weekOfYear": 1], hours: nil))
        #expect(try starts(schedule, 0.5, to: 0.6) == [0])
        let started = try Fixture.schedule(element(0, every: ["weekOfYear": 1], hours: nil))
        #expect(try starts(started, 0.5, to: 0.8) == [0])
        #expect(try starts(started, -1, to: 0) == [])
        #expect(try starts(started, 1, to: 2) == [])
    }

    @Test func eventsOfWholeDaysEndWithTheDayOfTheEnd() throws {
        #expect(try starts(Fixture.schedule(element(0, end: 1, hours: nil)), 0, to: 9) == [0])
        #expect(try starts(Fixture.schedule(element(0.1, end: 1.1, hours: nil)), 0.1, to: 9) == [0, 1])
    }

    @Test func eventsOfSeveralDaysOverlapLaterDays() throws {
        let schedule = try Fixture.schedule(element(0, every: ["day": 7], hours: 72))
        #expect(try starts(schedule, 2, to: 4) == [0])
        #expect(try starts(schedule, 3, to: 4) == [0])
        #expect(try starts(schedule, 3.01, to: 4) == [])
    }

    @Test func eventsCanOverlapEachOther() throws {
        let schedule = try Fixture.schedule(element(0, every: ["hour": 1], hours: 2))
        #expect(try schedule.events(from: date(1.5 / 24), to: date(1.5 / 24 + 0.00001), limit: 10).count == 2)
    }

    @Test func anEventHasTheEndOfItsDuration() throws {
        #expect(try Fixture.schedule(element(0, hours: 0)).event(occurrence: 1)?.end == date(1))
        #expect(try Fixture.schedule(element(0, hours: 2)).event(occurrence: 1)?.end == date(1 + 2.0 / 24))
        #expect(
            try Fixture.schedule(element(0.3, hours: nil)).event(occurrence: 1)?.end == date(2).addingTimeInterval(-1))
    }

    @Test func eventsFollowTheirIntervalWithinTheirElement() throws {
        let schedule = try Fixture.schedule(element(0, end: 1, every: ["hour": 5], hours: 0))
        #expect(try starts(schedule, 0, to: 9).map { ($0 * 24).rounded() } == [0, 5, 10, 15, 20])
    }
}
