import Foundation

/// The events of one schedule element, one after the other.
///
/// Each start is computed from the one before it. Several steps are taken at once only if the result is provably the same:
/// - A fixed number of seconds is added to a start without a clock change in between or with one.
/// - Days are added at the same wall time while the offset of the time zone does not change. Within a day before a clock
///   change, and after it, the calendar computes each step: it decides about wall times that are skipped or repeated.
/// - A sum of a start with a fraction of a second stays exact until the next power of two.
struct OccurrenceWalker {
    /// The time after which there are no events, in seconds since 2001: about the year 12,000.
    private static let horizon = CareEntityReading.maximumSeconds
    /// Seconds before a clock change from which the calendar computes each step.
    private static let margin = 93_600.0

    let element: CareScheduleElement
    /// The number of the current event in the element, from 0; the number of all events if the walk has ended.
    private(set) var index = 0
    /// The start of the current event.
    private(set) var start: Date
    /// Whether there are no more events.
    private(set) var hasEnded = false
    private let limit: Double
    private let cost: Int

    init(_ element: CareScheduleElement) {
        self.element = element
        start = element.start
        limit = min(element.end?.timeIntervalSinceReferenceDate ?? .infinity, Self.horizon)
        cost = Self.cost(of: element)
        hasEnded = start.timeIntervalSinceReferenceDate >= limit
    }

    /// The cost of one step, in units of one step of the Gregorian calendar. Calendars of the moon compute its phases, for
    /// each day between.
    private static func cost(of element: CareScheduleElement) -> Int {
        let wholeDay = element.duration == .allDay ? 3 : 0
        if element.isGregorian { return 1 + wholeDay }
        guard [.chinese, .islamic].contains(element.calendar.identifier) else { return 16 + wholeDay }
        return 16 + wholeDay + Int(min(element.repetition.approximateSeconds / 86_400, 100_000))
    }

    /// Moves to the next event.
    ///
    /// - Throws: ``CarePlanError`` `schedule-too-dense`; `schedule-invalid` if the interval does not move forward here.
    mutating func step(_ budget: inout ScheduleBudget) throws(CarePlanError) {
        guard !hasEnded else { return }
        try budget.spend(cost)
        guard let next = element.next(after: start), next > start else {
            throw CarePlanError(.scheduleInvalid, at: "$.schedule.elements.interval")
        }
        start = next
        index += 1
        hasEnded = start.timeIntervalSinceReferenceDate >= limit
    }

    /// Moves to the first event from the current one on that starts at a date or later.
    mutating func advance(to date: Date, _ budget: inout ScheduleBudget) throws(CarePlanError) {
        while !hasEnded, start < date {
            let hasJumped = try jump(before: date.timeIntervalSinceReferenceDate, maximum: .max, &budget)
            if !hasJumped { try step(&budget) }
        }
    }

    /// Moves to the event with an index, if it is not before the current one.
    mutating func advance(toIndex target: Int, _ budget: inout ScheduleBudget) throws(CarePlanError) {
        while !hasEnded, index < target {
            let hasJumped = try jump(before: .infinity, maximum: target - index, &budget)
            if !hasJumped { try step(&budget) }
        }
    }

    /// Takes several steps at once, to an event that starts before a time in seconds since 2001.
    ///
    /// - Returns: whether steps were taken.
    private mutating func jump(before time: Double, maximum: Int, _ budget: inout ScheduleBudget) throws(CarePlanError)
        -> Bool
    {
        guard maximum > 1 else { return false }
        let current = start.timeIntervalSinceReferenceDate
        var bound = min(time, limit)
        var offset: Int?
        let length: Double
        switch element.repetition.jump {
        case .none: return false
        case .seconds(let seconds):
            guard element.duration != .allDay else { return false }
            length = Double(seconds)
        case .days(let days):
            length = Double(days) * 86_400
            guard current + 2 * length < bound else { return false }
            let zone = element.calendar.timeZone
            let seconds = zone.secondsFromGMT(for: start)
            // A day that does not begin at midnight is followed by one that does.
            if element.duration == .allDay, (current + Double(seconds)).truncatingRemainder(dividingBy: 86_400) != 0 {
                return false
            }
            if let change = zone.nextDaylightSavingTimeTransition(after: start) {
                bound = min(bound, change.timeIntervalSinceReferenceDate - Self.margin)
            }
            offset = seconds
        }
        if current.rounded(.down) != current { bound = min(bound, current.magnitude.binade * 2) }
        var steps = min(Int(max(0, min(((bound - current) / length).rounded(.up), 1e15))), maximum)
        while steps > 0, current + Double(steps) * length >= bound { steps -= 1 }
        guard steps > 1 else { return false }
        try budget.spend(1)
        let target = Date(timeIntervalSinceReferenceDate: current + Double(steps) * length)
        if let offset, element.calendar.timeZone.secondsFromGMT(for: target) != offset { return false }
        start = target
        index += steps
        return true
    }
}
