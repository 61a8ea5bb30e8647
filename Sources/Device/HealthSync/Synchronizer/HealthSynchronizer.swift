import Core
import Foundation
import HealthData

/// Synchronizes stores with a source of health data: each change reaches each store once, deletions included.
///
/// ```swift
/// let synchronizer = HealthSynchronizer(source: healthKit, storage: folder, settings: settings)
/// await synchronizer.add(outbox, named: "outbox", types: types)
/// await synchronizer.start()                      // at each launch, before any other work of the app
/// let report = await synchronizer.run()           // a manual run; observers start runs by themselves
/// ```
/// ``SyncScheduler`` and ``HealthStreamStep`` are the rules; this actor performs their effects. Stores, converters and
/// the delegate may be set in any order and at any time: they are looked up when they are used.
public actor HealthSynchronizer {
    let source: any HealthSampleSource
    let storage: any HealthSyncStorage
    let environment: HealthSyncEnvironment
    var settings: HealthSyncSettings
    var delegate: (any HealthSyncDelegate)?
    var converters: [String: any HealthConverter] = [:]
    var stores: [String: (store: any ExternalStore, types: Set<String>)] = [:]

    var scheduler: SyncScheduler
    /// The handlers of pending requests; each is called once.
    private var handlers: [Int: @Sendable (HealthSyncReport) -> Void] = [:]
    private var lastID = 0
    /// The current states. All are durable except the one of ``unsaved``.
    var states: [HealthStream: HealthStreamState] = [:]
    /// The stream whose next step also saves the state of its last ones.
    var unsaved: UnsavedState?
    /// The codes of the errors that stopped streams, as of the last run.
    var failures: [HealthStream: String] = [:]
    /// The task that deallocates the samples of the last step.
    var released: Task<Void, Never>?
    private var work: Task<Void, Never>?
    private var clock: Task<Void, Never>?
    private var observation: Task<Void, Never>?

    /// Creates a synchronization without stores and observers.
    public init(
        source: any HealthSampleSource, storage: any HealthSyncStorage,
        settings: HealthSyncSettings = HealthSyncSettings(), environment: HealthSyncEnvironment = .system()
    ) {
        self.source = source
        self.storage = storage
        self.environment = environment
        self.settings = settings
        scheduler = SyncScheduler(limits: settings.limits)
    }

    // MARK: - Set-up

    /// Adds a store that is fed with types, by HealthKit's identifiers. A type may feed several stores. A store with
    /// the name of an existing one replaces it, and continues from its state.
    public func add(_ store: any ExternalStore, named name: String, types: Set<String>) {
        stores[name] = (store, types)
        if scheduler.isObserving { post(.start(permissions.observed)) }
    }

    /// Removes a store. Its saved state is kept until ``reset(_:)``.
    public func removeStore(named name: String) { stores[name] = nil }

    /// Sets the app's converter of a type; nil restores the conversion by the table.
    public func setConverter(_ converter: (any HealthConverter)?, for type: String) { converters[type] = converter }

    /// Sets the delegate; nil removes it.
    public func setDelegate(_ delegate: (any HealthSyncDelegate)?) { self.delegate = delegate }

    /// The types to request access for, and to observe, for all stores.
    public var permissions: HealthPermissions {
        HealthPermissions(for: Set(stores.values.flatMap(\.types)), in: settings.selection.table)
    }

    /// The streams, in order.
    public var streams: [HealthStream] {
        stores.flatMap { name, entry in entry.types.map { HealthStream(type: $0, store: name) } }.sorted()
    }

    // MARK: - Running

    /// Observes the types of all stores, also in the background. HealthKit reports each type at once, and then whenever
    /// it changes.
    public func start() async {
        post(.start(permissions.observed))
        await observation?.value
    }

    /// Stops all observers and all work until ``start()``. Pending requests are answered now; the step in progress is
    /// cancelled. The saved state of the streams is kept.
    public func stop() async {
        post(.stop)
        await observation?.value
    }

    /// Synchronizes the streams of these types, or of all, within the limits of one wake.
    ///
    /// - Returns: the report of the run; if the task is cancelled, a report with the code `abandoned`.
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

    /// Handles a wake of an observer. Its completion handler is called once, when the work is done or its time is over.
    public func wake(_ update: ObserverUpdate) {
        let id = newID()
        handlers[id] = { _ in update.complete() }
        if let failure = update.failure {
            post(.observerFailed(id: id, code: failure.code))
        } else {
            let types = update.types.map { permissions.synchronized(with: $0) }
            post(.asked(.init(id: id, types: types, isLowPower: environment.isLowPower())))
        }
    }

    /// Ends the synchronization after a withdrawal: stops all observers and erases the saved state of all streams.
    ///
    /// - Returns: nil, or the code of a failure; then the call must be repeated.
    @discardableResult
    public func withdraw() async -> String? {
        await stop()
        return await reset()
    }

    /// Erases the saved state of streams, or of all streams: they start from the beginning. Data in stores are not
    /// deleted.
    ///
    /// - Returns: the stable code of a failure; nil on success.
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

    /// Passes an event to the rules and starts their effects. It does not suspend, so events are handled one by one.
    func post(_ event: SyncScheduler.Event) {
        for effect in scheduler.handle(event) { perform(effect) }
        if scheduler.phase == .idle {
            clock?.cancel()
            clock = nil
        }
    }

    private func perform(_ effect: SyncScheduler.Effect) {
        switch effect {
        case .gather:
            work = Task { post(.began(await runnable(), now: environment.now(), random: environment.random())) }
        case .step(let stream, let kind, let budget):
            work = Task { await take(await step(stream, work: kind, budget: budget)) }
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
            observe { synchronizer in
                let failures = await synchronizer.source.startObserving(types) { update in
                    Task { await synchronizer.wake(update) }
                }
                if !failures.isEmpty { await synchronizer.delegate?.observationFailed(failures) }
            }
        case .stopObserving: observe { await $0.source.stopObserving() }
        }
    }

    /// Starts and stops observers one after the other, in the order of the calls.
    private func observe(_ change: @escaping @Sendable (HealthSynchronizer) async -> Void) {
        let before = observation
        observation = Task {
            await before?.value
            await change(self)
        }
    }
}
