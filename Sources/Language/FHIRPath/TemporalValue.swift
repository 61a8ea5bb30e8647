import FHIR
import Foundation

/// A date, a date with a time, or a time of day, with the precision as written (<https://hl7.org/fhirpath/N1/#date>,
/// <https://hl7.org/fhirpath/N1/#datetime>, <https://hl7.org/fhirpath/N1/#time>).
public struct TemporalValue: Sendable, Hashable {
    /// Kind of value.
    public enum Kind: Sendable, Hashable {
        /// A date.
        case date
        /// A date with a time.
        case dateTime
        /// A time of day.
        case time
    }

    /// The finest known component. Seconds and their fraction are one component.
    public enum Precision: Int, Sendable, Comparable, Hashable {
        /// The year alone.
        case year
        /// Year and month.
        case month
        /// The day of the month.
        case day
        /// The hour.
        case hour
        /// The minute.
        case minute
        /// The second, with its fraction.
        case second

        public static func < (left: Precision, right: Precision) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The kind of value.
    public let kind: Kind
    /// The finest known component.
    public let precision: Precision
    /// The year; 1 if there is none.
    public let year: Int
    /// The month; 1 if it is not known.
    public let month: Int
    /// The day of the month; 1 if it is not known.
    public let day: Int
    /// The hour; 0 if it is not known.
    public let hour: Int
    /// The minute; 0 if it is not known.
    public let minute: Int
    /// The second; 0 if it is not known.
    public let second: Int
    /// The fraction of the second in nanoseconds.
    public let nanosecond: Int
    /// Number of digits of the fraction as written.
    public let fractionDigits: Int
    /// Minutes east of UTC; nil without a zone.
    public let offset: Int?

    init(
        kind: Kind, precision: Precision, year: Int = 1, month: Int = 1, day: Int = 1, hour: Int = 0,
        minute: Int = 0,
        second: Int = 0, nanosecond: Int = 0, fractionDigits: Int = 0, offset: Int? = nil
    ) {
        self.kind = kind
        self.precision = precision
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.nanosecond = nanosecond
        self.fractionDigits = fractionDigits
        self.offset = offset
    }

    // MARK: Reading

    /// Reads a literal without its `@`.
    init?(literal: String) {
        if literal.hasPrefix("T") {
            self.init(time: String(literal.dropFirst()))
        } else if literal.contains("T") {
            self.init(dateTime: literal)
        } else {
            self.init(date: literal)
        }
    }

    /// Reads `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    public init?(date text: String) {
        var scanner = PartScanner(text)
        guard let (year, month, day, precision) = scanner.date(), scanner.isAtEnd else { return nil }
        self.init(kind: .date, precision: precision, year: year, month: month, day: day)
    }

    /// Reads a date, optionally followed by `T`, a complete or partial time, and a zone.
    public init?(dateTime text: String) {
        var scanner = PartScanner(text)
        guard let (year, month, day, precision) = scanner.date() else { return nil }
        guard scanner.take("T") else {
            guard scanner.isAtEnd else { return nil }
            self.init(kind: .dateTime, precision: precision, year: year, month: month, day: day)
            return
        }
        if scanner.isAtEnd {
            self.init(kind: .dateTime, precision: precision, year: year, month: month, day: day)
            return
        }
        guard precision == .day, let time = scanner.time() else { return nil }
        var offset: Int?
        if !scanner.isAtEnd {
            guard let zone = scanner.zone(), scanner.isAtEnd else { return nil }
            offset = zone
        }
        self.init(
            kind: .dateTime, precision: time.precision, year: year, month: month, day: day,
            hour: time.hour,
            minute: time.minute, second: time.second, nanosecond: time.nanosecond,
            fractionDigits: time.digits,
            offset: offset)
    }

    /// Reads `hh`, `hh:mm` or `hh:mm:ss`, optionally with a fraction.
    public init?(time text: String) {
        var scanner = PartScanner(text)
        guard let time = scanner.time(), scanner.isAtEnd else { return nil }
        self.init(
            kind: .time, precision: time.precision, hour: time.hour, minute: time.minute,
            second: time.second,
            nanosecond: time.nanosecond, fractionDigits: time.digits)
    }

    // MARK: Writing

    /// The text that `toString()` returns.
    public var text: String {
        let date = dateText
        switch kind {
        case .date: return date
        case .time: return timeText
        case .dateTime:
            guard precision > .day else { return date }
            return date + "T" + timeText + zoneText
        }
    }

    private var dateText: String {
        let year = padded(self.year, 4)
        switch precision {
        case .year: return year
        case .month: return year + "-" + padded(month, 2)
        default: return year + "-" + padded(month, 2) + "-" + padded(day, 2)
        }
    }

    private var timeText: String {
        var text = padded(hour, 2)
        if precision >= .minute { text += ":" + padded(minute, 2) }
        if precision >= .second {
            text += ":" + padded(second, 2)
            if fractionDigits > 0 { text += "." + padded(nanosecond, 9).prefix(min(fractionDigits, 9)) }
        }
        return text
    }

