import Foundation
import Storage

/// i2b2's timestamps: `YYYY-MM-DD HH:MM:SS`, UTC, no fraction.
enum WarehouseTime {
    static func text(_ date: Date) -> String {
        text(seconds: Int64(date.timeIntervalSince1970.rounded(.down)))
    }

    /// - Parameter seconds: since 1970.
    static func text(seconds: Int64) -> String {
        let iso = SQLTimestamp.text(Date(timeIntervalSince1970: Double(seconds))).utf8
        return String(decoding: iso.prefix(19).map { $0 == UInt8(ascii: "T") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    static func value(_ date: Date?) -> SQLValue { SQLValue(date.map(text)) }

    /// The seconds since 1970 of such a timestamp; nil for any other text.
    static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count == 19 else { return nil }
        return SQLTimestamp.date(text.prefix(10) + "T" + text.suffix(8) + ".000Z").map {
            Int64($0.timeIntervalSince1970)
        }
    }
}
