import Core
import Foundation
import Testing

/// The current time with the offset of the person's clock.
@Suite struct DateTimeNowTests {
    private let instant = Date(timeIntervalSince1970: 1_772_611_199.25)

    @Test(arguments: [
        ("Asia/Kathmandu", "2026-03-04T13:44:59.250+05:45"), ("America/St_Johns", "2026-03-04T04:29:59.250-03:30"),
        ("Pacific/Kiritimati", "2026-03-04T21:59:59.250+14:00"), ("UTC", "2026-03-04T07:59:59.250Z"),
    ])
    func nowHasTheOffsetOfTheZone(zone: String, text: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        let now = DateTime.now(in: zone, clock: { instant })
        #expect(now.text == text)
        #expect(now.start() == instant)
        #expect(DateTime(text) == now)
    }

    @Test func theOffsetIsThatOfTheMomentAndNotOfToday() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        for (text, offset) in [("2026-01-31T12:00:00Z", 60), ("2026-07-31T12:00:00Z", 120)] {
            let moment = try #require(DateTime(text)).start()
            #expect(DateTime.offsetMinutes(of: berlin, at: moment) == offset)
            #expect(DateTime(moment, in: berlin).offsetMinutes == offset)
        }
    }

    @Test(arguments: [18 * 3600, -18 * 3600, 5 * 3600 + 59])
    func textOfNowCanBeReadAgain(seconds: Int) throws {
        let zone = try #require(TimeZone(secondsFromGMT: seconds))
        let now = DateTime.now(in: zone, clock: { instant })
        #expect(DateTime(now.text) == now)
        #expect(now.start() == instant)
    }

    @Test func nowUsesTheSystemsClockByDefault() {
        #expect(abs(DateTime.now().start().timeIntervalSinceNow) < 60)
    }
}
