import Core

extension SyncScheduler {
    /// Handles an event and returns the next effects, in order.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .asked(let request):
            guard !isStopped else { return [.answer([request.id], HealthSyncReport(code: "stopped"))] }
            waiting.append(request)
            return wait()
        case .resetAsked(let id, let streams):
            resets.append((id, streams))
            return phase == .idle ? nextRun() : []
        case .abandoned(let id): return abandon(id)
        case .observerFailed(let id, let code): return [.answer([id], HealthSyncReport(code: code))]
        case .start(let types):
            isStopped = false
            // A query runs once: the old observers are stopped, and new ones are made.
            defer { isObserving = true }
            return (isObserving ? [.stopObserving] : []) + [.startObserving(types)]
        case .stop: return stop()
        case .timeOver(let number): return number == clock ? timeOver() : []

        case .began(let statuses, let now, let random):
            guard phase == .gathering else { return phase == .winding ? nextRun() : [] }
            begin(statuses, now: now, random: random)
            return next()
        case .stepped(let step): return stepped(step)
        case .backlog(let count):
            guard case .asking(let stream) = phase else { return phase == .winding ? nextRun() : [] }
            if count == 0 { return step(stream, .history) }
            run.crowded.insert(stream.store)
            return next()
        case .forgot(let code):
            guard phase == .forgetting else { return [] }
            let ids = resetting
            resetting = []
            return [.answer(ids, HealthSyncReport(code: code))] + nextRun()
        }
    }

    // MARK: - Scheduling

    /// Begins a run for the pending requests, at once if possible. A clock limits their wait for a run that winds down.
    private mutating func wait() -> [Effect] {
        if phase == .idle { return nextRun() }
        guard phase == .winding, waiting.count == 1 else { return [] }
        return [startClock()]
    }

    private mutating func startClock() -> Effect {
        clock += 1
        return .startClock(run: clock)
    }

    private mutating func nextRun() -> [Effect] {
        phase = .idle
        if !resets.isEmpty {
            phase = .forgetting
            resetting = resets.map(\.id)
            let streams = Set(resets.flatMap(\.streams))
            resets = []
            unfinished.subtract(streams)
            return [.forget(streams.sorted())]
        }
        guard !waiting.isEmpty else { return [] }
        (current, waiting) = (waiting, [])
        phase = .gathering
        return [startClock(), .gather]
    }

    private mutating func abandon(_ id: Int) -> [Effect] {
        let isPending = (current + waiting).contains { $0.id == id }
        guard isPending else { return [] }
        current.removeAll { $0.id == id }
        waiting.removeAll { $0.id == id }
        return [.answer([id], HealthSyncReport(code: "abandoned"))]
    }

    private mutating func timeOver() -> [Effect] {
        switch phase {
        case .idle, .forgetting: return []
        case .gathering, .asking, .stepping:
            return windDown("time-over") + (waiting.isEmpty ? [] : [startClock()])
        case .winding:
            // The step did not end in time: the pending requests are answered without a run.
            let ids = waiting.map(\.id)
            waiting = []
            return ids.isEmpty ? [] : [.answer(ids, HealthSyncReport(code: "time-over"))]
        }
    }

    private mutating func stop() -> [Effect] {
        isStopped = true
        isObserving = false
        let ids = waiting.map(\.id)
        waiting = []
        let answers: [Effect] = ids.isEmpty ? [] : [.answer(ids, HealthSyncReport(code: "stopped"))]
        switch phase {
        case .idle, .forgetting, .winding: return answers + [.stopObserving]
        case .gathering, .asking, .stepping: return windDown("stopped") + answers + [.stopObserving]
        }
    }

    /// Answers the requests of the run and cancels its step. The next run begins when the step has ended.
    private mutating func windDown(_ code: String) -> [Effect] {
        if phase == .gathering { run = HealthRun() }
        run.report.hasMore = true
        phase = .winding
        return answer(code) + [.cancelStep]
    }

    private mutating func answer(_ code: String? = nil) -> [Effect] {
        let ids = current.map(\.id)
        current = []
        run.report.code = code
        run.report.hasMore =
            run.report.hasMore || !run.changes.isEmpty || !run.due.isEmpty || !run.hasHistory.isEmpty
        unfinished.formUnion(run.changes)
        var effects: [Effect] = ids.isEmpty ? [] : [.answer(ids, run.report)]
        if !isStopped { effects += askToWake() }
        return effects
    }

    // MARK: - A run

    private mutating func begin(_ statuses: [StreamStatus], now: Double, random: Double) {
        run = HealthRun()
        run.budget = WakeBudget(samples: limits.samples, bytes: limits.bytes)
        // Low Power Mode in one request applies to all.
        run.isLowPower = current.contains(where: \.isLowPower)
        let asked = current.contains { $0.types == nil } ? nil : Set(current.flatMap { $0.types ?? [] })
        for status in statuses {
            if let hold = status.hold, hold.isClosed(at: now), let notBefore = hold.notBefore {
                recordHold(status.stream.store, failures: hold.failures, retryAfter: notBefore - now)
            }
        }
        // The order of the streams is rotated at random: otherwise the last ones would starve when there is much work.
        let count = statuses.count
        let first = count == 0 ? 0 : min(max(Int(random * Double(count)), 0), count - 1)
        for status in statuses[first...] + statuses[..<first] {
            if let failure = status.failure {
                run.report.change(status.stream) { $0.code = failure }
                continue
            }
            let isNamed = asked?.contains(status.stream.type) ?? true
            if isNamed, !isOpen(status.stream) {
                run.report.change(status.stream) { $0.code = "retry-later" }
            }
            if isNamed || unfinished.contains(status.stream) || status.hold != nil {
                run.changes.append(status.stream)
            }
            if status.hasDue { run.due.append(status.stream) }
            if status.hasHistory { run.hasHistory.insert(status.stream) }
        }
        unfinished.subtract(run.changes)
        run.history = (statuses[first...] + statuses[..<first]).map(\.stream).filter(run.hasHistory.contains)
    }

    private mutating func recordHold(_ store: String, failures: Int, retryAfter: Double) {
        let old = run.held[store]
        run.held[store] = (max(old?.failures ?? 0, failures), max(old?.retryAfter ?? 0, retryAfter))
    }

    private func isOpen(_ stream: HealthStream) -> Bool { run.held[stream.store] == nil }

    /// Returns the next step of the run, or its end.
    private mutating func next() -> [Effect] {
        guard !run.isLocked, !run.budget.isUsedUp else { return endRun() }
        if let stream = run.changes.first(where: isOpen) { return step(stream, .changes) }
        if let stream = run.due.first(where: isOpen) { return step(stream, .quarantine) }
        guard !run.isLowPower else { return endRun() }
        guard let stream = run.history.first(where: { isOpen($0) && !run.crowded.contains($0.store) })
        else { return endRun() }
        // Sealed samples are part of the backlog too, so the store is asked before each batch.
        phase = .asking(stream)
        return [.askBacklog(store: stream.store)]
    }

    private mutating func step(_ stream: HealthStream, _ work: HealthStreamStep.Work) -> [Effect] {
        phase = .stepping
        return [.step(stream, work, run.budget)]
    }

    private mutating func stepped(_ step: HealthStepReport) -> [Effect] {
        guard phase == .stepping || phase == .winding else { return [] }
        let stream = step.stream
        run.report.count(step)
        run.budget.take(samples: step.samples, bytes: step.bytes)
        switch step.ending {
        case .idle:
            remove(stream, step.work)
            if step.work == .history || !step.hasHistory {
                remove(stream, .history)
                run.hasHistory.remove(stream)
            }
        case .more:
            // The other streams are processed first.
            remove(stream, step.work)
            append(stream, step.work)
        case .full: run.budget.samples = 0
        case .held(_, let retryAfter):
            recordHold(stream.store, failures: step.state.hold?.failures ?? 1, retryAfter: retryAfter ?? 0)
        case .locked:
            run.isLocked = true
            run.report.isLocked = true
        case .failed:
            for work in HealthStreamStep.Work.allCases { remove(stream, work) }
            run.hasHistory.remove(stream)
            unfinished.insert(stream)
        }
        if phase == .winding {
            unfinished.formUnion(run.changes)
            return nextRun()
        }
        return next()
    }

    private mutating func remove(_ stream: HealthStream, _ work: HealthStreamStep.Work) {
        switch work {
        case .changes: run.changes.removeAll { $0 == stream }
        case .quarantine: run.due.removeAll { $0 == stream }
        case .history: run.history.removeAll { $0 == stream }
        }
    }

    private mutating func append(_ stream: HealthStream, _ work: HealthStreamStep.Work) {
        switch work {
        case .changes: run.changes.append(stream)
        case .quarantine: run.due.append(stream)
        case .history: run.history.append(stream)
        }
    }

    private mutating func endRun() -> [Effect] { answer() + nextRun() }

    /// Returns the effect that schedules the remaining work. The delay is short if only the budget was used up. If a
    /// store deferred samples, it is an exponential delay with full jitter, so that devices that failed together do not
    /// retry together.
    private func askToWake() -> [Effect] {
        guard run.report.hasMore else { return [] }
        guard let worst = run.held.values.max(by: { $0.failures < $1.failures }) else {
            // Work that is left for another reason can hardly be done at once.
            let isSoon = run.budget.isUsedUp || run.report.code != nil
            return [.askToWake(atLeast: isSoon ? 0 : limits.longestDelay / 4, spread: limits.firstDelay)]
        }
        let spread = ExponentialBackoff(first: limits.firstDelay, longest: limits.longestDelay)
            .delay(afterFailures: min(worst.failures, 64))
        let atLeast = run.held.values.map(\.retryAfter).min() ?? 0
        return [.askToWake(atLeast: atLeast, spread: spread)]
    }
}
