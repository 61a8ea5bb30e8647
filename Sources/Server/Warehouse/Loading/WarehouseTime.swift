import Foundation
import Storage

/// Timestamps in i2b2's format: `YYYY-MM-DD HH:MM:SS`, UTC, no fraction.
enum WarehouseTime {
    /// The years 0000 to 9999; times outside are moved to the nearest end.
    private static let calendar = -62_167_219_200.0...253_402_300_799

    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return text(seconds: seconds.isNaN ? 0 : Int64(min(max(seconds, calendar.lowerBound), calendar.upperBound)))
    }

    /// - Parameter seconds: seconds since 1970.
    static func text(seconds: Int64) -> String {
        SQLTimestamp.text(
            seconds: min(max(seconds, Int64(calendar.lowerBound)), Int64(calendar.upperBound)), between: " ")
    }

    static func value(_ date: Date?) -> SQLValue { SQLValue(date.map(text)) }

    /// Returns the seconds since 1970 of such a timestamp; nil for any other text.
    static func seconds(_ text: String) -> Int64? { SQLTimestamp.seconds(text, between: " ") }
}
