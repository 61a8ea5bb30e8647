import FHIR
import Foundation

/// A second on the time line, with the UTC offset of the person's clock.
public struct HealthInstant: Sendable, Hashable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64
    /// Minutes east of UTC. The offset is written with the instant but is not part of a sample's fingerprint: an export
    /// from another season contains the same instants with another offset.
    public var offsetMinutes: Int16

    /// Creates an instant from seconds and an offset.
    public init(seconds: Int64, offsetMinutes: Int16) {
        self.seconds = seconds
        self.offsetMinutes = offsetMinutes
    }

    /// Creates an instant from a date, rounded down to the second.
    public init(_ date: Date, offsetMinutes: Int) {
        seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        self.offsetMinutes = Int16(clamping: offsetMinutes)
    }

    /// The instant without its offset.
    public var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

    /// The seconds from 1900 up to but not including 2100. HealthKit's "distant future" and typing errors are outside.
    public static let believable: Range<Int64> = -2_208_988_800..<4_102_444_800

    /// FHIR's dateTime and instant: `2016-11-14T07:25:41-07:00`.
    public var text: String {
        String(unsafeUninitializedCapacity: 25) { buffer in
            if let start = buffer.baseAddress { writeText(to: start) }
            return 25
        }
    }

    /// Writes the 25 characters of ``text``.
    func writeText(to start: UnsafeMutablePointer<UInt8>) {
        let (day, second) = (seconds + Int64(offsetMinutes) * 60).flooredDivision(by: 86400)
        let rest = Int(second)
        let date = CivilDate.date(days: Int(day))
        func put(_ value: Int, _ offset: Int) {
            start[offset] = UInt8(truncatingIfNeeded: 0x30 + value / 10)
            start[offset + 1] = UInt8(truncatingIfNeeded: 0x30 + value % 10)
        }
        put(date.year / 100, 0)
        put(date.year % 100, 2)
        start[4] = UInt8(ascii: "-")
        put(date.month, 5)
        start[7] = UInt8(ascii: "-")
        put(date.day, 8)
        start[10] = UInt8(ascii: "T")
        put(rest / 3600, 11)
        start[13] = UInt8(ascii: ":")
        put(rest / 60 % 60, 14)
        start[16] = UInt8(ascii: ":")
        put(rest % 60, 17)
        start[19] = UInt8(ascii: offsetMinutes < 0 ? "-" : "+")
        put(Int(offsetMinutes.magnitude) / 60, 20)
        start[22] = UInt8(ascii: ":")
        put(Int(offsetMinutes.magnitude) % 60, 23)
    }
}

/// Looks up the UTC offsets of a time zone, and caches the zones.
public struct TimeZoneOffsets {
    private var zones: [String: TimeZone?] = [:]
    private var last: (name: String, zone: TimeZone?) = ("", nil)
    /// Cached offsets of the last zone, by quarters of an hour: samples are in the order of time.
    private var answers = Array(repeating: Answer(), count: 8)

    private struct Answer {
        var quarter = Int64.min
        var minutes: Int16?
    }

    /// The start of 2001 in seconds. Since then, clocks change only at whole quarters of an hour in UTC.
    private static let regular: Int64 = 978_307_200

    /// Creates an empty cache.
    public init() {}

    /// Returns minutes east of UTC in the zone with the IANA name at the instant; nil if the name is unknown.
    public mutating func minutes(in name: String, at seconds: Int64) -> Int16? {
        if last.name != name {
            last = (name, zone(name))
            for index in answers.indices { answers[index] = Answer() }
        }
        guard let zone = last.zone else { return nil }
        let quarter = seconds / 900
        let slot = Int(truncatingIfNeeded: quarter & 7)
        if answers[slot].quarter == quarter { return answers[slot].minutes }
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) / 60
        let minutes = (-840...840).contains(offset) ? Int16(offset) : nil
        if seconds >= Self.regular { answers[slot] = Answer(quarter: quarter, minutes: minutes) }
        return minutes
    }

    private mutating func zone(_ name: String) -> TimeZone? {
        if let known = zones[name] { return known }
        // The limit keeps invented names from filling memory; a person does not live in that number of zones.
        if zones.count >= 600 { zones.removeAll() }
        let zone = Self.isName(name) ? TimeZone(identifier: name) : nil
        zones[name] = .some(zone)
        return zone
    }

    /// Permits only the characters of zone names, so that no other path is looked up.
    private static func isName(_ name: String) -> Bool {
        (1...48).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
