import Core
import Foundation
import TestSupport
import Testing

struct WrittenHourTests {
    private static func first(_ text: String) -> UInt32? {
        Array(text.utf8).withUnsafeBytes { WrittenHour.first(in: $0) }
    }

    private static func last(_ text: String) -> UInt32? {
        Array(text.utf8).withUnsafeBytes { WrittenHour.last(in: $0) }
    }

    @Test func allFormsOfATimeNameItsHour() {
        let written = Self.first("2026-03-01T08")
        #expect(written != nil)
        for text in ["2026-03-01T08:59:59Z", "at 2026-03-01 08:00", "x.20260301080000.", "20260301085959123Z"] {
            #expect(Self.first(text) == written && Self.last(text) == written, "\(text)")
        }
        let counted = Self.first(#"{"t":1700000000}"#)
        #expect(counted == 1_700_000_000 / 3_600 && Self.first(#"{"t":1700000000123}"#) == counted)
    }

    @Test func laterHoursAreLarger() throws {
        let texts = ["2025-12-31T23", "2026-01-01T00", "2026-01-01T01", "2026-01-02T00", "2026-02-01T00"]
        let hours = try texts.map { try #require(Self.first($0)) }
        #expect(hours == hours.sorted() && Set(hours).count == hours.count)
        #expect(try #require(Self.first("1700000000")) < #require(Self.first("1700003600")))
    }

    @Test func firstOrLastOfSeveralTimesIsRead() {
        let text = "1234567890.weight.20260301080000.20260302090000"
        #expect(Self.first(text) == Self.first("1234567890") && Self.last(text) != Self.first(text))
        #expect(Self.last(text) == Self.first("2026-03-02T09"))
    }

    @Test func textThatOnlyResemblesATimeIsRefused() {
        for text in [
            "", "2026", "2026-03-01", "2026-03-01T0", "x2026-3-1T08", "12345", "99999999999999999999", "0123456789",
        ] {
            #expect(Self.first(text) == nil && Self.last(text) == nil, "\(text)")
        }
    }

    @Test func readingStopsAtTheEndOfTheText() {
        var random = Seeded.fresh()
        for _ in 0..<2_000 {
            let letters = Array("0129-T :.x")
            let text = String(
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                })
            // A text in a longer buffer that continues with the rest of a time.
            let bytes = Array((text + "-01-01T08:00:00Z").utf8)
            let inside = bytes.withUnsafeBytes { WrittenHour.last(in: .init(rebasing: $0[..<text.utf8.count])) }
            #expect(inside == Self.last(text))
        }
    }
}
