import Core
import Foundation
import TestSupport
import Testing

@testable import CarePlans

@Suite struct OccurrenceTests {
    @Test func eventsByIndexAreThoseOfSingleStepsOfTheCalendar() throws {
        var generator = Seeded.fresh()
        for _ in 0..<120 {
            let json = RandomSchedule()(&generator)
            let schedule = try CareSchedule(json)
            let count = Int.random(in: 1...Self.largestCount(of: schedule, 900), using: &generator)
            let expected = ScheduleModel(schedule).events(count: count)
            for index in [0, count / 3, count / 2, count - 2, count - 1] where index >= 0 {
                let event = try schedule.event(occurrence: index)
                #expect(event == (index < expected.count ? expected[index] : nil), "\(json.text()) \(index)")
            }
        }
    }

    /// Returns the maximum number of events that are within the budget of one question: fewer in the Chinese calendar, whose
    /// steps cost more.
    private static func largestCount(of schedule: CareSchedule, _ count: Int) -> Int {
        schedule.elements.contains { $0.calendar.identifier == .chinese } ? 100 : count
    }

    @Test func eventsOfATimeHaveTheIndicesOfTheWholeSchedule() throws {
        var generator = Seeded.fresh()
        for _ in 0..<120 {
            let json = RandomSchedule()(&generator)
            let schedule = try CareSchedule(json)
            let all = ScheduleModel(schedule).events(count: Self.largestCount(of: schedule, 600))
            guard let last = all.last else { continue }
            let begin = all[Int.random(in: 0..<all.count, using: &generator)].start
                .addingTimeInterval(Double(Int.random(in: -100_000...100_000, using: &generator)))
            let end = min(
                begin.addingTimeInterval(Double(Int.random(in: 1...3_000_000, using: &generator))), last.start)
            let expected = all.filter { event in
                event.start < end && event.end >= begin && begin < end
                    && (schedule.elements[event.element].end ?? .distantFuture) > begin
            }
            let events = try schedule.events(from: begin, to: end, limit: 1_000)
            #expect(events == expected, "\(json.text()) \(begin) \(end)")
        }
    }

    @Test func dailyAndWeeklyEventsKeepTheirWallTime() throws {
        let daily = try Fixture.schedule(
            Fixture.element(
                start: Fixture.seconds("2016-01-01T08:00:00+01:00"), calendar: Fixture.calendar("Europe/Berlin")))
        let summer = try #require(try daily.event(occurrence: 3_650))
        #expect(summer.start == Fixture.date("2025-12-29T08:00:00+01:00"))
        #expect(try daily.event(occurrence: 3_470)?.start == Fixture.date("2025-07-02T08:00:00+02:00"))
        let weekly = try Fixture.schedule(
            Fixture.element(
                start: Fixture.seconds("2026-03-23T09:00:00-04:00"), every: ["weekOfYear": 1],
                calendar: Fixture.calendar("America/New_York")))
        #expect(try weekly.event(occurrence: 40)?.start == Fixture.date("2026-12-28T09:00:00-05:00"))
    }

    @Test func monthlyEventsFromTheLastDayOfJanuaryStayOnTheTwentyEighth() throws {
        let schedule = try Fixture.schedule(
            Fixture.element(start: Fixture.seconds("2026-01-31T08:00:00Z"), every: ["month": 1]))
        let starts = try (0..<4).map { try #require(try schedule.event(occurrence: $0)).start }
        #expect(
            starts == ["2026-01-31", "2026-02-28", "2026-03-28", "2026-04-28"].map { Fixture.date($0 + "T08:00:00Z") })
    }

    @Test func aSkippedWallTimeStaysShifted() throws {
        let schedule = try Fixture.schedule(
            Fixture.element(
                start: Fixture.seconds("2026-03-27T02:30:00+01:00"), calendar: Fixture.calendar("Europe/Berlin")))
        #expect(try schedule.event(occurrence: 1)?.start == Fixture.date("2026-03-28T02:30:00+01:00"))
        #expect(try schedule.event(occurrence: 2)?.start == Fixture.date("2026-03-29T03:30:00+02:00"))
        #expect(try schedule.event(occurrence: 200)?.start == Fixture.date("2026-10-13T03:30:00+02:00"))
    }

    /// CareKit's `events(from:to:)` gives the event of index 4 the index 5 here.
    @Test func aLongEventThatReachesIntoTheTimeDoesNotShiftIndices() throws {
        let schedule = try Fixture.schedule(
            Fixture.element(start: 0, duration: 25 * 3_600), Fixture.element(start: 0, duration: 600))
        let events = try schedule.events(
            from: Date(timeIntervalSinceReferenceDate: 72 * 3_600),
            to: Date(timeIntervalSinceReferenceDate: 73 * 3_600),
            limit: 10)
        #expect(events.map(\.occurrence) == [4, 6, 7])
        for event in events { #expect(try schedule.event(occurrence: event.occurrence) == event) }
    }

    @Test func theStartOfATimeIsInclusiveAndItsEndIsExclusive() throws {
        let schedule = try Fixture.schedule(Fixture.element(start: 0, duration: 3_600))
        func indices(_ from: Double, _ to: Double) throws -> [Int] {
            try schedule.events(
                from: Date(timeIntervalSinceReferenceDate: from), to: Date(timeIntervalSinceReferenceDate: to),
                limit: 10
            ).map(\.occurrence)
        }
        #expect(try indices(3_600, 86_400) == [0])
        #expect(try indices(3_601, 86_400) == [])
        #expect(try indices(3_601, 86_401) == [1])
        #expect(try indices(0, 1) == [0])
        #expect(try indices(-10, 0) == [])
        #expect(try indices(10, 10) == [])
    }

    @Test func eventsOfWholeDaysLastUntilTheLastSecondOfTheDay() throws {
        let schedule = try Fixture.schedule(
            Fixture.element(
                start: Fixture.seconds("2026-10-24T15:00:00+02:00"), end: Fixture.seconds("2026-10-26T10:00:00+01:00"),
                duration: nil, calendar: Fixture.calendar("Europe/Berlin")))
        let events = try schedule.events(from: schedule.start, to: .distantFuture, limit: 10)
        #expect(
            events.map(\.start) == [
                Fixture.date("2026-10-24T00:00:00+02:00"), Fixture.date("2026-10-25T00:00:00+02:00"),
                Fixture.date("2026-10-26T00:00:00+01:00"),
            ])
        #expect(events[1].end == Fixture.date("2026-10-25T23:59:59+01:00"))
        #expect(try schedule.event(occurrence: 3) == nil)
    }

    @Test func eventsOfOneTimeHaveTheOrderOfTheirElements() throws {
        let schedule = try Fixture.schedule(
            Fixture.element(start: 86_400, duration: 60), Fixture.element(start: 0, duration: 120),
            Fixture.element(start: 0, duration: 180))
        let events = try schedule.events(
            from: Date(timeIntervalSinceReferenceDate: 0), to: Date(timeIntervalSinceReferenceDate: 90_000), limit: 9)
        #expect(events.map { $0.end.timeIntervalSince($0.start) } == [120, 180, 120, 180, 60])
        #expect(events.map(\.occurrence) == [0, 1, 2, 3, 4])
    }
}
