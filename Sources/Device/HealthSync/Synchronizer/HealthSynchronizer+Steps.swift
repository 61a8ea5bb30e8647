import Core
import Foundation
import HealthData

extension HealthSynchronizer {
    /// Returns the streams of a run, without those that the app excludes now.
    func runnable() async -> [SyncScheduler.StreamStatus] {
        var wanted: [SyncScheduler.StreamStatus] = []
        for status in await statuses() where await delegate?.shouldSynchronize(status.stream) ?? true {
            wanted.append(status)
        }
        return wanted
    }

    /// Returns the status of all streams. The saved state of a stream is read once.
    private func statuses() async -> [SyncScheduler.StreamStatus] {
        var statuses: [SyncScheduler.StreamStatus] = []
        for stream in streams {
            do {
                let state = try await state(of: stream)
                failures[stream] = nil
                statuses.append(.init(stream, state, version: settings.version, lookBack: settings.lookBack))
            } catch {
                failures[stream] = Self.code(of: error)
                statuses.append(.init(stream, failure: Self.code(of: error)))
            }
        }
        return statuses
    }

    private func state(of stream: HealthStream) async throws -> HealthStreamState {
        if let state = states[stream] { return state }
        let state: HealthStreamState
        if let bytes = try await storage.state(of: stream) {
            state = try HealthStreamState(bytes, of: stream)
        } else {
            state = HealthStreamState()
        }
        states[stream] = state
        return state
    }

    /// - Returns: the code of the first failure.
    func forget(_ streams: [HealthStream]) async -> String? {
        var code: String?
        for stream in streams {
            do {
                try await storage.erase(stream)
                states[stream] = nil
                failures[stream] = nil
            } catch {
                code = code ?? Self.code(of: error)
            }
        }
        return code
    }

    /// Returns the status of the streams.
    public func status() async -> HealthSyncStatus {
        _ = await statuses()
        return HealthSyncStatus(streams.map { ($0, states[$0] ?? HealthStreamState(), failures[$0]) })
    }

    // MARK: - A step

    /// Performs one step from its first effect to its last.
    func step(
        _ stream: HealthStream, work: HealthStreamStep.Work, budget: WakeBudget
    ) async -> HealthStepReport {
        guard let state = states[stream], let store = stores[stream.store]?.store else {
            var gone = HealthStreamStep(
                stream, state: HealthStreamState(),
                options: .init(work, budget: budget, batch: 1, now: environment.now()))
            return gone.abandon(HealthSyncError(.storeUnknown).code)
        }
        let now = environment.now()
        let isSaved = unsaved == nil
        var step = HealthStreamStep(
            stream, state: state,
            options: .init(
                work, budget: budget, batch: settings.limits.batch, now: now, version: settings.version,
                lookBack: settings.lookBack, identity: store.identity, findsUnknown: store.findsUnknown,
                isSaved: isSaved, savesLater: unsaved.map { $0.isFresh(at: now) } ?? true))
        let conversion = SampleConversion(selection: settings.selection, converters: converters)
        var performer = StepPerformer(
            stream: stream, source: source, store: store, storage: storage, delegate: delegate, conversion: conversion)
        var effect = step.begin()
        while true {
            if case .finish(let report) = effect {
                await released?.value
                released = performer.release()
                if report.isSaved {
                    unsaved = nil
                } else if isSaved {
                    unsaved = UnsavedState(stream: stream, durable: state, since: now)
                }
                return recorded(report)
            }
            guard let next = step.handle(await performer.perform(effect)) else {
                return recorded(step.abandon("health-sync-out-of-order"))
            }
            effect = next
        }
    }

    /// Posts the report of a step once its state is durable. If the next step is one of the same stream, that step
    /// saves both states.
    func take(_ step: HealthStepReport) async {
        guard let unsaved else { return post(.stepped(step)) }
        var following = scheduler
        if case .step(unsaved.stream, .changes, _)? = following.handle(.stepped(step)).first {
            return post(.stepped(step))
        }
        let (stream, state) = (unsaved.stream, states[unsaved.stream] ?? unsaved.durable)
        var step = step
        do {
            try await storage.save(state.bytes(of: stream), of: stream)
            step.isSaved = true
        } catch {
            // Roll back to the durable state; the work of the steps is repeated.
            let code = Self.code(of: error)
            (states[stream], failures[stream]) = (unsaved.durable, code)
            (step.state, step.ending) = (unsaved.durable, .failed(code: code))
        }
        self.unsaved = nil
        post(.stepped(step))
    }

    private func recorded(_ report: HealthStepReport) -> HealthStepReport {
        states[report.stream] = report.state
        failures[report.stream] = nil
        if case .failed(let code) = report.ending { failures[report.stream] = code }
        return report
    }

    static func code(of error: any Error) -> String {
        (error as? any CodedError)?.code ?? HealthSyncError(.storageFailed).code
    }
}
