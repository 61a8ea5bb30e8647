import Core
import Foundation

/// A time of a request or of a permission, in UTC: `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, and no other form.
public struct CsiInstant: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text as it is sent and signed.
    public let text: String
    /// The instant.
    public let date: Date

    /// Reads a time; nil for another form, for a leap second, and for a day or an hour that does not exist.
    public init?(_ text: String) {
        let form = Array("0000-00-00T00:00:00.000Z".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == form.count else { return nil }
        for (byte, expected) in zip(bytes, form) {
            let isDigit = (0x30...0x39).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        guard let value = DateTime(text), value.second < 60 else { return nil }
        self.text = text
        date = value.start()
    }

    /// Creates a time of whole seconds, as the document's client sends it; a fraction is dropped.
    public init(_ date: Date) {
        let value = DateTime(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)))
        text = value.text
        self.date = value.start()
    }

    /// The same time one year later, on February 28 for February 29; nil after the year 9999.
    public var oneYearLater: CsiInstant? {
        guard let value = DateTime(text), value.year < 9_999 else { return nil }
        let day = min(value.day, CivilDate.daysInMonth(year: value.year + 1, month: value.month))
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        return CsiInstant(
            "\(padded(value.year + 1, 4))-\(padded(value.month, 2))-\(padded(day, 2))\(text.dropFirst(10))")
    }

    public static func < (left: CsiInstant, right: CsiInstant) -> Bool { left.date < right.date }

    public var description: String { text }
}
