import Foundation

extension CareSchedule {
    /// Seconds before the start of a query in which an event of a whole day may start and still overlap it.
    private static let wholeDayReach = 3.0 * 86_400
    /// Number of events that are merged one by one at the end of a search by index.
    private static let mergedEvents = 64

    /// Returns the events that overlap a time.
    ///
    /// - Parameter reason: the error for more events than the limit.
    func events(
        from start: Date, to end: Date, limit: Int, reason: CarePlanError.Reason = .scheduleTooDense,
        _ budget: inout ScheduleBudget
    ) throws(CarePlanError) -> [CareScheduleEvent] {
        guard start < end else { return [] }
        var matches: [CareScheduleEvent] = []
        for (index, element) in elements.enumerated() {
            guard element.start < end, element.end ?? .distantFuture > start else { continue }
            let reach: Double
            switch element.duration {
            case .allDay: reach = Self.wholeDayReach
            case .seconds(let seconds): reach = seconds + 1
            }
            var walker = OccurrenceWalker(element)
            try walker.advance(to: start.addingTimeInterval(-reach), &budget)
            while !walker.hasEnded, walker.start < end {
                let eventEnd = element.end(ofEventAt: walker.start)
                if eventEnd >= start {
                    guard matches.count < limit else { throw CarePlanError(reason, at: "$.schedule") }
                    matches.append(
                        CareScheduleEvent(
                            occurrence: walker.index, start: walker.start, end: eventEnd, element: index))
                }
                try walker.step(&budget)
            }
        }
        guard elements.count > 1 else { return matches }
        matches.sort { ($0.start, $0.element) < ($1.start, $1.element) }
        return try numbered(matches, &budget)
    }

    /// Replaces indices in the elements by indices in the schedule.
    ///
    /// - Parameter matches: events in the order of the schedule.
    private func numbered(_ matches: [CareScheduleEvent], _ budget: inout ScheduleBudget) throws(CarePlanError)
        -> [CareScheduleEvent]
    {
        var walkers = elements.map { OccurrenceWalker($0) }
        var numbered: [CareScheduleEvent] = []
        numbered.reserveCapacity(matches.count)
        for event in matches {
            var occurrence = event.occurrence
            try budget.spend(walkers.count / 16)
            for index in walkers.indices where index != event.element {
                try walkers[index].advance(to: event.start, &budget)
                occurrence += walkers[index].index
                // An event of an earlier element at the same time comes first.
                if index < event.element, !walkers[index].hasEnded, walkers[index].start == event.start {
                    occurrence += 1
                }
            }
            numbered.append(
                CareScheduleEvent(
                    occurrence: occurrence, start: event.start, end: event.end, element: event.element))
        }
        return numbered
    }

    func event(occurrence: Int, _ budget: inout ScheduleBudget) throws(CarePlanError) -> CareScheduleEvent? {
        guard occurrence >= 0 else { return nil }
        var walkers = elements.map { OccurrenceWalker($0) }
        if walkers.count == 1 {
            try walkers[0].advance(toIndex: occurrence, &budget)
            return event(of: walkers, at: 0, occurrence: occurrence)
        }
        var total = 0
        while occurrence - total > Self.mergedEvents {
            guard let skipped = try skip(walkers, total: total, occurrence: occurrence, &budget) else { break }
            (walkers, total) = skipped
        }
        while let first = first(of: walkers) {
            if total == occurrence { return event(of: walkers, at: first, occurrence: occurrence) }
            try budget.spend(walkers.count / 16)
            try walkers[first].step(&budget)
            total += 1
        }
        return nil
    }

    /// Moves all walkers to one time before the event with an index.
    ///
    /// - Parameter total: the number of events before the walkers.
    /// - Returns: the walkers and the number of events before them; nil if no such time was found.
    private func skip(
        _ walkers: [OccurrenceWalker], total: Int, occurrence: Int, _ budget: inout ScheduleBudget
    ) throws(CarePlanError) -> (walkers: [OccurrenceWalker], total: Int)? {
        guard let first = first(of: walkers) else { return nil }
        var rate = 0.0
        for walker in walkers where !walker.hasEnded { rate += 1 / walker.element.repetition.approximateSeconds }
        var seconds = Double(occurrence - total) / rate
        for _ in 0..<40 {
            var trial = walkers
            let date = walkers[first].start.addingTimeInterval(seconds)
            for index in trial.indices { try trial[index].advance(to: date, &budget) }
            let count = trial.reduce(0) { $0 + $1.index }
            if count <= occurrence { return count > total ? (trial, count) : nil }
            seconds /= 2
        }
        return nil
    }

    /// The index of the walker whose event comes first; nil if all have ended.
    private func first(of walkers: [OccurrenceWalker]) -> Int? {
        var first: Int?
        for index in walkers.indices where !walkers[index].hasEnded {
            if let best = first, walkers[best].start <= walkers[index].start { continue }
            first = index
        }
        return first
    }

    private func event(of walkers: [OccurrenceWalker], at index: Int, occurrence: Int) -> CareScheduleEvent? {
        let walker = walkers[index]
        guard !walker.hasEnded else { return nil }
        return CareScheduleEvent(
            occurrence: occurrence, start: walker.start, end: walker.element.end(ofEventAt: walker.start),
            element: index)
    }
}
