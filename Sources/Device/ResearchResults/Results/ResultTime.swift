import Core
import Foundation

/// The times of ResearchKit's serializer: `2019-05-27T00:35:06-0700`, and `08:30` for a time of day.
package enum ResultTime {
    /// Reads a time; nil if it is none. The offset may be written with a colon too.
    package static func dateTime(_ text: String) -> DateTime? {
        if let value = DateTime(text) { return value.precision >= .second ? value : nil }
        // A text of any length may be given; a time is short.
        guard text.utf8.count <= 64, let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }),
            text.distance(from: sign, to: text.endIndex) == 5
        else { return nil }
        let minutes = text.index(text.endIndex, offsetBy: -2)
        return DateTime("\(text[..<minutes]):\(text[minutes...])")
    }

    /// Writes a time.
    package static func text(_ time: DateTime) -> String {
        let offset = time.offsetMinutes ?? 0
        let text = DateTime(time.start(), offsetMinutes: offset, milliseconds: false).text
        if text.hasSuffix("Z") { return text.dropLast() + "+0000" }
        return String(text.dropLast(3) + text.suffix(2))
    }

    /// Returns the time of an answer in the time zone of the answer, without a fraction of a second.
    ///
    /// - Parameter zoneSeconds: `timeZone` of the result, seconds east of UTC, limited to 18 hours; nil for the offset of
    ///   the time as it is written.
    package static func local(_ instant: DateTime, zoneSeconds: Int?) -> DateTime {
        let zone = zoneSeconds.map { min(max($0, -64_800), 64_800) / 60 }
        return DateTime(instant.start(), offsetMinutes: zone ?? instant.offsetMinutes ?? 0, milliseconds: false)
    }

    /// Reads `8:30`, `08:30` or `08:30:15` as a time of FHIR, with seconds.
    package static func timeOfDay(_ text: String) -> String? {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count) else { return nil }
        if parts[0].count == 1 { parts[0] = "0" + parts[0] }
        if parts.count == 2 { parts.append("00") }
        let time = parts.joined(separator: ":")
        return TimeOfDay(time).map { _ in time }
    }

    /// Writes a time of FHIR as hours and minutes.
    package static func text(ofDay time: String) -> String { String(time.prefix(5)) }
}
