import Core
import Foundation
import Testing

@testable import CarePlans

/// A schedule element that CareKit's `Codable` cannot decode is refused with the path of the member.
@Suite struct ReadableElementTests {
    private static let target: JSON = ["type": "integer", "value": 5, "createdDate": 0]

    private func json(_ text: String) throws -> JSON { try #require(JSON(reading: Array(text.utf8))) }

    /// The path of the refused member without the path of the element; nil if the element is read.
    private func refused(_ change: (inout JSON) -> Void) -> String? {
        var element = Fixture.element(start: 0)
        change(&element)
        do {
            _ = try Fixture.schedule(element)
            return nil
        } catch {
            guard let error = error as? CarePlanError, error.reason == .scheduleInvalid else { return "\(error)" }
            return error.location.replacing("$.schedule.elements[0].", with: "")
        }
    }

    @Test(arguments: [
        ("firstWeekday", "null"), ("firstWeekday", "0"), ("firstWeekday", "8"), ("firstWeekday", "3000000000"),
        ("firstWeekday", "1.5"), ("firstWeekday", #""2""#), ("firstWeekday", "true"), ("firstWeekday", "1e-400"),
        ("minimumDaysInFirstWeek", "null"), ("minimumDaysInFirstWeek", "0"), ("minimumDaysInFirstWeek", "8"),
        ("minimumDaysInFirstWeek", "[]"), ("current", "3"), ("current", "-1"), ("current", "false"),
        ("current", #""0""#), ("locale", #""de_DE""#), ("locale", "5"), ("locale.identifier", "null"),
        ("locale.identifier", "5"), ("locale.current", "3"), ("locale.current", "true"),
        ("locale.preferences", "5"), ("locale.preferences", #"{"langs":"de"}"#),
        ("locale.preferences", #"{"nums":["x"]}"#), ("locale.preferences", #"{"nums":[1,2]}"#),
        ("locale.preferences", #"{"weekFirst":{"gregorian":3000000000}}"#),
    ])
    func aMemberOfACalendarThatCareKitCannotReadIsRefused(member: String, text: String) throws {
        let value = try json(text)
        let parts = member.split(separator: ".").map(String.init)
        let path = refused {
            if parts.count == 2 {
                $0["calendar"]?[parts[0]]?[parts[1]] = value
            } else {
                $0["calendar"]?[parts[0]] = value
            }
        }
        #expect(path?.hasPrefix("calendar.\(member)") == true, "\(path ?? "read")")
    }

    @Test func absentMembersOfACalendarThatCareKitRequiresAreRefused() {
        #expect(refused { $0["calendar"]?["firstWeekday"] = nil } == "calendar.firstWeekday")
        #expect(refused { $0["calendar"]?["minimumDaysInFirstWeek"] = nil } == "calendar.minimumDaysInFirstWeek")
        #expect(refused { $0["calendar"]?["locale"] = ["current": 0] } == "calendar.locale.identifier")
        #expect(refused { $0["calendar"]?["timeZone"] = ["identifier": "UTC", "autoupdating": 1] } == "calendar")
    }

    @Test func calendarsThatCareKitReadsAreRead() throws {
        #expect(refused { $0["calendar"]?["current"] = nil } == nil)
        #expect(refused { $0["calendar"]?["current"] = 2 } == nil)
        #expect(refused { $0["calendar"]?["locale"] = nil } == nil)
        #expect(refused { $0["calendar"]?["locale"] = .null } == nil)
        #expect(refused { $0["calendar"]?["firstWeekday"] = .number(JSONNumber(text: "7.0") ?? 0) } == nil)
        // The current locale of a phone.
        let locale = try json(
            #"{"identifier":"de_DE","current":2,"preferences":{"metric":true,"langs":["de-DE"],"locale":"de_DE","#
                + #""weekFirst":{"gregorian":2},"meas":0,"temp":1,"24h":true,"nums":[0,",",17,"."],"#
                + #""icu":{"times":{"1":"HH:mm"}}}}"#)
        #expect(refused { $0["calendar"]?["locale"] = locale } == nil)
    }

    @Test(arguments: [
        ("null", "[0]"), ("[1]", "[0]"), ("5", "[0]"), ("{}", "[0].type"),
        (#"{"type":"date","value":"soon","createdDate":0}"#, "[0].value"),
        (#"{"type":"integer","value":1.5,"createdDate":0}"#, "[0].value"),
        (#"{"type":"integer","value":5,"units":3,"createdDate":0}"#, "[0].units"),
        (#"{"type":"integer","value":5,"kind":3,"createdDate":0}"#, "[0].kind"),
        (#"{"type":"image","value":5,"createdDate":0}"#, "[0].type"),
        (#"{"type":"integer","value":5}"#, "[0].createdDate"),
        (#"{"type":"double","value":1e-400,"createdDate":0}"#, "[0].value"),
        (#"{"type":"double","value":1,"createdDate":1e-400}"#, "[0].createdDate"),
    ])
    func targetValuesAreCheckedAsTheValuesOfOutcomes(text: String, path: String) throws {
        let value = try json(text)
        #expect(refused { $0["targetValues"] = [value] } == "targetValues" + path)
        #expect(refused { $0["targetValues"] = [Self.target] } == nil)
    }

    @Test(arguments: [
        (#"{"day":1,"isLeapMonth":"x"}"#, "interval.isLeapMonth"),
        (#"{"day":1,"isLeapMonth":1}"#, "interval.isLeapMonth"),
        (#"{"day":1,"isRepeatedDay":0}"#, "interval.isRepeatedDay"), (#"{"day":1,"calendar":5}"#, "interval.calendar"),
        (#"{"day":1,"calendar":{}}"#, "interval.calendar.identifier"),
        (#"{"day":1,"timeZone":{}}"#, "interval.timeZone"),
        (#"{"day":1,"era":"x"}"#, "interval"),
    ])
    func aMemberOfAnIntervalThatCareKitCannotReadIsRefused(interval: String, path: String) throws {
        let interval = try json(interval)
        #expect(refused { $0["interval"] = interval } == path)
    }

    @Test func intervalsWithReadableMembersAreRead() {
        #expect(
            refused { $0["interval"] = ["day": 1, "isLeapMonth": false, "timeZone": ["identifier": "UTC"]] } == nil)
        #expect(refused { $0["interval"] = ["day": 1, "isLeapMonth": .null, "calendar": Fixture.calendar()] } == nil)
    }

    @Test(arguments: ["1e-400", "-1e-400", "2e-324", "0.000000000000000001e-320"])
    func aNumberThatUnderflowsIsRefused(text: String) throws {
        let number = JSON.number(try #require(JSONNumber(text: text)))
        #expect(refused { $0["start"] = number } == "start")
        #expect(refused { $0["duration"] = ["isAllDay": false, "seconds": number] } == "duration")
        #expect(
            refused {
                $0["start"] = -5
                $0["end"] = number
            } == "end")
        struct Value: Decodable { let x: Double }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Value.self, from: Data(#"{"x":\#(text)}"#.utf8))
        }
    }

    @Test(arguments: ["0e-400", "-0.000e7", "0", "5e-324", "1e-300"])
    func aNumberThatIsZeroOrSmallIsRead(text: String) throws {
        let number = JSON.number(try #require(JSONNumber(text: text)))
        #expect(refused { $0["start"] = number } == nil)
    }
}
