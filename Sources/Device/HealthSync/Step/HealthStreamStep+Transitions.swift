import Foundation

extension HealthStreamStep {
    /// Begins the step: the first thing to do.
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

    /// Takes an event and says what to do next; `nil` if the event does not belong to what is under way.
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
            // Without a place behind what is there, everything comes by the anchor.
            state.history.isDone = anchor == nil
            phase = .saving(isBeginning: true)
            return .save(state)
        case (.saving(isBeginning: true), .done):
            saved = state
            return readChanges()

        case (.reading(let limit), .portion(let read)): return take(read, limit: limit)
        case (.looking, .known(let known)):
            portion.known = known
            return nextRound()
        case (.noting, .done): return delete()
        case (.deleting, .answered(let outcomes)):
            take(outcomes, for: Array(portion.round.asked.keys))
            return forget()
        case (.forgetting, .done): return fetch()
        case (.fetching, .fetched(let present, let outcomes)):
            portion.round.present = present.intersection(portion.round.firsts)
            for uuid in portion.round.firsts where !portion.round.present.contains(uuid) {
                if let outcome = outcomes[uuid] { set(outcome, for: uuid) }
            }
            return add()
        case (.adding, .answered(let outcomes)):
            take(outcomes, for: missing)
            return update()
        case (.updating, .answered(let outcomes)):
            take(outcomes, for: updates)
            return endRound()
        case (.saving(isBeginning: false), .done):
            saved = state
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

