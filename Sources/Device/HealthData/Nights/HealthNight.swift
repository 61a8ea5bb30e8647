/// One night's sleep: its sleep sessions, and the time in each stage, no second counted twice.
public struct HealthNight: Sendable, Hashable {
    /// The day of the morning. A night lasts from 18:00 to 18:00 of the person's clock, and a session belongs to the
    /// night that its middle lies in: a nap after lunch belongs to the night before it.
    public let day: HealthDay
    /// In the order of time; at least one.
    public internal(set) var sessions: [SleepSession]

    public var times: SleepTimes { sessions.reduce(into: SleepTimes()) { $0 += $1.times } }

    /// The fingerprints of all samples in the sessions, by time. Empty where they were not kept.
    public var samples: [SampleFingerprint] { sessions.flatMap(\.samples) }
}

/// A sleep session: sleep without a break of more than an hour.
public struct SleepSession: Sendable, Hashable {
    /// Where the first sample begins.
    public let start: HealthInstant
    /// Where the last one ends.
    public let end: HealthInstant
    public let times: SleepTimes
    /// The samples in it, by time, those that another source overrules too.
    public let samples: [SampleFingerprint]

    /// The night that the session belongs to.
    var day: HealthDay {
        let middle = start.seconds + (end.seconds - start.seconds) / 2
        return HealthDay(seconds: middle + HealthNights.evening, offsetMinutes: start.offsetMinutes)
    }
}
