import HealthData

/// One night's sleep: its sleep sessions, and the time in each stage, with each second counted once.
public struct HealthNight: Sendable, Hashable {
    /// The day of the morning. A night lasts from 18:00 to 18:00 of the person's clock, and a session belongs to the
    /// night that contains its middle: a nap after lunch belongs to the preceding night.
    public let day: HealthDay
    /// The sleep sessions in the order of time; at least one.
    public internal(set) var sessions: [SleepSession]

    public var times: SleepTimes { sessions.reduce(into: SleepTimes()) { $0 += $1.times } }

    /// The fingerprints of all samples in the sessions, by time. Empty if they were not kept.
    public var samples: [SampleFingerprint] { sessions.flatMap(\.samples) }
}

/// A sleep session: sleep without a break of more than an hour.
public struct SleepSession: Sendable, Hashable {
    /// The start of the first sample.
    public let start: HealthInstant
    /// The end of the last sample.
    public let end: HealthInstant
    public let times: SleepTimes
    /// The fingerprints of the samples, by time, including samples that another source overrules.
    public let samples: [SampleFingerprint]

    /// The night of the session.
    var day: HealthDay {
        let middle = start.seconds + (end.seconds - start.seconds) / 2
        return HealthDay(seconds: middle + HealthNights.evening, offsetMinutes: start.offsetMinutes)
    }
}
