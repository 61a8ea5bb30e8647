import Foundation

extension HealthStreamStep {
    /// Begins the step and returns the first effect.
    public mutating func begin() -> Effect {
        guard phase == .ready else { return finish(.idle) }
        if options.work != .changes, state.began == nil { return finish(.idle) }
        switch options.work {
        case .changes where state.began == nil:
            phase = .positioning
            return .position
        case .changes:
            return readChanges()
        case .quarantine:
            reopenHistory()
            let due = state.quarantine.due(for: options.version, limit: readLimit)
            batch.deletions = due.filter(\.isDeletion).map(\.uuid)
            let additions = due.filter { !$0.isDeletion }.map(\.uuid)
            guard !due.isEmpty else { return saveAndFinish(.idle) }
            guard !additions.isEmpty else { return lookUp() }
            phase = .reading(limit: additions.count)
            return .readAgain(additions)
        case .history:
            state.history.extend(to: historyLimit)
            guard !state.history.isDone else { return saveAndFinish(.idle) }
            let limit = readLimit + state.history.settled.count
            phase = .reading(limit: limit)
            return .readHistory(since: state.history.since, upTo: state.history.upTo, limit: limit)
        }
    }

    /// Handles an event and returns the next effect; `nil` if the event does not belong to the current phase.
    public mutating func handle(_ event: Event) -> Effect? {
        switch (phase, event) {
        case (.finished, _), (.ready, _): return nil
        case (.positioning, .locked), (.reading, .locked): return finish(.locked)
        case (.positioning, .sourceFailed(let code)), (.reading, .sourceFailed(let code)):
            return finish(.failed(code: code))
        case (_, .storageFailed(let code)): return finish(.failed(code: code))

        case (.positioning, .positioned(let anchor)):
            guard anchor.map({ $0.bytes.count <= HealthAnchor.longest }) ?? true else {
                return finish(.failed(code: HealthSyncError(.anchorInvalid).code))
            }
            state.anchor = anchor
            state.began = options.now
            state.history.since = historyLimit
            // Without an anchor after the present data, the source returns all data as changes, and there is no
            // history.
            state.history.isDone = anchor == nil
            phase = .saving(isBeginning: true)
            return .save(state)
        case (.saving(isBeginning: true), .done):
            (saved, report.isSaved) = (state, true)
            return readChanges()

        case (.reading(let limit), .batch(let read)): return take(read, limit: limit)
        case (.looking, .known(let known)):
            batch.known = known
            return nextRound()
        case (.recording, .done): return delete()
        case (.deleting, .answered(let answers)):
            for uuid in Array(batch.round.asked.keys) { setDeletion(answers[uuid] ?? .unanswered, for: uuid) }
            return forget()
        case (.forgetting, .done): return fetch()
        case (.fetching, .fetched(let present, let outcomes)):
            takeFetched(present, outcomes)
            return add()
        case (.adding, .answered(let answers)):
            take(answers, at: missing)
            return update()
        case (.updating, .answered(let answers)):
            take(answers, at: updates)
            return endRound()
        case (.saving(isBeginning: false), .done):
            (saved, report.isSaved) = (state, true)
            return finish(report.ending)
        default: return nil
        }
    }

    private var readLimit: Int { max(1, min(options.batch, budget.samples)) }

    private var historyLimit: Double? { state.historyLimit(lookBack: options.lookBack) }

    private mutating func readChanges() -> Effect {
        phase = .reading(limit: readLimit)
        return .readChanges(after: state.anchor, limit: readLimit)
    }

    /// Reopens the history to find quarantined samples that are counted but not named.
    private mutating func reopenHistory() {
        guard let overflow = state.quarantine.overflow, state.quarantine.reopensHistory(for: options.version)
        else { return }
        state.quarantine.overflow = nil
        state.history.upTo = nil
        state.history.settled = []
        state.history.isDone = false
        if let since = state.history.since { state.history.since = min(since, overflow.oldest) }
    }

    private mutating func take(_ read: SampleBatch, limit: Int) -> Effect {
        guard read.added.count <= limit, (read.anchor?.bytes.count ?? 0) <= HealthAnchor.longest else {
            return finish(.failed(code: HealthSyncError(.sourceExceedsLimit).code))
        }
        batch.isEmpty = read.deleted.isEmpty && read.added.isEmpty
        batch.hasMore = read.hasMore
        batch.anchor = read.anchor
        switch options.work {
        case .changes: takeChanges(read)
        case .quarantine: takeAgain(read)
        case .history: takeHistory(read)
        }
        return lookUp()
    }

