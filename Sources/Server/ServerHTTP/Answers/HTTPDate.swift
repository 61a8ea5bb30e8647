import Core
import Foundation

/// Dates as HTTP writes them (RFC 9110 section 5.6.7).
public enum HTTPDate {
    /// Returns the date to the second, in UTC: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func text(_ date: Date) -> String {
        let time = DateTime(date, milliseconds: false)
        let days = CivilDate.days(year: time.year, month: time.month, day: time.day)
        // 1970 began on a Thursday.
        let weekday = weekdays[((days % 7) + 7) % 7]
        return "\(weekday), \(two(time.day)) \(months[time.month - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
