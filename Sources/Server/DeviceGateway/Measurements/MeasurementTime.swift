import Core

/// An instant in ticks of 100 ns since 1970, UTC: the precision of the connector whose template format this is.
package struct MeasurementTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let ticks: Int64

    static let perSecond: Int64 = 10_000_000
    static let perMillisecond: Int64 = 10_000

    package init(ticks: Int64) { self.ticks = ticks }

    /// Parses a date and time of ISO 8601; one without an offset is in UTC. The offset may be in hours only, as the
    /// connector's functions write it: `2021-07-07T17:00:00+0`.
    ///
    /// - Returns: nil for any other text, and for a date without a time.
    package init?(_ text: String) {
        let text = Self.withWholeOffset(text.trimmed)
        guard let time = DateTime(text).flatMap({ $0.offsetMinutes == nil ? nil : $0 }) ?? DateTime(text + "Z"),
            let offset = time.offsetMinutes
        else { return nil }
        let days = Int64(CivilDate.days(year: time.year, month: time.month, day: time.day))
        let seconds =
            days * 86_400 + Int64(time.hour) * 3_600 + Int64(time.minute) * 60 + Int64(time.second) - Int64(offset) * 60
        ticks = seconds * Self.perSecond + Int64(time.nanosecond) / 100
    }

    /// Returns the text with hours and minutes in its offset: `+0`, `-5`, `+01` and `+0130` become `+00:00`, `-05:00`,
    /// `+01:00` and `+01:30`. Any other text is returned unchanged.
    private static func withWholeOffset(_ text: String) -> String {
        guard let time = text.firstIndex(of: "T"), let sign = text[time...].lastIndex(where: { $0 == "+" || $0 == "-" })
        else { return text }
        let digits = text[text.index(after: sign)...]
        guard (1...4).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return text }
        let hours = digits.prefix(digits.count > 2 ? digits.count - 2 : digits.count)
        let minutes = digits.count > 2 ? digits.suffix(2) : "00"
        return text[...sign] + (hours.count == 1 ? "0" : "") + hours + ":" + minutes
    }

    package static func < (one: MeasurementTime, other: MeasurementTime) -> Bool { one.ticks < other.ticks }

    /// The time in UTC, with as many digits of a second as it has.
    package var description: String { text(isCompact: false) }

    /// The time in UTC to the second, as in the names of windows: `20190201224601Z`.
    var compact: String { text(isCompact: true) }

    private func text(isCompact: Bool) -> String {
        let (seconds, fraction) = ticks.flooredDivision(by: Self.perSecond)
        let (days, rest) = seconds.flooredDivision(by: 86_400)
        let date = CivilDate.date(days: Int(days))
        var text: [UInt8] = []
        text.reserveCapacity(32)
        func put(_ number: Int, _ width: Int, before sign: StaticString = "") {
            var unit = 1
            for _ in 1..<width { unit *= 10 }
            while unit > 0 {
                text.append(UInt8(0x30 + number / unit % 10))
                unit /= 10
            }
            if !isCompact, sign.utf8CodeUnitCount > 0 { text.append(sign.utf8Start.pointee) }
        }
        let time = Int(rest)
        put(date.year, 4, before: "-")
        put(date.month, 2, before: "-")
        put(date.day, 2, before: "T")
        put(time / 3_600, 2, before: ":")
        put(time / 60 % 60, 2, before: ":")
        put(time % 60, 2)
        if !isCompact, fraction > 0 {
            text.append(UInt8(ascii: "."))
            put(Int(fraction), 7)
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? "")
    }
}
