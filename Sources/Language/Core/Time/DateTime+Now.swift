import Foundation

extension DateTime {
    /// The present moment as the person's clock shows it: with the offset of their time zone, to the millisecond.
    ///
    /// FHIR wants an offset with every time, and the person's own tells morning from evening when the data are read
    /// (<https://hl7.org/fhir/R4/datatypes.html#dateTime>).
    ///
    /// - Parameters:
    ///   - timeZone: where the person is; the device's unless given.
    ///   - clock: tells the moment; the system's unless given.
    public static func now(in timeZone: TimeZone = .current, clock: () -> Date = { Date() }) -> DateTime {
        DateTime(clock(), in: timeZone)
    }

    /// An instant as a clock in a time zone shows it, with the offset that the zone has at that instant, and milliseconds.
    public init(_ instant: Date, in timeZone: TimeZone) {
        self.init(instant, offsetMinutes: DateTime.offsetMinutes(of: timeZone, at: instant))
    }

    /// Minutes east of UTC that a time zone has at an instant, within the 14 hours that FHIR can write.
    public static func offsetMinutes(of timeZone: TimeZone = .current, at instant: Date) -> Int {
        let limit = 14 * 60
        return min(max(timeZone.secondsFromGMT(for: instant) / 60, -limit), limit)
    }
}
