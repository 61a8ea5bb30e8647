import HealthData

/// The values of HealthKit's sleep analysis (HKCategoryValueSleepAnalysis).
public enum SleepStage: Int, Sendable, CaseIterable {
    /// In bed, asleep or not: not a stage of sleep, but counted independently.
    case inBed
    /// Awake.
    case awake
    /// Deep sleep.
    case deep
    /// Sleep with rapid eye movements.
    case rem
    /// Light or intermediate sleep.
    case core
    /// Asleep in an unknown stage.
    case unspecified

    /// Creates the stage of a value of sleep analysis; nil for other values.
    public init?(_ option: HealthOption) {
        guard let stage = Self.allCases.first(where: { $0.code == option.code || option.aliases.contains($0.code) })
        else { return nil }
        self = stage
    }

    /// The name of HealthKit's case.
    public var code: String {
        switch self {
        case .inBed: "HKCategoryValueSleepAnalysisInBed"
        case .awake: "HKCategoryValueSleepAnalysisAwake"
        case .deep: "HKCategoryValueSleepAnalysisAsleepDeep"
        case .rem: "HKCategoryValueSleepAnalysisAsleepREM"
        case .core: "HKCategoryValueSleepAnalysisAsleepCore"
        case .unspecified: "HKCategoryValueSleepAnalysisAsleepUnspecified"
        }
    }

    /// The name shown to people.
    public var title: String {
        switch self {
        case .inBed: "In bed"
        case .awake: "Awake"
        case .deep: "Asleep, deep"
        case .rem: "Asleep, REM"
        case .core: "Asleep, core"
        case .unspecified: "Asleep, stage unspecified"
        }
    }

    /// Whether the person sleeps in this stage.
    public var isAsleep: Bool {
        switch self {
        case .inBed, .awake: false
        case .deep, .rem, .core, .unspecified: true
        }
    }
}

/// Seconds in each stage.
public struct SleepTimes: Sendable, Hashable {
    private var seconds = Array(repeating: Int64(0), count: SleepStage.allCases.count)

    /// Creates times with zero seconds in each stage.
    public init() {}

    /// The seconds of a stage.
    public subscript(stage: SleepStage) -> Int64 {
        get { seconds[stage.rawValue] }
        set { seconds[stage.rawValue] = newValue }
    }

    /// The total seconds in the stages of sleep.
    public var asleep: Int64 { SleepStage.allCases.reduce(0) { $0 + ($1.isAsleep ? self[$1] : 0) } }

    /// Whether a source distinguished asleep from awake, instead of reporting only time in bed.
    public var hasStages: Bool { asleep > 0 || self[.awake] > 0 }

    /// Adds the times of another session.
    public static func += (left: inout SleepTimes, right: SleepTimes) {
        for stage in SleepStage.allCases { left[stage] += right[stage] }
    }
}
