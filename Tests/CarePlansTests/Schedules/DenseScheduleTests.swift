import Core
import Foundation
import TestSupport
import Testing

@testable import CarePlans

@Suite struct DenseScheduleTests {
    @Test func eventsOfEverySecondAreFoundByIndexAtOnce() throws {
        let schedule = try Fixture.schedule(Fixture.element(start: 0.25, every: ["second": 1], duration: 1))
        #expect(try schedule.event(occurrence: 1_000_000_000)?.start.timeIntervalSinceReferenceDate == 1_000_000_000.25)
        #expect(try schedule.event(occurrence: 1_000_000_000_000) == nil)
        #expect(try schedule.event(occurrence: .max) == nil)
        #expect(try schedule.event(occurrence: -1) == nil)
        let composed = try Fixture.schedule(
            Fixture.element(start: 0, every: ["second": 1], duration: 1), Fixture.element(start: 0, duration: 1))
        #expect(
            try composed.event(occurrence: 86_400 * 365 + 365)?.start.timeIntervalSinceReferenceDate == 86_400 * 365)
    }

    @Test func tooManyEventsAreReported() throws {
        let schedule = try Fixture.schedule(Fixture.element(start: 0, every: ["second": 1], duration: 1))
        let error = #expect(throws: CarePlanError.self) {
            try schedule.events(
                from: Date(timeIntervalSinceReferenceDate: 0), to: Date(timeIntervalSinceReferenceDate: 1e9),
                limit: 10_000)
        }
        #expect(error?.code == "schedule-too-dense")
        let monthly = try Fixture.schedule(
            Fixture.element(start: 0, every: ["month": 1], calendar: Fixture.calendar("UTC", "chinese")))
        let slow = #expect(throws: CarePlanError.self) { try monthly.event(occurrence: 100_000) }
        #expect(slow?.code == "schedule-too-dense")
    }

    @Test func eventsOfADayAreFoundInALongSchedule() throws {
        let schedule = try Fixture.schedule(
            Fixture.element(start: 0, every: ["second": 1], duration: 86_400 * 400), Fixture.element(start: 7))
        let begin = Date(timeIntervalSinceReferenceDate: 1e9)
        #expect(throws: CarePlanError.self) {
            try schedule.events(from: begin, to: begin.addingTimeInterval(86_400), limit: 1_000)
        }
        let old = try Fixture.schedule(Fixture.element(start: -3e11, duration: nil))
        #expect(try old.events(from: begin, to: begin.addingTimeInterval(86_400), limit: 10).count == 2)
    }

    @Test(arguments: [
        (#"{"day":0}"#, "$.schedule.elements[0].interval"), ("{}", "$.schedule.elements[0].interval"),
        (#"{"day":-1}"#, "$.schedule.elements[0].interval"),
        (#"{"day":1,"hour":-30}"#, "$.schedule.elements[0].interval"),
        (#"{"quarter":1}"#, "$.schedule.elements[0].interval"),
        (#"{"day":1,"nanosecond":5}"#, "$.schedule.elements[0].interval"),
        (#"{"day":9223372036854775807}"#, "$.schedule.elements[0].interval"), ("[]", "$.schedule.elements[0].interval"),
        (#"{"month":1,"day":-29}"#, "$.schedule.elements[0].interval"),
    ])
    func intervalsThatDoNotMoveForwardAreRefused(interval: String, location: String) throws {
        let error = #expect(throws: CarePlanError.self) {
            try Fixture.schedule(Fixture.element(start: 0, every: try JSON(parsing: interval)))
        }
        #expect(error?.code == "schedule-invalid")
        #expect(error?.location == location)
    }

    @Test func unreadableElementsAreRefused() throws {
        let good = Fixture.element(start: 0)
        func code(_ change: (inout JSON) -> Void) -> String? {
            var element = good
            change(&element)
            do {
                _ = try Fixture.schedule(element)
                return nil
            } catch {
                return (error as? CarePlanError).map { $0.code + " " + $0.location }
            }
        }
        #expect(code { _ in } == nil)
        #expect(
            code { $0["calendar"] = Fixture.calendar("Mars/Phobos") }
                == "schedule-invalid $.schedule.elements[0].calendar")
        #expect(
            code { $0["calendar"] = Fixture.calendar("UTC", "mayan") }
                == "schedule-invalid $.schedule.elements[0].calendar")
        #expect(code { $0["calendar"] = nil } == "schedule-invalid $.schedule.elements[0].calendar")
        #expect(code { $0["end"] = 0 } == "schedule-invalid $.schedule.elements[0].end")
        #expect(code { $0["start"] = "now" } == "schedule-invalid $.schedule.elements[0].start")
        #expect(
            code { $0["start"] = .number(JSONNumber(text: "1e400") ?? JSONNumber(0)) }
                == "schedule-invalid $.schedule.elements[0].start")
        #expect(code { $0["duration"] = [:] } == "schedule-invalid $.schedule.elements[0].duration")
        #expect(code { $0["targetValues"] = nil } == "schedule-invalid $.schedule.elements[0].targetValues")
        // A whole day has one event only.
        #expect(
            code {
                $0["duration"] = ["isAllDay": true]
                $0["interval"] = ["hour": 1]
            } == "schedule-invalid $.schedule.elements[0].interval")
        #expect(throws: CarePlanError.self) { try CareSchedule(["elements": []]) }
        #expect(throws: CarePlanError.self) {
            try CareSchedule(["elements": .array(Array(repeating: good, count: 1_001))])
        }
    }
}
