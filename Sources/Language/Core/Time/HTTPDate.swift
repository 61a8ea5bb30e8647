import Foundation

/// Dates in the format of HTTP (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// Returns the date to the second, in UTC: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ date: Date) -> String {
        let time = DateTime(date, milliseconds: false)
        let days = CivilDate.days(year: time.year, month: time.month, day: time.day)
        // 1970 began on a Thursday.
        let weekday = weekdays[((days % 7) + 7) % 7]
        return "\(weekday), \(two(time.day)) \(months[time.month - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }

    /// Returns the date of a text in this format; nil for any other text.
    package static func date(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { " :,".contains($0) })
        guard parts.count == 8, parts[7] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2])), let hour = Int(parts[4]), let minute = Int(parts[5]),
            let second = Int(parts[6])
        else { return nil }
        let time = "\(parts[3])-\(two(month + 1))-\(two(day))T\(two(hour)):\(two(minute)):\(two(min(second, 59)))Z"
        guard year > 999 else { return nil }
        return DateTime(time)?.start()
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
