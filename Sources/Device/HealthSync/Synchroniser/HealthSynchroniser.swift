import Core
import Foundation
import HealthData

/// Keeps stores in step with a source of health data: each change reaches each store once, deletions too.
///
/// ```swift
/// let synchroniser = HealthSynchroniser(source: healthKit, storage: folder, settings: settings)
/// await synchroniser.add(outbox, named: "outbox", types: types)
/// await synchroniser.start()                      // at each launch, before the app is asked for anything else
/// let report = await synchroniser.run()           // by hand; observers do it by themselves
/// ```
/// The rules are ``HealthTurns`` and ``HealthStreamStep``; this performs what they say. Stores, converters and the delegate
/// may be set in any order and at any time: they are looked up when they are used.
public actor HealthSynchroniser {
    let source: any HealthSampleSource
    let storage: any HealthSyncStorage
    let environment: HealthSyncEnvironment
    var settings: HealthSyncSettings
    var delegate: (any HealthSyncDelegate)?
    var converters: [String: any HealthConverter] = [:]
    var stores: [String: (store: any ExternalStore, types: Set<String>)] = [:]

    var turns: HealthTurns
    /// What waits for an answer, each once.
    private var handlers: [Int: @Sendable (HealthSyncReport) -> Void] = [:]
    private var lastID = 0
    /// The states as they stand: durable, but for the one of ``unsaved``.
    var states: [HealthStream: HealthStreamState] = [:]
    /// The stream whose next step saves what its last ones did.
    var unsaved: UnsavedState?
    /// Why streams stand, as of the last run.
    var failures: [HealthStream: String] = [:]
    /// What is read for the steps that come next, in order.
    var ahead: [ReadAhead] = []
    /// Lets go of the samples of the last step.
    var released: Task<Void, Never>?
    private var work: Task<Void, Never>?
    private var clock: Task<Void, Never>?
    private var observation: Task<Void, Never>?

    /// Makes a synchronisation that has no store yet and observes nothing.
    public init(
        source: any HealthSampleSource, storage: any HealthSyncStorage,
        settings: HealthSyncSettings = HealthSyncSettings(), environment: HealthSyncEnvironment = .system()
    ) {
        self.source = source
        self.storage = storage
        self.environment = environment
        self.settings = settings
        turns = HealthTurns(limits: settings.limits)
    }

    // MARK: - Set-up

    /// Feeds a store with types, by HealthKit's identifiers. A type may feed several stores; a store of a name takes the
    /// place of the one before it, and goes on where that one was.
    public func add(_ store: any ExternalStore, named name: String, types: Set<String>) {
        stores[name] = (store, types)
        if turns.isObserving { post(.start(permissions.observed)) }
    }

    /// Feeds a store no longer. What is kept of it stays until ``reset(_:)``.
    public func removeStore(named name: String) { stores[name] = nil }

    /// Makes the resources of a type by a converter of the app's own; nil makes them as the table says.
    public func setConverter(_ converter: (any HealthConverter)?, for type: String) {
        converters[type] = converter
        dropAhead()
    }

    /// Gives the app its say; nil takes it away.
    public func setDelegate(_ delegate: (any HealthSyncDelegate)?) { self.delegate = delegate }

    /// The types to ask the person for, and to observe, for all stores.
    public var permissions: HealthPermissions {
        HealthPermissions(for: Set(stores.values.flatMap(\.types)), in: settings.selection.table)
    }

    /// The streams, in order.
    public var streams: [HealthStream] {
        stores.flatMap { name, entry in entry.types.map { HealthStream(type: $0, store: name) } }.sorted()
    }

    // MARK: - Running

    /// Observes the types of all stores, also in the background. HealthKit tells of each type at once, and then whenever
    /// it changes.
    public func start() async {
        post(.start(permissions.observed))
        await observation?.value
    }

    /// Observes nothing and does nothing any more until ``start()``. Whoever waits is answered now; what is under way is
    /// cancelled. What is kept of streams stays.
    public func stop() async {
        post(.stop)
        await observation?.value
    }

    /// Works on the streams of these types, or of all, within the bounds of one wake.
    ///
    /// - Returns: what came of it; of somebody who cancels, that nobody waited for it.
    @discardableResult
    public func run(types: Set<String>? = nil) async -> HealthSyncReport {
        let id = newID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: HealthSyncReport(code: "abandoned"))
                    return
                }
                handlers[id] = { continuation.resume(returning: $0) }
                post(.asked(.init(id: id, types: types, isLowPower: environment.isLowPower())))
            }
        } onCancel: {
            Task { await self.post(.abandoned(id)) }
        }
    }

    /// Takes a wake of an observer. Its completion handler is called once, when the work is done or its time is over.
    public func wake(_ wake: HealthWake) {
        let id = newID()
        handlers[id] = { _ in wake.complete() }
        if let failure = wake.failure {
            post(.observerFailed(id: id, code: failure.code))
        } else {
            let types = wake.types.map { permissions.synchronized(with: $0) }
            post(.asked(.init(id: id, types: types, isLowPower: environment.isLowPower())))
        }
    }

    /// Ends the synchronisation of who withdrew: nothing is observed any more, and nothing is known of any stream.
    ///
    /// - Returns: nil, or the code of what failed; then it has to be done again.
    @discardableResult
    public func withdraw() async -> String? {
        await stop()
        return await reset()
    }

    /// Forgets what is kept of streams, or of all that there are: they begin anew. Nothing that a store has is deleted.
    ///
    /// - Returns: the stable code of what could not be forgotten; nil where all of it was.
    @discardableResult
    public func reset(_ streams: [HealthStream]? = nil) async -> String? {
        let id = newID()
        let report = await withCheckedContinuation { continuation in
            handlers[id] = { continuation.resume(returning: $0) }
            post(.resetAsked(id: id, streams ?? self.streams))
        }
        return report.code
    }

    private func newID() -> Int {
        lastID += 1
        return lastID
    }

    // MARK: - Effects

    /// Tells the rules what happened and begins what they say. Nothing waits in here, so that events come one by one.
    func post(_ event: HealthTurns.Event) {
        for effect in turns.handle(event) { perform(effect) }
        if turns.phase == .idle {
            clock?.cancel()
            clock = nil
            dropAhead()
        }
    }

    private func perform(_ effect: HealthTurns.Effect) {
        switch effect {
        case .gather:
            work = Task { post(.began(await runnable(), now: environment.now(), random: environment.random())) }
        case .step(let stream, let kind, let room):
            work = Task { await take(await step(stream, kind, room)) }
        case .cancelStep: work?.cancel()
        case .askBacklog(let name):
            work = Task { post(.backlog(try? await stores[name]?.store.backlog())) }
        case .forget(let streams): work = Task { post(.forgot(code: await forget(streams))) }
        case .startClock(let run):
            clock?.cancel()
            clock = Task {
                await environment.sleep(settings.limits.seconds)
                if !Task.isCancelled { post(.timeOver(run: run)) }
            }
        case .answer(let ids, let report):
            for id in ids { handlers.removeValue(forKey: id)?(report) }
            if let delegate { Task { await delegate.runComplete(report) } }
        case .askToWake(let atLeast, let spread):
            let seconds = atLeast + spread * environment.random()
            if let delegate { Task { await delegate.wakeWanted(after: seconds) } }
        case .startObserving(let types):
            observe { synchroniser in
                let failures = await synchroniser.source.startObserving(types) { wake in
                    Task { await synchroniser.wake(wake) }
                }
                if !failures.isEmpty { await synchroniser.delegate?.observationFailed(failures) }
            }
        case .stopObserving: observe { await $0.source.stopObserving() }
        }
    }

    /// Begins and ends observing one after the other, as they were asked for.
    private func observe(_ change: @escaping @Sendable (HealthSynchroniser) async -> Void) {
        let before = observation
        observation = Task {
            await before?.value
            await change(self)
        }
    }
}
