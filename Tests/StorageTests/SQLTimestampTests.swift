import Foundation
import Storage
import TestSupport
import Testing

/// Instants as texts, and back.
@Suite struct SQLTimestampTests {
    @Test func textsOfInstantsAreThoseOfTheCalendar() {
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: -0.001)) == "1969-12-31T23:59:59.999Z")
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: 1_709_164_800.25)) == "2024-02-29T00:00:00.250Z")
        #expect(SQLTimestamp.text(.distantFuture).hasPrefix("4001-01-01"))
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: 1e15)) == "9999-12-31T23:59:59.999Z")
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: -1e15)) == "0000-01-01T00:00:00.000Z")
        #expect(SQLTimestamp.text(Date(timeIntervalSince1970: .nan)) == "1970-01-01T00:00:00.000Z")
        #expect(SQLTimestamp.text(seconds: 1_709_164_800, between: " ") == "2024-02-29 00:00:00")
        #expect(SQLTimestamp.text(seconds: 253_402_300_800, between: " ") == "10000-01-01 00:00:00")
    }

    @Test func writtenTimestampsAreReadBackAndOtherTextsRefused() {
        var generator = Seeded.fresh()
        for _ in 0..<20_000 {
            let milliseconds = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = SQLTimestamp.text(date)
            #expect(text.utf8.count == 24 && SQLTimestamp.date(text) == date, "\(text)")
            let seconds = Int64((Double(milliseconds) / 1000).rounded(.down))
            let whole = SQLTimestamp.text(seconds: seconds, between: " ")
            #expect(SQLTimestamp.seconds(whole, between: " ") == seconds, "\(whole)")
            #expect(whole.prefix(10) == text.prefix(10) && SQLTimestamp.seconds(whole, between: "T") == nil)
            // One character less, one more, a different one.
            #expect(SQLTimestamp.seconds(String(whole.dropLast()), between: " ") == nil)
            #expect(SQLTimestamp.seconds(whole + "0", between: " ") == nil)
            #expect(SQLTimestamp.date(text.replacing("Z", with: "z")) == nil)
        }
        for text in [
            "", "2026-13-01 00:00:00", "2026-00-01 00:00:00", "2026-01-32 00:00:00", "2026-01-01 24:00:00",
            "2026-01-01 00:60:00", "2026-01-01 00:00:60", "2026-1-01  00:00:00", "２０２６-01-01 00:0",
        ] {
            #expect(SQLTimestamp.seconds(text, between: " ") == nil, "\(text)")
        }
    }
}
