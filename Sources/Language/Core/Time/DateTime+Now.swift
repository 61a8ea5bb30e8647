import Foundation

extension DateTime {
    /// Returns the present moment as the person's clock shows it: with the offset of their time zone, to the
    /// millisecond.
    ///
    /// FHIR requires an offset with every time. With the person's own offset, morning and evening can be distinguished
    /// when the data are read (<https://hl7.org/fhir/R4/datatypes.html#dateTime>).
    ///
    /// - Parameters:
    /// - timeZone: the person's time zone; by default that of the device.
    /// - clock: returns the present moment; by default the system's clock.
    public static func now(in timeZone: TimeZone = .current, clock: () -> Date = { Date() }) -> DateTime {
        DateTime(clock(), in: timeZone)
    }

    /// Creates the time of an instant as a clock in a time zone shows it, with the zone's offset at that instant, and
    /// milliseconds.
    public init(_ instant: Date, in timeZone: TimeZone) {
        self.init(instant, offsetMinutes: DateTime.offsetMinutes(of: timeZone, at: instant))
    }

    /// Returns the minutes east of UTC of a time zone at an instant, within the 14 hours that FHIR allows.
    public static func offsetMinutes(of timeZone: TimeZone = .current, at instant: Date) -> Int {
        let limit = 14 * 60
        return min(max(timeZone.secondsFromGMT(for: instant) / 60, -limit), limit)
    }
}
