import Foundation

/// Finds schedules whose events drift, because each event is computed from the one before it.
enum ScheduleDrift {
    /// Number of events of an interval with months or years that are compared.
    private static let comparedEvents = 64
    /// Last day of a month in which events do not drift.
    private static let lastSafeDay = 28
    /// Time after the start whose clock changes are checked, in seconds: 30 years.
    private static let horizon = 30 * 31_556_952.0
    /// Time around a clock change in which wall times are compared, in seconds.
    private static let vicinity = 2 * 86_400.0

    /// Returns whether the events of an element change their day of the month or their wall time.
    ///
    /// - Throws: ``CarePlanError`` `schedule-too-dense`.
    static func drifts(_ element: CareScheduleElement) throws(CarePlanError) -> Bool {
        guard element.repetition.hasDays else { return false }
        if element.repetition.hasMonths, try monthsDrift(element) { return true }
        return try wallTimeDrifts(element)
    }

    /// A month may lack the days from 29 on. The event then moves to the last day of the month, and stays there.
    private static func monthsDrift(_ element: CareScheduleElement) throws(CarePlanError) -> Bool {
        var budget = ScheduleBudget()
        var walker = OccurrenceWalker(element)
        let months = element.interval.month ?? 0
        for _ in 0..<comparedEvents {
            if walker.hasEnded { return false }
            let parts = element.calendar.dateComponents([.month, .day], from: walker.start)
            let day = parts.day ?? 0
            // Years lack the 29 February alone.
            if day > lastSafeDay, months != 0 || !element.isGregorian || parts.month == 2 { return true }
            try walker.step(&budget)
        }
        return false
    }

    /// A wall time that a clock change skips moves by the length of the change, and stays there.
    private static func wallTimeDrifts(_ element: CareScheduleElement) throws(CarePlanError) -> Bool {
        let interval = element.interval
        guard element.duration != .allDay, interval.hour ?? 0 == 0, interval.minute ?? 0 == 0,
            interval.second ?? 0 == 0
        else { return false }
        var budget = ScheduleBudget()
        var walker = OccurrenceWalker(element)
        let zone = element.calendar.timeZone
        func wallTime(_ date: Date) -> Double {
            let seconds = (date.timeIntervalSinceReferenceDate + Double(zone.secondsFromGMT(for: date)))
                .truncatingRemainder(dividingBy: 86_400)
            return seconds < 0 ? seconds + 86_400 : seconds
        }
        let expected = wallTime(walker.start)
        let last = walker.start.addingTimeInterval(horizon)
        while !walker.hasEnded, walker.start < last {
            guard let change = zone.nextDaylightSavingTimeTransition(after: walker.start), change < last else {
                return false
            }
            try walker.advance(to: change.addingTimeInterval(-vicinity), &budget)
            while !walker.hasEnded, walker.start <= change.addingTimeInterval(vicinity) {
                if abs(wallTime(walker.start) - expected) > 0.5 { return true }
                try walker.step(&budget)
            }
            if !walker.hasEnded, abs(wallTime(walker.start) - expected) > 0.5 { return true }
        }
        return false
    }
}
