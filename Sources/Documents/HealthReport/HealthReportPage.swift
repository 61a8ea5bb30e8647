import HealthData
import SleepNights

/// A page about a person's health data, which is added sample by sample: steps, heart rate, sleep, workouts, and the
/// days with data of each source.
///
/// ```swift
/// var report = HealthReportPage()
/// let importReport = try HealthExport(path: "export.zip").convert { report.add($0) }
/// let html = report.html(importReport: importReport)
/// ```
///
/// It has no side effects, and the result does not depend on the order of the samples. Memory grows by 24 bytes a
/// sample of steps and of sleep, each up to a limit (``DailyAggregates``, ``HealthNights``), otherwise by the days.
public struct HealthReportPage: Sendable {
    /// The displayed days, by the person's clock.
    public let days: ClosedRange<HealthDay>
    /// Whether the caller limited the days.
    let isLimited: (since: Bool, until: Bool)
    var steps: DailyAggregates
    let stepType: HealthType?
    var heartRate = HeartRateDays()
    var nights = HealthNights(keepsFingerprints: false)
    var workouts: [String: ActivityTotals] = [:]
    var coverage: [SourceKind: [Int: Int]] = [:]
    /// The types by identifier.
    var types: [String: TypeSpan] = [:]
    /// Values outside of the plausible range, which are not in the plots.
    private(set) var implausibleSteps = 0
    private(set) var implausibleRates = 0
    private(set) var unlikelyFigures = 0
    /// Observations outside of ``days``.
    private(set) var outsideDays = 0
    private var roles: [ObjectIdentifier: Role] = [:]

    /// The use of the samples of a type.
    private enum Role { case steps, heartRate, sleep, workout, other }

    /// A source in the coverage: a kind of product, or entry by hand.
    struct SourceKind: Hashable, Comparable {
        let rank: SourceRank

        init(_ product: HealthProduct, isEnteredByHand: Bool?) {
            rank = SourceRank(product, isEnteredByHand: isEnteredByHand == true)
        }

        init(_ sample: HealthSample) {
            self.init(sample.source.product, isEnteredByHand: sample.context.wasUserEntered)
        }

        static func < (left: SourceKind, right: SourceKind) -> Bool { left.rank < right.rank }
    }

    /// The number of observations of a type, and the days that they span.
    struct TypeSpan {
        let title: String
        var count = 0
        /// The first day; nil if no observation has a day.
        var first: HealthDay?
        var last: HealthDay?

        init(_ title: String) { self.title = title }
    }

    /// - Parameters:
    ///   - since: the first displayed day; nil for the first day with data.
    ///   - until: the last displayed day; nil for the last day with data.
    public init(since: HealthDay? = nil, until: HealthDay? = nil) {
        let first = since ?? HealthDay(number: -1_000_000)
        days = first...max(first, until ?? HealthDay(number: 1_000_000))
        isLimited = (since != nil, until != nil)
        stepType = HealthType.named("StepCount")
        steps = DailyAggregates(of: [stepType].compactMap { $0 })
    }

    /// Adds an observation.
    public mutating func add(_ observation: HealthObservation) {
        let sample = observation.sample
        let day = HealthDay(sample.start)
        let role = role(of: sample.type)
        // Steps and sleep span midnight; they are limited to the displayed days when they are summed up.
        switch role {
        case .steps: addSteps(sample)
        case .sleep: nights.add(observation)
        default: break
        }
        guard days.contains(day) else {
            outsideDays += 1
            return
        }
        coverage[SourceKind(sample), default: [:]][day.number, default: 0] += 1
        types[sample.type.identifier, default: TypeSpan(sample.type.title)].add(day)
        switch (role, sample.value) {
        case (.heartRate, .quantity(let quantity)):
            let rate = quantity.number.double
            guard sample.type.measure?.plausible?.contains(rate) ?? true else {
                implausibleRates += 1
                return
            }
            heartRate.add(rate, on: day)
        case (.workout, .workout(let workout)):
            unlikelyFigures += workouts[workout.activity.display, default: ActivityTotals()].add(
                workout, of: sample.type)
        default: break
        }
    }

    /// Adds a special record: an electrocardiogram, the summary of a day. It is only in the plot of the sources, and
    /// only if its source is known.
    public mutating func add(_ record: some SpecialRecord) {
        let day: HealthDay? =
            switch record.time {
            case .period(let start, _): HealthDay(start)
            case .day(let text): HealthDay(text)
            case .unknown: nil
            }
        guard day.map(days.contains) ?? true else {
            outsideDays += 1
            return
        }
        types[record.kind.identifier, default: TypeSpan(record.kind.title)].add(day)
        guard let day, let source = record.origin.source else { return }
        let kind = SourceKind(source.product, isEnteredByHand: record.origin.wasUserEntered)
        coverage[kind, default: [:]][day.number, default: 0] += 1
    }

    private mutating func addSteps(_ sample: HealthSample) {
        guard case .quantity(let quantity) = sample.value else { return }
        guard sample.type.measure?.plausible?.contains(quantity.number.double) ?? true else {
            implausibleSteps += 1
            return
        }
        steps.add(sample)
    }

    private mutating func role(of type: HealthType) -> Role {
        let key = ObjectIdentifier(type)
        if let role = roles[key] { return role }
        let role: Role =
            switch type.identifier {
            case stepType?.identifier: .steps
            case "HKQuantityTypeIdentifierHeartRate": .heartRate
            case "HKCategoryTypeIdentifierSleepAnalysis": .sleep
            case HealthType.workout.identifier: .workout
            default: .other
            }
        roles[key] = role
        return role
    }
}

extension HealthReportPage.TypeSpan {
    fileprivate mutating func add(_ day: HealthDay?) {
        count += 1
        guard let day else { return }
        first = min(first ?? day, day)
        last = max(last ?? day, day)
    }
}
