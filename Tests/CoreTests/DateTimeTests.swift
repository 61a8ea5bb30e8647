import Core
import Foundation
import TestSupport
import Testing

/// Dates and times with their written precision and offset.
@Suite struct DateTimeTests {
    @Test(arguments: [
        ("2024", DateTime.Precision.year), ("2024-02", .month), ("2024-02-29", .day), ("2024-02-29T00:00:00Z", .second),
        ("2024-02-29T23:59:59+14:00", .second), ("2024-02-29T23:59:60Z", .second),
        ("2024-02-29T12:30:00.5-13:59", .fraction), ("2024-02-29T12:30:00.000Z", .fraction), ("0001-01-01", .day),
        ("9999-12-31T23:59:59.999999999Z", .fraction), ("2024-02-29T12:30:00-00:00", .second),
        ("2024-02-29T12:30:00.1234567890123456Z", .fraction),
    ])
    func textAndPrecisionArePreserved(text: String, precision: DateTime.Precision) {
        let value = DateTime(text)
        #expect(value?.text == text)
        #expect(value?.description == text)
        #expect(value?.precision == precision)
        #expect((value?.offsetMinutes == nil) == (precision < .second))
    }

    @Test(arguments: [
        "", "24", "0000", "20240", "2024-", "2024-2", "2024-00", "2024-13", "2024-02-30", "2023-02-29", "1900-02-29",
        "2024-04-31", "2024-01-00", "2024-01-32", "2024-01-1", "2024-01-01T", "2024-01-01T10", "2024-01-01T10:00",
        "2024-01-01T10:00Z", "2024-01-01T10:00:00", "2024-01-01T10:00:00.", "2024-01-01T10:00:00.Z",
        "2024-01-01T24:00:00Z", "2024-01-01T10:60:00Z", "2024-01-01T10:00:61Z", "2024-01-01T10:00:00z",
        "2024-01-01t10:00:00Z", "2024-01-01 10:00:00Z", "2024-01-01T10:00:00+0100", "2024-01-01T10:00:00+1:00",
        "2024-01-01T10:00:00+15:00", "2024-01-01T10:00:00+14:30", "2024-01-01T10:00:00-14:01",
        "2024-01-01T10:00:00+01:60", "2024-01-01T10:00:00Z ", " 2024", "2024-01T10:00:00Z", "2024T10:00:00Z", "-2024",
        "+2024", "２０２４", "2024-01-01T10:00:00,5Z",
    ])
    func textsOutsideOfFHIRsFormatAreRefused(text: String) {
        #expect(DateTime(text) == nil)
    }

