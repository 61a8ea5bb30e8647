import Core
import Foundation
import HealthData

/// Performs the effects of one step. It holds the content of the samples, of which the rules know nothing.
struct StepPerformer {
    let stream: HealthStream
    let source: any HealthSampleSource
    let store: any ExternalStore
    let storage: any HealthSyncStorage
    let delegate: (any HealthSyncDelegate)?
    private var conversion: SampleConversion
    private var samples: [UUID: OutgoingSample] = [:]
    /// What was read for this step while the one before it was performed.
    private var ahead: ReadAhead?

    init(
        stream: HealthStream, source: any HealthSampleSource, store: any ExternalStore,
        storage: any HealthSyncStorage, delegate: (any HealthSyncDelegate)?, conversion: SampleConversion,
        ahead: ReadAhead? = nil
    ) {
        self.stream = stream
        self.source = source
        self.store = store
        self.storage = storage
        self.delegate = delegate
        self.conversion = conversion
        self.ahead = ahead
    }

    /// Performs an effect and says what came of it.
    mutating func perform(_ effect: HealthStreamStep.Effect) async -> HealthStreamStep.Event {
        let (source, storage, stream) = (source, storage, stream)
        switch effect {
        case .position:
            return await reading { .positioned(try await source.position(of: stream.type)) }
        case .readChanges(let anchor, let limit):
            let asked = ChangeReading(stream: stream, anchor: anchor, limit: limit)
            let (ahead, conversion) = (ahead, conversion)
            self.ahead = nil
            var read: ReadPortion?
            let event = await reading {
                if let portion = try await ahead?.portion(asked) {
                    read = portion
                } else {
                    read = try await asked.portion(from: source, conversion)
                }
                return .done
            }
            guard let read else { return event }
            samples = read.samples
            return .portion(read.portion)
        case .readHistory(let since, let upTo, let limit):
            var read: HealthPage?
            let event = await reading {
                read = try await source.history(of: stream.type, since: since, upTo: upTo, limit: limit)
                return .done
            }
            guard let read else { return event }
            return .portion(HealthPortion(added: offers(read.samples, limit), hasMore: read.hasMore))
        case .readAgain(let uuids):
            var read: [HealthReading]?
            let event = await reading {
                read = try await source.samples(of: stream.type, uuids)
                return .done
            }
            guard let read else { return event }
            return .portion(HealthPortion(added: offers(read, uuids.count)))
        case .lookUp(let uuids):
            return await keeping { .known(try await storage.known(uuids, of: stream)) }
        case .note(let targets):
            return await keeping {
                try await storage.note(targets, of: stream)
                return .done
            }
        case .forget(let uuids):
            return await keeping {
                try await storage.forget(uuids, of: stream)
                return .done
            }
        case .save(let state):
            return await keeping {
                try await storage.save(state.bytes(of: stream), of: stream)
                return .done
            }
        case .delete(let deletions): return .answered(await delete(deletions))
        case .fetch(let uuids): return await fetch(uuids)
        case .add(let uuids): return .answered(await add(uuids))
        case .update(let uuids): return .answered(await update(uuids))
        case .finish: return .done
        }
    }

    private mutating func offers(_ readings: [HealthReading], _ limit: Int) -> [HealthOffer] {
        conversion.offers(readings, limit, of: stream.type, &samples)
    }

    /// Lets go of the samples while others go on: there are thousands.
    consuming func release() { Task.detached { [samples] in withExtendedLifetime(samples) {} } }

    private func reading(_ body: () async throws -> HealthStreamStep.Event) async -> HealthStreamStep.Event {
        guard !Task.isCancelled else { return .sourceFailed(code: HealthStreamStep.timeOverCode) }
        do {
            return try await body()
        } catch let error as HealthSourceError where error.reason == .locked {
            return .locked
        } catch is CancellationError {
            return .sourceFailed(code: HealthStreamStep.timeOverCode)
        } catch {
            let code = (error as? any CodedError)?.code ?? HealthSourceError(.failed).code
            return .sourceFailed(code: code)
        }
    }

    private func keeping(_ body: () async throws -> HealthStreamStep.Event) async -> HealthStreamStep.Event {
        do {
            return try await body()
        } catch {
            return .storageFailed(code: HealthSynchroniser.code(of: error))
        }
    }

    // MARK: - The store

