import Core
import Foundation
import HealthData

/// Performs the effects of one step. It holds the content of the samples, which the rules do not use.
struct StepPerformer {
    let stream: HealthStream
    let source: any HealthSampleSource
    let store: any ExternalStore
    let storage: any HealthSyncStorage
    let delegate: (any HealthSyncDelegate)?
    private var conversion: SampleConversion
    private var samples = ConvertedSamples()

    init(
        stream: HealthStream, source: any HealthSampleSource, store: any ExternalStore,
        storage: any HealthSyncStorage, delegate: (any HealthSyncDelegate)?, conversion: SampleConversion
    ) {
        self.stream = stream
        self.source = source
        self.store = store
        self.storage = storage
        self.delegate = delegate
        self.conversion = conversion
    }

    /// Performs an effect and returns the resulting event.
    mutating func perform(_ effect: HealthStreamStep.Effect) async -> HealthStreamStep.Event {
        let (source, storage, stream) = (source, storage, stream)
        switch effect {
        case .position:
            return await reading { .positioned(try await source.position(of: stream.type)) }
        case .readChanges(let anchor, let limit):
            var read: HealthChanges?
            let event = await reading {
                read = try await source.changes(of: stream.type, after: anchor, limit: limit)
                return .done
            }
            guard let read else { return event }
            return .batch(
                SampleBatch(
                    deleted: read.deleted, added: candidates(read.added, limit), anchor: read.anchor,
                    hasMore: read.hasMore))
        case .readHistory(let since, let upTo, let limit):
            var read: HealthPage?
            let event = await reading {
                read = try await source.history(of: stream.type, since: since, upTo: upTo, limit: limit)
                return .done
            }
            guard let read else { return event }
            return .batch(SampleBatch(added: candidates(read.samples, limit), hasMore: read.hasMore))
        case .readAgain(let uuids):
            var read: [HealthReading]?
            let event = await reading {
                read = try await source.samples(of: stream.type, uuids)
                return .done
            }
            guard let read else { return event }
            return .batch(SampleBatch(added: candidates(read, uuids.count)))
        case .lookUp(let uuids):
            return await storing { .known(try await storage.known(uuids, of: stream)) }
        case .record(let entries):
            return await storing {
                try await storage.record(entries, of: stream)
                return .done
            }
        case .forget(let uuids):
            return await storing {
                try await storage.forget(uuids, of: stream)
                return .done
            }
        case .save(let state):
            return await storing {
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

    private mutating func candidates(_ readings: [HealthReading], _ limit: Int) -> [SampleCandidate] {
        conversion.candidates(readings, limit: limit, of: stream.type, into: &samples)
    }

    /// Deallocates the samples, of which there are thousands, in another task.
    consuming func release() -> Task<Void, Never> { Task.detached { [samples] in withExtendedLifetime(samples) {} } }

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

    private func storing(_ body: () async throws -> HealthStreamStep.Event) async -> HealthStreamStep.Event {
        do {
            return try await body()
        } catch {
            return .storageFailed(code: HealthSynchronizer.code(of: error))
        }
    }

    // MARK: - The store

    private func delete(_ deletions: [UUID: HealthTarget?]) async -> StoreAnswers<HealthOutcome> {
        var declined: [UUID: HealthOutcome] = [:]
        var asked: [DeletedSample] = []
        for (uuid, target) in deletions.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            let deletion = DeletedSample(uuid: uuid, type: stream.type, targets: target?.references ?? [])
            if await delegate?.shouldDelete(deletion, from: stream.store) ?? true {
                asked.append(deletion)
            } else {
                declined[uuid] = .declined
            }
        }
        let (store, deleted) = (store, asked)
        let answers = await call(deleted.map(\.uuid), of: deletions.count, declined: declined) {
            try await store.delete(deleted)
        }
        await delegate?.deleteComplete(answers.named, from: stream.store)
        return answers
    }

    private func fetch(_ uuids: [UUID]) async -> HealthStreamStep.Event {
        var outcomes: [UUID: HealthOutcome] = [:]
        let asked = await allowed(uuids, outcomes: &outcomes) { await $0.shouldFetch($1, from: stream.store) }
        guard !asked.isEmpty else { return .fetched(present: [], outcomes) }
        var present: Set<UUID> = []
        let store = store
        do {
            guard !Task.isCancelled else { throw CancellationError() }
            let answers = try await store.fetch(asked)
            if answers != StoreAnswers(forAll: .absent) {
                for sample in asked {
                    switch answers[sample.uuid] {
                    case .present?: present.insert(sample.uuid)
                    case .absent?: break
                    case .deferred(let code, let retryAfter)?:
                        outcomes[sample.uuid] = .deferred(code: code, retryAfter: retryAfter)
                    case nil: outcomes[sample.uuid] = .unanswered
                    }
                }
            }
        } catch {
            for sample in asked { outcomes[sample.uuid] = Self.deferred(error) }
        }
        await delegate?.fetchComplete(asked, present: present, from: stream.store)
        return .fetched(present: present, outcomes)
    }

    private func add(_ uuids: [UUID]) async -> StoreAnswers<HealthOutcome> {
        let store = store
        let answers = await send(
            uuids, { await $0.shouldAdd($1, to: stream.store) }, to: { try await store.add($0) })
        await delegate?.addComplete(answers.named, to: stream.store)
        return answers
    }

    private func update(_ uuids: [UUID]) async -> StoreAnswers<HealthOutcome> {
        let store = store
        let answers = await send(
            uuids, { await $0.shouldUpdate($1, in: stream.store) }, to: { try await store.update($0) })
        await delegate?.updateComplete(answers.named, in: stream.store)
        return answers
    }

    /// Sends the samples that the app allows to the store.
    private func send(
        _ uuids: [UUID], _ ask: (any HealthSyncDelegate, OutgoingSample) async -> Bool,
        to body: ([OutgoingSample]) async throws -> StoreAnswers<HealthOutcome>
    ) async -> StoreAnswers<HealthOutcome> {
        var declined: [UUID: HealthOutcome] = [:]
        let asked = await allowed(uuids, outcomes: &declined, ask: ask)
        return await call(asked.map(\.uuid), of: uuids.count, declined: declined) { try await body(asked) }
    }

    /// Returns the samples with these identifiers, without those that the app declines.
    private func allowed(
        _ uuids: [UUID], outcomes: inout [UUID: HealthOutcome],
        ask: (any HealthSyncDelegate, OutgoingSample) async -> Bool
    ) async -> [OutgoingSample] {
        let asked = samples.samples(of: uuids)
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

    /// Calls the store, unless there are no samples or the time is over.
    ///
    /// - Parameter count: the number of samples before the app declined some. If some were declined, a common answer of
    ///   the store applies only to the samples that were sent.
    /// - Returns: the store's answers and the declined samples; by identifier if there is a delegate.
    private func call(
        _ uuids: [UUID], of count: Int, declined: [UUID: HealthOutcome],
        body: () async throws -> StoreAnswers<HealthOutcome>
    ) async -> StoreAnswers<HealthOutcome> {
        guard !uuids.isEmpty else { return StoreAnswers(declined) }
        var answers: StoreAnswers<HealthOutcome>
        do {
            guard !Task.isCancelled else { throw CancellationError() }
            answers = try await body()
        } catch {
            answers = StoreAnswers(forAll: Self.deferred(error))
        }
        guard delegate != nil || uuids.count != count else { return answers }
        var named = declined
        for uuid in uuids { named[uuid] = answers[uuid] ?? .unanswered }
        return StoreAnswers(named)
    }

    private static func deferred(_ error: any Error) -> HealthOutcome {
        if error is CancellationError { return .deferred(code: HealthStreamStep.timeOverCode, retryAfter: nil) }
        return .deferred(code: (error as? any CodedError)?.code ?? "store-failed", retryAfter: nil)
    }
}