    private var zoneText: String {
        guard let offset else { return "" }
        if offset == 0 { return "Z" }
        return (offset < 0 ? "-" : "+") + padded(Swift.abs(offset) / 60, 2) + ":"
            + padded(Swift.abs(offset) % 60, 2)
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    // MARK: Comparing

    /// Compares two values. Returns -1, 0 or 1; nil if the shared components are equal and one side is more precise, or
    /// if only one side has a zone and the result depends on it.
    func compare(_ other: TemporalValue) -> Int? {
        guard (kind == .time) == (other.kind == .time) else { return nil }
        if precision > .day, other.precision > .day, kind != .time,
            (offset == nil) != (other.offset == nil)
        {
            return compareWithoutZone(other)
        }
        let left = offset == nil ? self : inUTC
        let right = other.offset == nil ? other : other.inUTC
        return left.compareParts(right)
    }

    /// Without a zone, the other side could be anywhere from -12:00 to +14:00.
    private func compareWithoutZone(_ other: TemporalValue) -> Int? {
        let (known, unknown) = offset != nil ? (self, other) : (other, self)
        let instant = known.secondsSinceEpoch
        let earliest = unknown.with(offset: 14 * 60).secondsSinceEpoch
        let latest = unknown.with(offset: -12 * 60).secondsSinceEpoch
        let order: Int? = instant < earliest ? -1 : instant > latest ? 1 : nil
        return offset != nil ? order : order.map { -$0 }
    }

    private func compareParts(_ other: TemporalValue) -> Int? {
        let first = kind == .time ? Precision.hour.rawValue : 0
        let last = min(precision, other.precision).rawValue
        for index in first...max(first, last) {
            let (left, right) = (part(index), other.part(index))
            if left != right { return left < right ? -1 : 1 }
        }
        guard precision == other.precision else { return nil }
        guard precision == .second, nanosecond != other.nanosecond else { return 0 }
        return nanosecond < other.nanosecond ? -1 : 1
    }

    private func part(_ index: Int) -> Int {
        switch index {
        case 0: year
        case 1: month
        case 2: day
        case 3: hour
        case 4: minute
        default: second
        }
    }

    /// Returns whether both are equal with the same precision.
    func isEquivalent(_ other: TemporalValue) -> Bool {
        kind == other.kind && precision == other.precision && compare(other) == 0
    }

    func with(offset: Int?) -> TemporalValue {
        TemporalValue(
            kind: kind, precision: precision, year: year, month: month, day: day, hour: hour,
            minute: minute,
            second: second, nanosecond: nanosecond, fractionDigits: fractionDigits, offset: offset)
    }

    func with(kind: Kind) -> TemporalValue {
        TemporalValue(
            kind: kind, precision: precision, year: year, month: month, day: day, hour: hour,
            minute: minute,
            second: second, nanosecond: nanosecond, fractionDigits: fractionDigits, offset: offset)
    }

    /// The same instant in UTC, with the same precision.
    var inUTC: TemporalValue {
        guard let offset, offset != 0, precision > .day else { return self }
        return shifted(minutes: -offset).with(offset: 0)
    }

    private func shifted(minutes: Int) -> TemporalValue {
        let total =
            CivilDate.days(year: year, month: month, day: day) * 1440 + hour * 60 + minute + minutes
        let dayNumber = total >= 0 ? total / 1440 : (total - 1439) / 1440
        let rest = total - dayNumber * 1440
        let date = CivilDate.date(days: dayNumber)
        return TemporalValue(
            kind: kind, precision: precision, year: date.year, month: date.month, day: date.day,
            hour: rest / 60,
            minute: rest % 60, second: second, nanosecond: nanosecond, fractionDigits: fractionDigits,
            offset: offset)
    }

    private var secondsSinceEpoch: Double {
        let days = CivilDate.days(year: year, month: month, day: day)
        return Double(days * 86400 + hour * 3600 + minute * 60 + second - (offset ?? 0) * 60)
            + Double(nanosecond) / 1e9
    }
}

/// Reads the parts of dates and times.
private struct PartScanner {
    private let bytes: String.UTF8View
    private var position: String.Index

    init(_ text: String) {
        bytes = text.utf8
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: character) else { return false }
        bytes.formIndex(after: &position)
        return true
    }

    private mutating func digit() -> Int? {
        guard position < bytes.endIndex, (0x30...0x39).contains(bytes[position]) else { return nil }
        defer { bytes.formIndex(after: &position) }
        return Int(bytes[position] - 0x30)
    }

    mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func date() -> (Int, Int, Int, TemporalValue.Precision)? {
        guard let year = number(4), year > 0 else { return nil }
        guard take("-") else { return (year, 1, 1, .year) }
        guard let month = number(2), (1...12).contains(month) else { return nil }
        guard take("-") else { return (year, month, 1, .month) }
        guard let day = number(2), (1...CivilDate.daysInMonth(year: year, month: month)).contains(day)
        else {
            return nil
        }
        return (year, month, day, .day)
    }

    struct Time {
        var hour = 0
        var minute = 0
        var second = 0
        var nanosecond = 0
        var digits = 0
        var precision = TemporalValue.Precision.hour
    }

    mutating func time() -> Time? {
        var time = Time()
        guard let hour = number(2), hour < 24 else { return nil }
        time.hour = hour
        guard take(":") else { return time }
        guard let minute = number(2), minute < 60 else { return nil }
        (time.minute, time.precision) = (minute, .minute)
        guard take(":") else { return time }
        guard let second = number(2), second < 60 else { return nil }
        (time.second, time.precision) = (second, .second)
        guard take(".") else { return time }
        var value = 0
        while let digit = digit() {
            if time.digits < 9 { value = value * 10 + digit }
            time.digits += 1
        }
        guard time.digits > 0 else { return nil }
        for _ in min(time.digits, 9)..<9 { value *= 10 }
        time.nanosecond = value
        return time
    }

    mutating func zone() -> Int? {
        if take("Z") { return 0 }
        let sign: Int
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2), hours <= 14, take(":"), let minutes = number(2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
