/// The codes of a night's summary in ``HealthCodeSystem/component``, for which neither HealthKit nor LOINC has codes.
public enum SleepNightCode {
    /// `Observation.code`. It differs from HealthKit's sleep analysis, so that the summary is not added to the stages.
    public static let summary = "sleep-night"
    /// The time asleep.
    public static let asleep = "sleep-asleep"
    /// The number of sessions.
    public static let sessions = "sleep-sessions"
}
