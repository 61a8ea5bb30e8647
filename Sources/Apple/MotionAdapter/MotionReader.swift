#if canImport(CoreMotion)
    import CoreMotion
    import Foundation

    /// Reads the activities that the motion coprocessor recorded, day by day.
    ///
    /// ```swift
    /// let days = try await MotionReader().days(since: lastEnd)
    /// for day in days { try store.queue(day.observations(subject: participant, in: .current)) }
    /// ```
    /// The system keeps seven days: call it every few days. The app needs `NSMotionUsageDescription` in its
    /// Info.plist; the system asks the person at the first call.
    public actor MotionReader {
        /// Number of days that the system keeps.
        public static let keptDays = 7

        private let manager: CMMotionActivityManager
        private let zone: TimeZone
        private let clock: @Sendable () -> Date
        private let queue = OperationQueue()

        /// Creates a reader, which asks for nothing yet.
        ///
        /// - Parameters:
        ///   - zone: the person's time zone, in which days begin.
        ///   - clock: returns the current time.
        public init(zone: TimeZone = .autoupdatingCurrent, clock: @escaping @Sendable () -> Date = { Date() }) {
            self.init(CMMotionActivityManager(), zone: zone, clock: clock)
        }

        init(_ manager: sending CMMotionActivityManager, zone: TimeZone, clock: @escaping @Sendable () -> Date) {
            (self.manager, self.zone, self.clock) = (manager, zone, clock)
        }

        /// Returns the completed days after a time, the oldest first, of those that the system keeps whole: six. A day
        /// without a minute of any activity is omitted.
        ///
        /// - Parameter last: the end of the last day that was sent; nil for all days. A day that begins before it is
        ///   omitted.
        /// - Throws: ``MotionError``.
        public func days(since last: Date? = nil) async throws -> [MotionPeriod] {
            guard CMMotionActivityManager.isActivityAvailable() else { throw MotionError.unavailable }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let today = calendar.startOfDay(for: clock())
            // Of the day a week ago, the beginning may be gone: it would replace a complete one.
            let starts = (1 - Self.keptDays...0).compactMap { calendar.date(byAdding: .day, value: $0, to: today) }
            let days = zip(starts, starts.dropFirst()).filter { start, _ in last.map { start >= $0 } ?? true }
            guard let first = days.first else { return [] }
            // The activity at the beginning of the first day began before it.
            let before = calendar.date(byAdding: .day, value: -1, to: first.0) ?? first.0
            let reports = try await reports(from: before, to: today)
            let intervals = MotionRules.intervals(reports, until: today)
            return days.map { MotionPeriod(intervals, from: $0, to: $1) }.filter { day in
                MotionInterpretation.allCases.contains { day.minutes($0) > 0 }
            }
        }

        private func reports(from start: Date, to end: Date) async throws -> [MotionActivity] {
            let result: Result<[MotionActivity], MotionError> = await withCheckedContinuation { continuation in
                manager.queryActivityStarting(from: start, to: end, to: queue, withHandler: Self.handler(continuation))
            }
            return try result.get()
        }

        /// Made outside of the actor: the system calls it on the queue.
        private nonisolated static func handler(
            _ continuation: CheckedContinuation<Result<[MotionActivity], MotionError>, Never>
        ) -> CMMotionActivityQueryHandler {
            { activities, error in
                if let error { return continuation.resume(returning: .failure(MotionError(error))) }
                continuation.resume(
                    returning: .success((activities ?? []).suffix(MotionRules.maximumReports).map(MotionActivity.init)))
            }
        }
    }

    extension MotionError {
        init(_ error: any Error) {
            let code = (error as NSError).code
            let denied = [CMErrorMotionActivityNotAuthorized, CMErrorNotAuthorized].map { Int($0.rawValue) }
            let missing = [CMErrorMotionActivityNotAvailable, CMErrorNotAvailable].map { Int($0.rawValue) }
            self = denied.contains(code) ? .denied : missing.contains(code) ? .unavailable : .failed
        }
    }

    extension MotionActivity {
        init(_ activity: CMMotionActivity) {
            var kinds: Kinds = []
            if activity.stationary { kinds.insert(.stationary) }
            if activity.automotive { kinds.insert(.automotive) }
            if activity.walking { kinds.insert(.walking) }
            if activity.running { kinds.insert(.running) }
            if activity.cycling { kinds.insert(.cycling) }
            self.init(
                start: activity.startDate, kinds: activity.unknown ? [] : kinds,
                confidence: activity.confidence.rawValue)
        }
    }
#endif