    private mutating func takeChanges(_ read: SampleBatch) {
        var seen = Set<UUID>(minimumCapacity: read.deleted.count + read.added.count)
        batch.deletions = read.deleted.filter { seen.insert($0).inserted }
        // Identifiers of samples are not reused: a sample that a batch both adds and deletes was added first.
        batch.setAdditions(
            read.added.filter { seen.insert($0.uuid).inserted && !state.settled.contains($0.uuid) })
    }

    private mutating func takeAgain(_ read: SampleBatch) {
        let due = state.quarantine.due(for: options.version, limit: readLimit).filter { !$0.isDeletion }.map(\.uuid)
        var wanted = Set(due)
        batch.setAdditions(read.added.filter { wanted.remove($0.uuid) != nil })
        // The source does not have these samples any more.
        for uuid in wanted { state.quarantine.named[uuid] = nil }
        batch.hasMore = false
    }

    private mutating func takeHistory(_ read: SampleBatch) {
        let history = state.history
        for candidate in read.added { batch.ends[candidate.uuid] = candidate.end }
        var seen = history.settled
        let candidates = read.added.filter { candidate in
            candidate.end <= history.upTo ?? .infinity && candidate.end >= history.since ?? -.infinity
                && seen.insert(candidate.uuid).inserted
        }
        batch.setAdditions(
            candidates.sorted { $0.end == $1.end ? $0.uuid.uuidString < $1.uuid.uuidString : $0.end > $1.end })
    }

    private mutating func lookUp() -> Effect {
        guard !batch.deletions.isEmpty else { return nextRound() }
        phase = .looking
        return .lookUp(batch.deletions)
    }

    // MARK: - One round

    mutating func nextRound() -> Effect {
        batch.round = BatchRound()
        chooseDeletions()
        chooseAdditions()
        guard !batch.round.isEmpty else { return endBatch() }
        let entries = batch.round.indexes.compactMap { index in
            let candidate = batch.additions[index]
            return candidate.target.map { IndexEntry(uuid: candidate.uuid, target: $0) }
        }
        guard !entries.isEmpty else { return delete() }
        phase = .recording
        return .record(entries)
    }

    private mutating func chooseDeletions() {
        for uuid in batch.deletions where !batch.settledDeletions.contains(uuid) {
            let known = batch.known[uuid]
            let isSettled = known == nil && (!options.findsUnknown || state.settled.contains(uuid))
            if isSettled {
                batch.settledDeletions.insert(uuid)
                state.quarantine.named[uuid] = nil
            } else if budget.samples > 0 {
                budget.take(samples: 1, bytes: 0)
                report.samples += 1
                batch.round.deletions[uuid] = .some(known?.target)
            }
        }
    }

    private mutating func chooseAdditions() {
        let isReached = batch.deletions.allSatisfy {
            batch.settledDeletions.contains($0) || batch.round.deletions.keys.contains($0)
        }
        guard isReached else { return }
        let count = min(batch.additions.count, max(budget.samples, 0))
        var firstOfTarget = [HealthTarget: Int](minimumCapacity: options.identity == .sample ? 0 : count)
        batch.round.outcomes = Array(repeating: nil, count: batch.additions.count)
        batch.round.indexes.reserveCapacity(count)
        batch.round.firsts.reserveCapacity(count)
        for index in batch.additions.indices where !batch.isSettled[index] {
            let bytes = batch.additions[index].bytes
            guard budget.samples > 0, budget.bytes >= bytes || budget.isWhole else { break }
            budget.take(samples: 1, bytes: bytes)
            report.samples += 1
            report.bytes += bytes
            batch.round.indexes.append(index)
            switch batch.additions[index].form {
            case .unconvertible(let reason): set(.refused(code: reason), at: index)
            case .unwanted: set(.declined, at: index)
            case .resource(let target, _):
                guard options.identity == .content else {
                    batch.round.firsts.append(index)
                    continue
                }
                let first = firstOfTarget[target, default: index]
                if first == index {
                    firstOfTarget[target] = index
                    batch.round.firsts.append(index)
                } else {
                    batch.round.others[first, default: []].append(index)
                }
            }
        }
    }