    private func delete(_ deletions: [UUID: HealthTarget?]) async -> [UUID: HealthOutcome] {
        var outcomes: [UUID: HealthOutcome] = [:]
        var asked: [DeletedSample] = []
        for (uuid, target) in deletions.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            let deletion = DeletedSample(uuid: uuid, type: stream.type, targets: target?.references ?? [])
            if await delegate?.shouldDelete(deletion, from: stream.store) ?? true {
                asked.append(deletion)
            } else {
                outcomes[uuid] = .declined
            }
        }
        let store = store
        let deleted = asked
        await call(deleted.map(\.uuid), &outcomes) { try await store.delete(deleted) }
        await delegate?.deleteComplete(outcomes, from: stream.store)
        return outcomes
    }

    private func fetch(_ uuids: [UUID]) async -> HealthStreamStep.Event {
        var outcomes: [UUID: HealthOutcome] = [:]
        let asked = await allowed(uuids, &outcomes) { await $0.shouldFetch($1, from: stream.store) }
        guard !asked.isEmpty else { return .fetched(present: [], outcomes) }
        var present: Set<UUID> = []
        let store = store
        do {
            guard !Task.isCancelled else { throw CancellationError() }
            let answers = try await store.fetch(asked)
            for sample in asked {
                switch answers[sample.uuid] {
                case .present?: present.insert(sample.uuid)
                case .absent?: break
                case .kept(let code, let retryAfter)?:
                    outcomes[sample.uuid] = .kept(code: code, retryAfter: retryAfter)
                case nil: outcomes[sample.uuid] = .kept(code: "unanswered", retryAfter: nil)
                }
            }
        } catch {
            for sample in asked { outcomes[sample.uuid] = Self.kept(error) }
        }
        await delegate?.fetchComplete(asked, present: present, from: stream.store)
        return .fetched(present: present, outcomes)
    }

    private func add(_ uuids: [UUID]) async -> [UUID: HealthOutcome] {
        var outcomes: [UUID: HealthOutcome] = [:]
        let asked = await allowed(uuids, &outcomes) { await $0.shouldAdd($1, to: stream.store) }
        let (store, added) = (store, asked)
        await call(added.map(\.uuid), &outcomes) { try await store.add(added) }
        await delegate?.addComplete(outcomes, to: stream.store)
        return outcomes
    }

    private func update(_ uuids: [UUID]) async -> [UUID: HealthOutcome] {
        var outcomes: [UUID: HealthOutcome] = [:]
        let asked = await allowed(uuids, &outcomes) { await $0.shouldUpdate($1, in: stream.store) }
        let (store, updated) = (store, asked)
        await call(updated.map(\.uuid), &outcomes) { try await store.update(updated) }
        await delegate?.updateComplete(outcomes, in: stream.store)
        return outcomes
    }

    /// The samples of these identifiers, without those that the app says no to.
    private func allowed(
        _ uuids: [UUID], _ outcomes: inout [UUID: HealthOutcome],
        _ ask: (any HealthSyncDelegate, OutgoingSample) async -> Bool
    ) async -> [OutgoingSample] {
        let asked = uuids.compactMap { samples[$0] }
        guard let delegate else { return asked }
        var allowed: [OutgoingSample] = []
        for sample in asked {
            if await ask(delegate, sample) {
                allowed.append(sample)
            } else {
                outcomes[sample.uuid] = .declined
            }
        }
        return allowed
    }

    /// Makes a call of the store, unless there is nothing to ask or the time is over.
    private func call(
        _ uuids: [UUID], _ outcomes: inout [UUID: HealthOutcome],
        _ body: () async throws -> [UUID: HealthOutcome]
    ) async {
        guard !uuids.isEmpty else { return }
        do {
            guard !Task.isCancelled else { throw CancellationError() }
            let answers = try await body()
            // What nobody answered for is kept by the rules; the app is told of each.
            if delegate == nil, outcomes.isEmpty {
                outcomes = answers
                return
            }
            for uuid in uuids { outcomes[uuid] = answers[uuid] ?? .kept(code: "unanswered", retryAfter: nil) }
        } catch {
            for uuid in uuids { outcomes[uuid] = Self.kept(error) }
        }
    }

    private static func kept(_ error: any Error) -> HealthOutcome {
        if error is CancellationError { return .kept(code: HealthStreamStep.timeOverCode, retryAfter: nil) }
        return .kept(code: (error as? any CodedError)?.code ?? "store-failed", retryAfter: nil)
    }
}
