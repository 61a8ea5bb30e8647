import Foundation
import Storage

/// i2b2's timestamps: `YYYY-MM-DD HH:MM:SS`, UTC, no fraction.
enum WarehouseTime {
    static func text(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let iso = SQLTimestamp.text(Date(timeIntervalSince1970: Double(seconds))).utf8
        return String(decoding: iso.prefix(19).map { $0 == UInt8(ascii: "T") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    static func value(_ date: Date?) -> SQLValue { SQLValue(date.map(text)) }
}