    /// What the quarantine had no room to name is found again by reading the history once more.
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
        // A sample has its identifier for good: what is added and deleted in one portion was added first.
        portion.additions = read.added.filter { seen.insert($0.uuid).inserted && !state.settled.contains($0.uuid) }
    }

    private mutating func takeAgain(_ read: HealthPortion) {
        let due = state.quarantine.due(for: options.version, limit: readLimit).filter { !$0.isDeletion }.map(\.uuid)
        var wanted = Set(due)
        portion.additions = read.added.filter { wanted.remove($0.uuid) != nil }
        // The source has them no more.
        for uuid in wanted { state.quarantine.named[uuid] = nil }
        portion.hasMore = false
    }

    private mutating func takeHistory(_ read: HealthPortion) {
        let history = state.history
        for offer in read.added { portion.ends[offer.uuid] = offer.end }
        var seen = history.settled
        portion.additions = read.added.filter { offer in
            offer.end <= history.upTo ?? .infinity && offer.end >= history.since ?? -.infinity
                && seen.insert(offer.uuid).inserted
        }
        portion.additions.sort {
            $0.end == $1.end ? $0.uuid.uuidString < $1.uuid.uuidString : $0.end > $1.end
        }
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
        let notes = portion.round.notes
        guard !notes.isEmpty else { return delete() }
        phase = .noting
        return .note(notes)
    }

    private mutating func chooseDeletions() {
        for uuid in portion.deletions where !portion.settled.contains(uuid) {
            let known = portion.known[uuid]
            let isSettled = known == nil && (!options.findsUnknown || state.settled.contains(uuid))
            if isSettled {
                portion.settled.insert(uuid)
                state.quarantine.named[uuid] = nil
            } else if room.samples > 0 {
                room.take(samples: 1, bytes: 0)
                report.samples += 1
                portion.round.deletions[uuid] = .some(known?.target)
            }
        }
    }

    private mutating func chooseAdditions() {
        guard
            portion.deletions.allSatisfy({ portion.settled.contains($0) || portion.round.deletions.keys.contains($0) })
        else { return }
        let count = min(portion.additions.count, max(room.samples, 0))
        var firstOfTarget = [HealthTarget: UUID](minimumCapacity: count)
        portion.round.offers.reserveCapacity(count)
        for offer in portion.additions where !portion.settled.contains(offer.uuid) {
            guard room.samples > 0, room.bytes >= offer.bytes || room.isWhole else { break }
            room.take(samples: 1, bytes: offer.bytes)
            report.samples += 1
            report.bytes += offer.bytes
            portion.round.offers[offer.uuid] = offer
            switch offer.form {
            case .unconvertible(let reason): set(.refused(code: reason), for: offer.uuid)
            case .unwanted: set(.declined, for: offer.uuid)
            case .resource(let target, _):
                let isAlone = options.identity == .sample
                if let first = firstOfTarget[target], !isAlone {
                    portion.round.others[first, default: []].append(offer.uuid)
                } else {
                    firstOfTarget[target] = offer.uuid
                    portion.round.firsts.append(offer.uuid)
                }
            }
        }
    }

    // A resource goes with the last of its samples:
    // 1. those that are deleted now do not count any more;
    // 2. those that come in the same round count already: they are noted;
    // 3. of several that go together one is asked of the store, for all.
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
        let coming = Set(portion.round.offers.values.compactMap(\.target))
        let before = goneBefore()
        for (target, uuids) in gone {
            let count = uuids.compactMap { portion.known[$0]?.count }.max() ?? 0
            if count <= before[target, default: 0] + uuids.count, !coming.contains(target) {
                let first = uuids.min { $0.uuidString < $1.uuidString } ?? uuids[0]
                asked[first] = .some(target)
                portion.round.asked[first] = uuids
            } else {
                for uuid in uuids { portion.round.outcomes[uuid] = .stored }
            }
        }
        guard !asked.isEmpty else { return forget() }
        phase = .deleting
        return .delete(asked)
    }

    /// How many of each resource an earlier round of the portion forgot, after the index was asked.
    private func goneBefore() -> [HealthTarget: Int] {
        var gone: [HealthTarget: Int] = [:]
        for (uuid, sample) in portion.known where portion.settled.contains(uuid) {
            gone[sample.target, default: 0] += 1
        }
        return gone
    }

    private mutating func forget() -> Effect {
        let gone = portion.round.deletions.keys.filter { uuid in
            guard portion.known[uuid] != nil else { return false }
            return portion.round.outcomes[uuid] == .stored || portion.round.outcomes[uuid] == .declined
        }
        guard !gone.isEmpty else { return fetch() }
        phase = .forgetting
        return .forget(gone.sorted { $0.uuidString < $1.uuidString })
    }

    private mutating func fetch() -> Effect {
        // Deletions go first: while the store keeps one, nothing follows.
        guard portion.held == nil, !portion.round.firsts.isEmpty else { return endRound() }
        phase = .fetching
        return .fetch(portion.round.firsts)
    }

    /// Those that the store does not have and that nobody answered for.
    private var missing: [UUID] {
        let (present, outcomes) = (portion.round.present, portion.round.outcomes)
        guard !present.isEmpty || !outcomes.isEmpty else { return portion.round.firsts }
        return portion.round.firsts.filter { !present.contains($0) && outcomes[$0] == nil }
    }

    private mutating func add() -> Effect {
        let missing = missing
        guard !missing.isEmpty else { return update() }
        phase = .adding
        return .add(missing)
    }

    /// Those that the store has, and those that are the same resource as one that it has now.
    private var updates: [UUID] {
        let round = portion.round
        guard !round.present.isEmpty || !round.others.isEmpty else { return [] }
        return round.firsts.flatMap { first -> [UUID] in
            let isThere = round.present.contains(first)
            let others = isThere || round.outcomes[first] == .stored ? round.others[first] ?? [] : []
            return (isThere ? [first] : []) + others
        }
    }

    private mutating func update() -> Effect {
        // What is refused for good is refused whichever sample it is of; what the app declined concerns that one alone.
        for first in portion.round.others.keys {
            if case .refused = portion.round.outcomes[first], let outcome = portion.round.outcomes[first] {
                for uuid in portion.round.others[first] ?? [] { set(outcome, for: uuid) }
            }
        }
        let updates = updates
        let isRefusedAll = portion.held != nil && !portion.round.outcomes.values.contains(.stored)
        guard !updates.isEmpty, !isRefusedAll else { return endRound() }
        phase = .updating
        return .update(updates)
    }

    // MARK: - Outcomes

    private mutating func take(_ outcomes: [UUID: HealthOutcome], for asked: [UUID]) {
        portion.round.outcomes.reserveCapacity(asked.count)
        for uuid in asked { set(outcomes[uuid] ?? .kept(code: "unanswered", retryAfter: nil), for: uuid) }
    }

    private mutating func set(_ outcome: HealthOutcome, for uuid: UUID) {
        if case .kept(let code, let retryAfter) = outcome {
            portion.hold(code, retryAfter.map { $0.isNaN ? 0 : min(max($0, 0), HealthOutcome.longestDelay) })
        }
        guard !portion.round.asked.isEmpty, let all = portion.round.asked[uuid] else {
            portion.round.outcomes[uuid] = outcome
            return
        }
        for uuid in all { portion.round.outcomes[uuid] = outcome }
    }
}
