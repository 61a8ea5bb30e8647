/// Reads the fixed-width numbers of dates and times.
struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads exactly `digits` digits.
    mutating func number(digits: Int) -> Int? {
        guard rest.count >= digits else { return nil }
        var value = 0
        for byte in rest.prefix(digits) {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        rest = rest.dropFirst(digits)
        return value
    }

    /// Reads `hh:mm:ss` with an optional fraction. Second 60 is a leap second, which FHIR allows.
    mutating func time() -> (hour: Int, minute: Int, second: Int, nanosecond: Int, hasFraction: Bool)? {
        guard let hour = number(digits: 2), hour < 24, take(":"), let minute = number(digits: 2), minute < 60,
            take(":"), let second = number(digits: 2), second <= 60
        else { return nil }
        guard take(".") else { return (hour, minute, second, 0, false) }
        var nanosecond = 0
        var scale = 100_000_000
        var any = false
        while let byte = rest.first, byte >= 0x30, byte <= 0x39 {
            nanosecond += Int(byte - 0x30) * scale
            scale /= 10
            any = true
            rest.removeFirst()
        }
        return any ? (hour, minute, second, nanosecond, true) : nil
    }

    /// Reads `Z` or `±hh:mm` up to 14 hours, as minutes east of UTC.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let sign: Int
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), take(":"), let minutes = number(digits: 2), minutes < 60,
            hours * 60 + minutes <= 14 * 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

/// Writes numbers with leading zeros.
enum Padded {
    static func number(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    static func date(year: Int, month: Int, day: Int) -> String {
        number(year, 4) + "-" + number(month, 2) + "-" + number(day, 2)
    }

    static func time(hour: Int, minute: Int, second: Int) -> String {
        number(hour, 2) + ":" + number(minute, 2) + ":" + number(second, 2)
    }

    static func offset(_ minutes: Int) -> String {
        (minutes < 0 ? "-" : "+") + number(abs(minutes) / 60, 2) + ":" + number(abs(minutes) % 60, 2)
    }
}
