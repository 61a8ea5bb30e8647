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
            portion.deletions = due.filter(\.isDeletion).map(\.uuid)
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

        case (.reading(let limit), .portion(let read)): return take(read, limit: limit)
        case (.looking, .known(let known)):
            portion.known = known
            return nextRound()
        case (.noting, .done): return delete()
        case (.deleting, .answered(let answers)):
            for uuid in Array(portion.round.asked.keys) { setDeletion(answers[uuid] ?? .unanswered, for: uuid) }
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

    private var readLimit: Int { max(1, min(options.batch, room.samples)) }

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

    private mutating func take(_ read: HealthPortion, limit: Int) -> Effect {
        guard read.added.count <= limit, (read.anchor?.bytes.count ?? 0) <= HealthAnchor.longest else {
            return finish(.failed(code: HealthSyncError(.sourceExceedsLimit).code))
        }
        portion.isEmpty = read.deleted.isEmpty && read.added.isEmpty
        portion.hasMore = read.hasMore
        portion.anchor = read.anchor
        switch options.work {
        case .changes: takeChanges(read)
        case .quarantine: takeAgain(read)
        case .history: takeHistory(read)
        }
        return lookUp()
    }

    private mutating func takeChanges(_ read: HealthPortion) {
        var seen = Set<UUID>(minimumCapacity: read.deleted.count + read.added.count)
        portion.deletions = read.deleted.filter { seen.insert($0).inserted }
        // Identifiers of samples are not reused: a sample that a batch both adds and deletes was added first.
        portion.setAdditions(
            read.added.filter { seen.insert($0.uuid).inserted && !state.settled.contains($0.uuid) })
    }

    private mutating func takeAgain(_ read: HealthPortion) {
        let due = state.quarantine.due(for: options.version, limit: readLimit).filter { !$0.isDeletion }.map(\.uuid)
        var wanted = Set(due)
        portion.setAdditions(read.added.filter { wanted.remove($0.uuid) != nil })
        // The source does not have these samples any more.
        for uuid in wanted { state.quarantine.named[uuid] = nil }
        portion.hasMore = false
    }

    private mutating func takeHistory(_ read: HealthPortion) {
        let history = state.history
        for offer in read.added { portion.ends[offer.uuid] = offer.end }
        var seen = history.settled
        let offers = read.added.filter { offer in
            offer.end <= history.upTo ?? .infinity && offer.end >= history.since ?? -.infinity
                && seen.insert(offer.uuid).inserted
        }
        portion.setAdditions(
            offers.sorted { $0.end == $1.end ? $0.uuid.uuidString < $1.uuid.uuidString : $0.end > $1.end })
    }

    private mutating func lookUp() -> Effect {
        guard !portion.deletions.isEmpty else { return nextRound() }
        phase = .looking
        return .lookUp(portion.deletions)
    }

    // MARK: - One round

    mutating func nextRound() -> Effect {
        portion.round = PortionRound()
        chooseDeletions()
        chooseAdditions()
        guard !portion.round.isEmpty else { return endPortion() }
        let notes = portion.round.places.compactMap { place in
            let offer = portion.additions[place]
            return offer.target.map { HealthNote(uuid: offer.uuid, target: $0) }
        }
        guard !notes.isEmpty else { return delete() }
        phase = .noting
        return .note(notes)
    }

    private mutating func chooseDeletions() {
        for uuid in portion.deletions where !portion.settledDeletions.contains(uuid) {
            let known = portion.known[uuid]
            let isSettled = known == nil && (!options.findsUnknown || state.settled.contains(uuid))
            if isSettled {
                portion.settledDeletions.insert(uuid)
                state.quarantine.named[uuid] = nil
            } else if room.samples > 0 {
                room.take(samples: 1, bytes: 0)
                report.samples += 1
                portion.round.deletions[uuid] = .some(known?.target)
            }
        }
    }

    private mutating func chooseAdditions() {
        let isReached = portion.deletions.allSatisfy {
            portion.settledDeletions.contains($0) || portion.round.deletions.keys.contains($0)
        }
        guard isReached else { return }
        let count = min(portion.additions.count, max(room.samples, 0))
        var firstOfTarget = [HealthTarget: Int](minimumCapacity: options.identity == .sample ? 0 : count)
        portion.round.outcomes = Array(repeating: nil, count: portion.additions.count)
        portion.round.places.reserveCapacity(count)
        portion.round.firsts.reserveCapacity(count)
        for place in portion.additions.indices where !portion.isSettled[place] {
            let bytes = portion.additions[place].bytes
            guard room.samples > 0, room.bytes >= bytes || room.isWhole else { break }
            room.take(samples: 1, bytes: bytes)
            report.samples += 1
            report.bytes += bytes
            portion.round.places.append(place)
            switch portion.additions[place].form {
            case .unconvertible(let reason): set(.refused(code: reason), at: place)
            case .unwanted: set(.declined, at: place)
            case .resource(let target, _):
                guard options.identity == .content else {
                    portion.round.firsts.append(place)
                    continue
                }
                let first = firstOfTarget[target, default: place]
                if first == place {
                    firstOfTarget[target] = place
                    portion.round.firsts.append(place)
                } else {
                    portion.round.others[first, default: []].append(place)
                }
            }
        }
    }

    // A resource is deleted with the last of its samples:
    // 1. Samples that are deleted in this round do not count.
    // 2. Samples that are added in the same round count: they are in the index already.
    // 3. If several samples of one resource are deleted, the store gets one request for all of them.
    private mutating func delete() -> Effect {
        guard !portion.round.deletions.isEmpty else { return forget() }
        var gone: [HealthTarget: [UUID]] = [:]
        var asked: [UUID: HealthTarget?] = [:]
        for (uuid, target) in portion.round.deletions {
            guard let target, options.identity == .content else {
                asked[uuid] = .some(target)
                portion.round.asked[uuid] = [uuid]
                continue
            }
            gone[target, default: []].append(uuid)
        }
        let coming = Set(portion.round.places.compactMap { portion.additions[$0].target })
        let before = goneBefore()
        for (target, uuids) in gone {
            let count = uuids.compactMap { portion.known[$0]?.count }.max() ?? 0
            if count <= before[target, default: 0] + uuids.count, !coming.contains(target) {
                let first = uuids.min { $0.uuidString < $1.uuidString } ?? uuids[0]
                asked[first] = .some(target)
                portion.round.asked[first] = uuids
            } else {
                for uuid in uuids { portion.round.deleted[uuid] = .stored }
            }
        }
        guard !asked.isEmpty else { return forget() }
        phase = .deleting
        return .delete(asked)
    }

    /// Returns how many samples of each resource the earlier rounds of this batch removed since the index was read.
    private func goneBefore() -> [HealthTarget: Int] {
        var gone: [HealthTarget: Int] = [:]
        for (uuid, sample) in portion.known where portion.settledDeletions.contains(uuid) {
            gone[sample.target, default: 0] += 1
        }
        return gone
    }

    private mutating func forget() -> Effect {
        let gone = portion.round.deletions.keys.filter { uuid in
            guard portion.known[uuid] != nil else { return false }
            return portion.round.deleted[uuid] == .stored || portion.round.deleted[uuid] == .declined
        }
        guard !gone.isEmpty else { return fetch() }
        phase = .forgetting
        return .forget(gone.sorted { $0.uuidString < $1.uuidString })
    }

    private mutating func fetch() -> Effect {
        // Deletions are first: nothing follows while the store defers one.
        guard portion.held == nil, !portion.round.firsts.isEmpty else { return endRound() }
        phase = .fetching
        return .fetch(uuids(at: portion.round.firsts))
    }

    private func uuids(at places: [Int]) -> [UUID] { places.map { portion.additions[$0].uuid } }

    private mutating func takeFetched(_ present: Set<UUID>, _ outcomes: [UUID: HealthOutcome]) {
        guard !present.isEmpty || !outcomes.isEmpty else { return }
        for place in portion.round.firsts {
            let uuid = portion.additions[place].uuid
            if present.contains(uuid) {
                portion.round.present.insert(place)
            } else if let outcome = outcomes[uuid] {
                set(outcome, at: place)
            }
        }
    }

    /// Samples that the store does not have and that have no outcome.
    private var missing: [Int] {
        portion.round.firsts.filter { portion.round.outcomes[$0] == nil && !portion.round.present.contains($0) }
    }

    private mutating func add() -> Effect {
        let missing = missing
        guard !missing.isEmpty else { return update() }
        phase = .adding
        return .add(uuids(at: missing))
    }

    /// Samples that the store has, and samples of the same resource as one that it now has.
    private var updates: [Int] {
        let round = portion.round
        guard !round.present.isEmpty || !round.others.isEmpty else { return [] }
        return round.firsts.flatMap { first -> [Int] in
            let isThere = round.present.contains(first)
            let others = isThere || round.outcomes[first] == .stored ? round.others[first] ?? [] : []
            return (isThere ? [first] : []) + others
        }
    }

    private mutating func update() -> Effect {
        // A refusal applies to all samples of the resource; a refusal by the app applies to the one sample only.
        for (first, others) in portion.round.others {
            guard let outcome = portion.round.outcomes[first], case .refused = outcome else { continue }
            for place in others { set(outcome, at: place) }
        }
        let updates = updates
        guard !updates.isEmpty, portion.held == nil || portion.round.hasStored else { return endRound() }
        phase = .updating
        return .update(uuids(at: updates))
    }

    // MARK: - Outcomes

    private mutating func take(_ answers: StoreAnswers<HealthOutcome>, at places: [Int]) {
        for place in places { set(answers[portion.additions[place].uuid] ?? .unanswered, at: place) }
    }

    private mutating func set(_ outcome: HealthOutcome, at place: Int) {
        hold(outcome)
        portion.round.outcomes[place] = outcome
    }

    /// Sets the outcome of a deletion for all samples of the same resource.
    private mutating func setDeletion(_ outcome: HealthOutcome, for uuid: UUID) {
        hold(outcome)
        for uuid in portion.round.asked[uuid] ?? [uuid] { portion.round.deleted[uuid] = outcome }
    }

    private mutating func hold(_ outcome: HealthOutcome) {
        guard case .kept(let code, let retryAfter) = outcome else { return }
        portion.hold(code, retryAfter.map { $0.isNaN ? 0 : min(max($0, 0), HealthOutcome.longestDelay) })
    }
}
