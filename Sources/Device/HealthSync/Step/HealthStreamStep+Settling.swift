import Foundation

extension HealthStreamStep {
    /// The code of work that was not done because the time of the wake was over. It is no failure of the store.
    public static let timeOverCode = "time-over"

    /// Records the outcomes of a round, then begins another round if there was progress and samples are left.
    mutating func endRound() -> Effect {
        let round = batch.round
        var progress = false
        for uuid in round.deletions.keys {
            guard let outcome = round.deleted[uuid] else { continue }
            switch outcome {
            case .stored: report.deleted += 1
            case .refused(let code):
                guard quarantine(uuid, for: code, isDeletion: true, end: nil) else { continue }
            case .declined: report.declined += 1
            case .deferred: continue
            }
            if isGone(outcome), !state.quarantine.named.isEmpty { state.quarantine.named[uuid] = nil }
            batch.settledDeletions.insert(uuid)
            progress = true
        }
        let updated = round.present.union(round.others.values.joined())
        for index in round.indexes {
            guard let outcome = round.outcomes[index] else { continue }
            let (uuid, end) = (batch.additions[index].uuid, batch.additions[index].end)
            switch outcome {
            case .stored:
                if updated.contains(index) { report.updated += 1 } else { report.added += 1 }
                state.lastSample = max(state.lastSample ?? end, end)
            case .refused(let code): _ = quarantine(uuid, for: code, isDeletion: false, end: end)
            case .declined: report.declined += 1
            case .deferred: continue
            }
            if isGone(outcome), !state.quarantine.named.isEmpty { state.quarantine.named[uuid] = nil }
            batch.settle(at: index)
            progress = true
        }
        guard progress, batch.held == nil, batch.blocked == nil, batch.open > 0 else { return endBatch() }
        return nextRound()
    }

    private func isGone(_ outcome: HealthOutcome) -> Bool {
        switch outcome {
        case .stored, .declined: true
        case .refused, .deferred: false
        }
    }

    private mutating func quarantine(_ uuid: UUID, for reason: String, isDeletion: Bool, end: Double?) -> Bool {
        let entry = HealthQuarantine.Entry(
            uuid: uuid, reason: reason, isDeletion: isDeletion, version: options.version)
        guard state.quarantine.insert(entry, end: end) else {
            batch.blocked = HealthSyncError(.quarantineFull).code
            return false
        }
        report.quarantined += 1
        return true
    }

    /// Moves the anchor or the history past the settled samples, and saves the state if it changed.
    mutating func endBatch() -> Effect {
        report.waiting = batch.open
        var ending = HealthStepReport.Ending.idle
        if let blocked = batch.blocked {
            ending = .failed(code: blocked)
        } else if let held = batch.held {
            ending = .held(code: held.code, retryAfter: held.retryAfter)
        } else if batch.open > 0 {
            ending = .full
        } else if batch.hasMore {
            ending = .more
        }
        switch options.work {
        case .changes:
            state.waitingChanges = batch.open
            if let failure = moveAnchor() { ending = .failed(code: failure) }
        case .history:
            state.history.waiting = batch.open
            if let failure = moveHistory() { ending = .failed(code: failure) }
        case .quarantine: if ending == .idle, state.quarantine.isDue(for: options.version) { ending = .more }
        }
        recordHold()
        return saveAndFinish(ending)
    }

    /// - Returns: the code of the source's error, if any.
    private mutating func moveAnchor() -> String? {
        let anchor = batch.anchor ?? state.anchor
        let isElsewhere = anchor != state.anchor
        guard batch.open == 0 else {
            let unknown = batch.deletions.filter {
                options.findsUnknown && batch.known[$0] == nil && batch.settledDeletions.contains($0)
            }
            for uuid in batch.settled + unknown where state.settled.count < HealthStreamState.settledLimit {
                state.settled.insert(uuid)
            }
            return nil
        }
        // A source without changes may return a new anchor, which is not worth a write.
        if batch.isEmpty, !batch.hasMore { return nil }
        guard isElsewhere else {
            // The source would return the same samples forever; the settled ones are recorded, so that they cost
            // nothing.
            for candidate in batch.additions where state.settled.count < HealthStreamState.settledLimit {
                state.settled.insert(candidate.uuid)
            }
            return batch.hasMore ? HealthSyncError(.sourceRepeats).code : nil
        }
        // An anchor that moves without any samples counts as work, so that an endless series of them ends the run.
        if batch.isEmpty { report.samples += 1 }
        state.anchor = anchor
        state.settled = []
        return nil
    }

    /// - Returns: the code of the source's error, if any.
    private mutating func moveHistory() -> String? {
        let settled = state.history.settled.union(batch.settled)
        if batch.additions.isEmpty, batch.hasMore { return HealthSyncError(.sourceRepeats).code }
        // Samples that the source did not return again ended earlier or do not exist any more.
        func end(_ uuid: UUID) -> Double { batch.ends[uuid] ?? -.greatestFiniteMagnitude }
        if let index = batch.isSettled.firstIndex(of: false) {
            let upTo = batch.additions[index].end
            state.history.upTo = upTo
            state.history.settled = settled.filter { end($0) <= upTo }
        } else if batch.hasMore, let last = batch.additions.last {
            state.history.upTo = last.end
            state.history.settled = settled.filter { end($0) <= last.end }
        } else {
            if let last = batch.additions.last { state.history.upTo = last.end }
            state.history.settled = []
            state.history.isDone = true
        }
        guard state.history.settled.count <= HealthStreamState.settledLimit else {
            state.history = saved.history
            return HealthSyncError(.historyCrowded).code
        }
        return nil
    }

    private mutating func recordHold() {
        let hasStored = report.added + report.updated + report.deleted > 0
        // Nothing is left that the store deferred, for example because the person deleted it.
        let isDone =
            batch.held == nil && batch.open == 0 && state.history.isDone
            && !state.quarantine.isDue(for: options.version)
        if hasStored || isDone { state.hold = nil }
        guard let held = batch.held, held.code != Self.timeOverCode else { return }
        state.hold = HealthStoreHold(
            failures: min((state.hold?.failures ?? 0) + 1, 1_000),
            notBefore: held.retryAfter.flatMap { $0 > 0 ? options.now + $0 : nil })
    }

    mutating func saveAndFinish(_ ending: HealthStepReport.Ending) -> Effect {
        report.ending = ending
        guard state != saved || (!report.isSaved && ending != .more) else { return finish(ending) }
        if options.savesLater, ending == .more {
            (saved, report.isSaved) = (state, false)
            return finish(ending)
        }
        phase = .saving(isBeginning: false)
        return .save(state)
    }

    /// Ends a step that cannot continue.
    mutating func abandon(_ code: String) -> HealthStepReport {
        _ = finish(.failed(code: code))
        return report
    }

    /// Ends the step with the saved state. Work that is not part of that state is repeated.
    mutating func finish(_ ending: HealthStepReport.Ending) -> Effect {
        phase = .finished
        report.ending = ending
        report.state = saved
        report.hasHistory =
            SyncScheduler.StreamStatus(stream, saved, version: options.version, lookBack: options.lookBack).hasHistory
        return .finish(report)
    }
}
