import Foundation
import Storage

/// i2b2's timestamps: `YYYY-MM-DD HH:MM:SS`, UTC, no fraction.
enum WarehouseTime {
    static func text(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let iso = SQLTimestamp.text(Date(timeIntervalSince1970: Double(seconds)))
        return iso.prefix(19).replacingOccurrences(of: "T", with: " ")
    }

    static func value(_ date: Date?) -> SQLValue { SQLValue(date.map(text)) }
}