    // A resource is deleted with the last of its samples:
    // 1. Samples that are deleted in this round do not count.
    // 2. Samples that are added in the same round count: they are in the index already.
    // 3. If several samples of one resource are deleted, the store gets one request for all of them.
    private mutating func delete() -> Effect {
        guard !batch.round.deletions.isEmpty else { return forget() }
        var gone: [HealthTarget: [UUID]] = [:]
        var asked: [UUID: HealthTarget?] = [:]
        for (uuid, target) in batch.round.deletions {
            guard let target, options.identity == .content else {
                asked[uuid] = .some(target)
                batch.round.asked[uuid] = [uuid]
                continue
            }
            gone[target, default: []].append(uuid)
        }
        let coming = Set(batch.round.indexes.compactMap { batch.additions[$0].target })
        let before = deletedEarlier()
        for (target, uuids) in gone {
            let count = uuids.compactMap { batch.known[$0]?.count }.max() ?? 0
            if count <= before[target, default: 0] + uuids.count, !coming.contains(target) {
                let first = uuids.min { $0.uuidString < $1.uuidString } ?? uuids[0]
                asked[first] = .some(target)
                batch.round.asked[first] = uuids
            } else {
                for uuid in uuids { batch.round.deleted[uuid] = .stored }
            }
        }
        guard !asked.isEmpty else { return forget() }
        phase = .deleting
        return .delete(asked)
    }

    /// Returns how many samples of each resource the earlier rounds of this batch removed since the index was read.
    private func deletedEarlier() -> [HealthTarget: Int] {
        var gone: [HealthTarget: Int] = [:]
        for (uuid, sample) in batch.known where batch.settledDeletions.contains(uuid) {
            gone[sample.target, default: 0] += 1
        }
        return gone
    }

    private mutating func forget() -> Effect {
        let gone = batch.round.deletions.keys.filter { uuid in
            guard batch.known[uuid] != nil else { return false }
            return batch.round.deleted[uuid] == .stored || batch.round.deleted[uuid] == .declined
        }
        guard !gone.isEmpty else { return fetch() }
        phase = .forgetting
        return .forget(gone.sorted { $0.uuidString < $1.uuidString })
    }

    private mutating func fetch() -> Effect {
        // Deletions are first: nothing follows while the store defers one.
        guard batch.held == nil, !batch.round.firsts.isEmpty else { return endRound() }
        phase = .fetching
        return .fetch(uuids(at: batch.round.firsts))
    }

    private func uuids(at indexes: [Int]) -> [UUID] { indexes.map { batch.additions[$0].uuid } }

    private mutating func takeFetched(_ present: Set<UUID>, _ outcomes: [UUID: HealthOutcome]) {
        guard !present.isEmpty || !outcomes.isEmpty else { return }
        for index in batch.round.firsts {
            let uuid = batch.additions[index].uuid
            if present.contains(uuid) {
                batch.round.present.insert(index)
            } else if let outcome = outcomes[uuid] {
                set(outcome, at: index)
            }
        }
    }

    /// Samples that the store does not have and that have no outcome.
    private var missing: [Int] {
        batch.round.firsts.filter { batch.round.outcomes[$0] == nil && !batch.round.present.contains($0) }
    }

    private mutating func add() -> Effect {
        let missing = missing
        guard !missing.isEmpty else { return update() }
        phase = .adding
        return .add(uuids(at: missing))
    }

    /// Samples that the store has, and samples of the same resource as one that it now has.
    private var updates: [Int] {
        let round = batch.round
        guard !round.present.isEmpty || !round.others.isEmpty else { return [] }
        return round.firsts.flatMap { first -> [Int] in
            let isPresent = round.present.contains(first)
            let others = isPresent || round.outcomes[first] == .stored ? round.others[first] ?? [] : []
            return (isPresent ? [first] : []) + others
        }
    }

    private mutating func update() -> Effect {
        // A refusal applies to all samples of the resource; a refusal by the app applies to the one sample only.
        for (first, others) in batch.round.others {
            guard let outcome = batch.round.outcomes[first], case .refused = outcome else { continue }
            for index in others { set(outcome, at: index) }
        }
        let updates = updates
        guard !updates.isEmpty, batch.held == nil || batch.round.hasStored else { return endRound() }
        phase = .updating
        return .update(uuids(at: updates))
    }

    // MARK: - Outcomes

    private mutating func take(_ answers: StoreAnswers<HealthOutcome>, at indexes: [Int]) {
        for index in indexes { set(answers[batch.additions[index].uuid] ?? .unanswered, at: index) }
    }

    private mutating func set(_ outcome: HealthOutcome, at index: Int) {
        hold(outcome)
        batch.round.outcomes[index] = outcome
    }

    /// Sets the outcome of a deletion for all samples of the same resource.
    private mutating func setDeletion(_ outcome: HealthOutcome, for uuid: UUID) {
        hold(outcome)
        for uuid in batch.round.asked[uuid] ?? [uuid] { batch.round.deleted[uuid] = outcome }
    }

    private mutating func hold(_ outcome: HealthOutcome) {
        guard case .deferred(let code, let retryAfter) = outcome else { return }
        batch.hold(code, retryAfter.map { $0.isNaN ? 0 : min(max($0, 0), HealthOutcome.longestDelay) })
    }
}