    @Test func intervalCoversTheWrittenPrecision() throws {
        func interval(_ text: String) throws -> [String] {
            let value = try #require(DateTime(text))
            return [DateTime(value.start()).text, DateTime(value.end()).text]
        }
        #expect(try interval("2024") == ["2024-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"])
        #expect(try interval("2024-02") == ["2024-02-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z"])
        #expect(try interval("2023-12") == ["2023-12-01T00:00:00.000Z", "2024-01-01T00:00:00.000Z"])
        #expect(try interval("2024-02-29") == ["2024-02-29T00:00:00.000Z", "2024-03-01T00:00:00.000Z"])
        #expect(
            try interval("2024-02-29T12:30:00+02:00") == ["2024-02-29T10:30:00.000Z", "2024-02-29T10:30:01.000Z"])
        #expect(
            try interval("2024-02-29T00:30:00.250-05:30") == ["2024-02-29T06:00:00.250Z", "2024-02-29T06:00:00.251Z"])
        // A leap second ends the day with which it is written.
        #expect(try interval("2024-12-31T23:59:60Z") == ["2024-12-31T23:59:59.000Z", "2025-01-01T00:00:00.000Z"])
        #expect(try interval("2024-12-31T18:59:60.5-05:00")[0] == "2024-12-31T23:59:59.500Z")
        #expect(DateTime.init("9999")?.end().timeIntervalSince1970 == 253_402_300_800)
    }

    @Test func aFractionCoversItsLastDigit() throws {
        for (text, length) in [("00.5", 0.1), ("00.25", 0.01), ("00.250", 0.001), ("00.250000", 0.000001)] {
            let value = try #require(DateTime("2024-01-01T00:00:\(text)Z"))
            #expect(abs(value.end().timeIntervalSince(value.start()) - length) < 1e-6)
        }
        // For any number of digits an interval is not empty.
        let fine = try #require(DateTime.init("2024-01-01T00:00:00.123456789012Z"))
        #expect(fine.end() > fine.start())
        #expect(fine.nanosecond == 123_456_789)
    }

    @Test func aDateWithoutATimeBeginsAtMidnightOfTheGivenOffset() throws {
        let value = try #require(DateTime.init("2024-03-10"))
        #expect(DateTime(value.start(assumingOffsetMinutes: 120)).text == "2024-03-09T22:00:00.000Z")
        #expect(DateTime(value.end(assumingOffsetMinutes: -300)).text == "2024-03-11T05:00:00.000Z")
        // A written offset has precedence.
        let written = try #require(DateTime.init("2024-03-10T00:00:00Z"))
        #expect(DateTime(written.start(assumingOffsetMinutes: 120)).text == "2024-03-10T00:00:00.000Z")
    }

    @Test func datePartKeepsItsPrecision() {
        #expect(DateTime.init("2024")?.dateText == "2024")
        #expect(DateTime.init("2024-05")?.dateText == "2024-05")
        #expect(DateTime.init("2024-05-06T23:00:00-11:00")?.dateText == "2024-05-06")
    }

    @Test func anInstantIsWrittenWithItsOffset() {
        let instant = Date(timeIntervalSince1970: 1_709_210_096.789)
        #expect(DateTime(instant).text == "2024-02-29T12:34:56.789Z")
        #expect(DateTime(instant, offsetMinutes: 330).text == "2024-02-29T18:04:56.789+05:30")
        #expect(DateTime(instant, offsetMinutes: -720, milliseconds: false).text == "2024-02-29T00:34:56-12:00")
        #expect(DateTime(Date(timeIntervalSince1970: 59.9996)).text == "1970-01-01T00:01:00.000Z")
        #expect(DateTime(Date(timeIntervalSince1970: -0.25)).text == "1969-12-31T23:59:59.750Z")
        #expect(DateTime(Date(timeIntervalSince1970: -86400.5), milliseconds: false).text == "1969-12-30T23:59:59Z")
    }

    @Test func writtenInstantIsReadAsTheSameInstant() throws {
        var random = Seeded.fresh("instants")
        for _ in 0..<2000 {
            let milliseconds = Int.random(in: -62_000_000_000_000...253_000_000_000_000, using: &random)
            let offset = Int.random(in: -840...840, using: &random)
            let made = DateTime(Date(timeIntervalSince1970: Double(milliseconds) / 1000), offsetMinutes: offset)
            let read = try #require(DateTime(made.text), "\(made.text), seed \(random.seed)")
            #expect(read == made, "seed \(random.seed)")
            #expect(Int((read.start().timeIntervalSince1970 * 1000).rounded()) == milliseconds, "seed \(random.seed)")
        }
    }

    @Test func instantsOutsideOfTheCalendarAreBroughtToItsEdge() {
        for seconds in [1e12, 1e18, 1e300, Double.infinity] {
            #expect(DateTime(Date(timeIntervalSince1970: seconds)).year == 9999)
            #expect(DateTime(Date(timeIntervalSince1970: -seconds)).year == 1)
            #expect(DateTime(DateTime(Date(timeIntervalSince1970: -seconds)).text) != nil)
        }
        #expect(DateTime(Date(timeIntervalSince1970: .nan)).text == "1970-01-01T00:00:00.000Z")
    }

    /// Every day of FHIR's calendar against Foundation's proleptic Gregorian calendar.
    @Test func everyDayIsTheDayThatFoundationCounts() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var random = Seeded.fresh("days")
        for year in 1...9999 {
            let month = Int.random(in: 1...12, using: &random)
            let last = CivilDate.daysInMonth(year: year, month: month)
            let days = CivilDate.days(year: year, month: month, day: last)
            let next = CivilDate.date(days: days + 1)
            #expect(next.day == 1 && next.month == month % 12 + 1, "\(year)-\(month)")
            #expect(CivilDate.date(days: days) == (year, month, last))
            // Foundation is slow: a seventh of the years is enough.
            guard year % 7 == 0 || year % 100 == 0 else { continue }
            let date = Date(timeIntervalSince1970: Double(days) * 86400)
            let parts = calendar.dateComponents([.era, .year, .month, .day], from: date)
            // Foundation's Gregorian calendars may change to the Julian one before 15 October 1582.
            guard year > 1582 else { continue }
            #expect(parts.year == year && parts.month == month && parts.day == last, "\(year)-\(month)-\(last)")
        }
    }

    @Test func noDayIsLostOrTwiceInFourCenturies() {
        var expected = (year: 1600, month: 1, day: 1)
        let first = CivilDate.days(year: 1600, month: 1, day: 1)
        for days in first..<(first + 146_097) {
            let date = CivilDate.date(days: days)
            if date != expected { Issue.record("\(date) instead of \(expected)") }
            expected.day += 1
            if expected.day > CivilDate.daysInMonth(year: expected.year, month: expected.month) {
                expected = expected.month == 12 ? (expected.year + 1, 1, 1) : (expected.year, expected.month + 1, 1)
            }
        }
        #expect(expected == (2000, 1, 1))
        #expect(CivilDate.days(year: 1970, month: 1, day: 1) == 0)
        #expect(CivilDate.days(year: 2000, month: 3, day: 1) == 11_017)
    }

    @Test(arguments: [(1900, 28), (2000, 29), (2023, 28), (2024, 29), (2100, 28), (4, 29), (9996, 29)])
    func leapYearsFollowTheRule(year: Int, days: Int) {
        #expect(CivilDate.daysInMonth(year: year, month: 2) == days)
        let text = String(repeating: "0", count: 4 - String(year).count) + "\(year)-02-29"
        #expect((DateTime(text) != nil) == (days == 29))
    }

    @Test func timesOfDayAreReadAndOrdered() {
        #expect(TimeOfDay("00:00:00")?.nanoseconds == 0)
        #expect(TimeOfDay("23:59:59.5")?.nanoseconds == 86_399_500_000_000)
        #expect(TimeOfDay("08:30:00")?.text == "08:30:00")
        for text in ["", "8:30:00", "08:30", "24:00:00", "08:60:00", "08:30:61", "08:30:00Z", "08:30:00.", "08:30:00 "]
        {
            #expect(TimeOfDay(text) == nil, "\(text)")
        }
        let early = TimeOfDay("08:30:00")
        let late = TimeOfDay("08:30:00.001")
        #expect(early.flatMap { first in late.map { first < $0 } } == true)
    }
}
