import Foundation
import Testing

@testable import FHIR

@Suite struct DateTimeTests {
    @Test(arguments: [
        ("2026", DateTime.Precision.year), ("2026-02", .month), ("2026-02-28", .day), ("2026-02-28T23:59:59Z", .second),
        ("2026-02-28T23:59:59.120-11:30", .fraction), ("2024-02-29", .day), ("2016-12-31T23:59:60Z", .second),
    ])
    func datesKeepTheirPrecisionAndText(text: String, precision: DateTime.Precision) {
        #expect(DateTime(text)?.precision == precision)
        #expect(DateTime(text)?.text == text)
    }

    @Test(arguments: [
        "", "26", "2026-13", "2026-00", "2026-02-30", "2025-02-29", "2026-1-1", "2026-01-01T10", "2026-01-01T10:00Z",
        "2026-01-01T10:00:00", "2026-01-01T24:00:00Z", "2026-01-01T10:60:00Z", "2026-01-01T10:00:00.Z",
        "2026-01-01T10:00:00+15:00", "2026-01-01 10:00:00Z", "2026-01-01T10:00:00z", "0000", "2026-01-01T10:00:00+2:00",
        "٢٠٢٦",
    ])
    func whatIsNoDateIsRefused(text: String) { #expect(DateTime(text) == nil) }

    @Test func offsetsMoveTheInstantAndStayBesideIt() throws {
        let value = try #require(DateTime("2026-03-01T10:00:00+02:00"))
        #expect(value.offsetMinutes == 120)
        #expect(value.start() == DateTime("2026-03-01T08:00:00Z")?.start())
    }

    @Test func aDateCoversItsDayMonthOrYear() throws {
        #expect(try #require(DateTime("2024-02")).end() == DateTime("2024-03-01")?.start())
        #expect(try #require(DateTime("2026")).end() == DateTime("2027-01-01")?.start())
        #expect(try #require(DateTime("2026-12-31")).end() == DateTime("2027")?.start())
        #expect(try #require(DateTime("2026-01-01T00:00:00Z")).end().timeIntervalSince1970 == 1_767_225_601)
    }

    @Test func instantsAreWrittenAndReadAgain() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        for _ in 0..<500 {
            let milliseconds = Int64.random(in: -10_000_000_000_000...200_000_000_000_000, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let offset = Int.random(in: -56...56, using: &generator) * 15
            let written = DateTime(date, offsetMinutes: offset)
            #expect(DateTime(written.text) == written)
            #expect(abs(written.start().timeIntervalSince(date)) < 0.0011)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour], from: date.addingTimeInterval(Double(offset * 60)))
            #expect(
                written.year == parts.year && written.month == parts.month && written.day == parts.day, "\(written)")
        }
    }

    @Test func timesOfDayCompare() throws {
        #expect(TimeOfDay("25:00:00") == nil)
        #expect(TimeOfDay("10:00") == nil)
        #expect(try #require(TimeOfDay("09:59:59.9")) < #require(TimeOfDay("10:00:00")))
    }
}
