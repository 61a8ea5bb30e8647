import Foundation

/// The health data of a phone, made by a test. It follows the known behaviour of HealthKit, and records each breach of
/// it that would raise an exception or end deliveries.
public final class HealthDatabase: Sendable {
    /// The calls that can be made to fail.
    public enum Call: Hashable, Sendable {
        case anchored, sample, observer, delivery, authorization, units, electrocardiogram, heartbeats, route, summaries
    }

    private struct Change {
        let place: Int
        let sample: HKSample
        var isDeletion = false
    }

    private struct State {
        var changes: [Change] = []
        var summaries: [HKActivitySummary] = []
        var medications: [HKUserAnnotatedMedication] = []
        var place = 0
        /// Number of deletions that are kept: HealthKit reports deletions only for a limited time.
        var remembered = Int.max
        var executed: Set<ObjectIdentifier> = []
        var queries: [HKQuery] = []
        var observers: [ObjectIdentifier: (query: HKObserverQuery, isWaiting: Bool, missed: Int)] = [:]
        var delivered: Set<HKObjectType> = []
        var asked: Set<HKObjectType> = []
        var denied: Set<HKObjectType> = []
        var failures: [Call: [any Error]] = [:]
        var isDeliveryRefusedSilently = false
        var units: [HKQuantityType: HKUnit] = [:]
        var breaches: [String] = []
        var completions = 0
        var wakes = 0
    }

    private let state = Guarded(State())

    public init() {}

    // MARK: - Control and inspection by tests

    /// Forbidden uses of HealthKit by the code under test.
    public var breaches: [String] { state.withLock { $0.breaches } }
    /// Numbers of observer calls and of completion calls.
    public var deliveries: (wakes: Int, completions: Int) { state.withLock { ($0.wakes, $0.completions) } }
    /// The types that wake the app.
    public var delivered: Set<String> { state.withLock { Set($0.delivered.map(\.identifier)) } }
    public var running: Int { state.withLock { $0.observers.count } }

    /// The medications that the person keeps and allows to be read.
    public var medications: [HKUserAnnotatedMedication] {
        get { state.withLock { $0.medications } }
        set { state.withLock { $0.medications = newValue } }
    }

    public func add(_ samples: HKSample...) { add(samples) }

    public func add(_ samples: [HKSample]) {
        state.withLock { state in
            for sample in samples {
                state.place += 1
                state.changes.append(Change(place: state.place, sample: sample))
            }
        }
        wake(Set(samples.map(\.sampleType)))
    }

    public func delete(_ uuid: UUID) {
        let type: HKSampleType? = state.withLock { state in
            guard let index = state.changes.firstIndex(where: { $0.sample.uuid == uuid && !$0.isDeletion }) else {
                return nil
            }
            let sample = state.changes.remove(at: index).sample
            state.place += 1
            state.changes.append(Change(place: state.place, sample: sample, isDeletion: true))
            let deletions = state.changes.filter(\.isDeletion)
            if deletions.count > state.remembered, let oldest = deletions.first {
                state.changes.removeAll { $0.place == oldest.place }
            }
            return sample.sampleType
        }
        if let type { wake([type]) }
    }

    public func samples(of type: String) -> [HKSample] {
        state.withLock { $0.changes.filter { !$0.isDeletion && $0.sample.sampleType.identifier == type }.map(\.sample) }
    }

    /// Sets the summary of a day and replaces that of the same day.
    public func set(_ summary: HKActivitySummary) {
        state.withLock { state in
            state.summaries.removeAll { $0.order == summary.order }
            state.summaries.append(summary)
        }
    }

    /// The types that the person was asked for.
    public var asked: Set<String> { state.withLock { Set($0.asked.map(\.identifier)) } }

    public func remember(deletions count: Int) { state.withLock { $0.remembered = count } }
    public func deny(_ type: HKObjectType) { state.withLock { _ = $0.denied.insert(type) } }
    public func prefer(_ unit: String, for type: HKQuantityType) {
        state.withLock { $0.units[type] = HKUnit(from: unit) }
    }
    public func fail(_ call: Call, with errors: any Error...) {
        state.withLock { $0.failures[call, default: []] += errors }
    }
    /// Ends all failures.
    public func mend() { state.withLock { $0.failures = [:] } }
    public func refuseDeliverySilently() { state.withLock { $0.isDeliveryRefusedSilently = true } }

    // MARK: - Behaviour of HealthKit

    private func failure(_ call: Call) -> (any Error)? {
        state.withLock { state in
            guard var errors = state.failures[call], !errors.isEmpty else { return nil }
            let error = errors.removeFirst()
            state.failures[call] = errors
            return error
        }
    }

    private func visible(_ change: Change, _ state: State, _ type: HKSampleType, _ predicate: NSPredicate?)
        -> Bool
    {
        // Denied reading is not reported: there is no data.
        guard change.sample.sampleType == type, !state.denied.contains(type) else { return false }
        if change.isDeletion { return true }
        return predicate?.evaluate(with: change.sample) ?? true
    }

    func execute(_ query: HKQuery) {
        let isNew = state.withLock { state in
            let isNew = state.executed.insert(ObjectIdentifier(query)).inserted
            state.queries.append(query)
            if !isNew { state.breaches.append("a query ran twice") }
            return isNew
        }
        guard isNew else { return }
        // Handlers run on a queue of HealthKit's own.
        Task.detached { self.run(query) }
    }

    private func run(_ query: HKQuery) {
        switch query {
        case let query as HKAnchoredObjectQuery:
            if let error = failure(.anchored) { return query.handler(query, nil, nil, nil, error) }
            let (found, place) = state.withLock { state in
                let start = query.anchor?.place ?? 0
                let changes = state.changes.filter {
                    $0.place > start && visible($0, state, query.type, query.predicate)
                }
                let taken = query.limit == HKObjectQueryNoLimit ? changes : Array(changes.prefix(query.limit))
                let isAll = taken.count == changes.count
                return (taken, isAll ? state.place : taken.last?.place ?? start)
            }
            query.handler(
                query, found.filter { !$0.isDeletion }.map(\.sample),
                found.filter(\.isDeletion).map { HKDeletedObject($0.sample.uuid) }, HKQueryAnchor(place: place), nil)
        case let query as HKSampleQuery:
            if let error = failure(.sample) { return query.handler(query, nil, error) }
            var found = state.withLock { state in
                state.changes.filter { !$0.isDeletion && visible($0, state, query.type, query.predicate) }.map(\.sample)
            }
            found.sort { one, other in
                for descriptor in query.sort {
                    switch descriptor.compare(one, other) {
                    case .orderedAscending: return true
                    case .orderedDescending: return false
                    case .orderedSame: continue
                    }
                }
                return false
            }
            query.handler(query, query.limit == HKObjectQueryNoLimit ? found : Array(found.prefix(query.limit)), nil)
        case let query as HKObserverQuery:
            if query.type is HKCorrelationType { note("a correlation was observed") }
            let error = failure(.observer)
            state.withLock { $0.observers[ObjectIdentifier(query)] = (query, false, 0) }
            // The first call comes right after the start.
            tell(query, error)
        case let query as HKElectrocardiogramQuery:
            if let error = failure(.electrocardiogram) { return query.handler(query, .error(error)) }
            let frequency = query.electrocardiogram.samplingFrequency?.doubleValue(for: HKUnit(from: "Hz")) ?? 512
            for (index, voltage) in query.electrocardiogram.voltages.enumerated() {
                query.handler(
                    query, .measurement(HKElectrocardiogram.VoltageMeasurement(Double(index) / frequency, voltage)))
            }
            query.handler(query, .done)
        case let query as HKHeartbeatSeriesQuery:
            if let error = failure(.heartbeats) { return query.handler(query, 0, false, true, error) }
            for (index, beat) in query.series.beats.enumerated() {
                query.handler(query, beat.time, beat.gap, index == query.series.beats.count - 1, nil)
            }
        case let query as HKWorkoutRouteQuery:
            if let error = failure(.route) { return query.handler(query, nil, true, error) }
            // In several parts, as HealthKit delivers them.
            let half = query.route.locations.count / 2
            query.handler(query, Array(query.route.locations[..<half]), false, nil)
            query.handler(query, Array(query.route.locations[half...]), true, nil)
        case let query as HKActivitySummaryQuery:
            if let error = failure(.summaries) { return query.handler(query, nil, error) }
            let found = state.withLock { state in
                state.denied.contains(HKObjectType.activitySummaryType())
                    ? [] : state.summaries.filter { query.predicate?.evaluate(with: $0) ?? true }
            }
            query.handler(query, found, nil)
        default: note("a query of no known kind")
        }
    }

    func stop(_ query: HKQuery) { state.withLock { _ = $0.observers.removeValue(forKey: ObjectIdentifier(query)) } }

    private func note(_ breach: String) { state.withLock { $0.breaches.append(breach) } }

    private func wake(_ types: Set<HKSampleType>) {
        let woken = state.withLock { state in
            state.observers.values.filter { types.contains($0.query.type) && !state.denied.contains($0.query.type) }
                .map(\.query)
        }
        for query in woken { Task.detached { self.tell(query, nil) } }
    }

    /// Wakes an observer. Updates that arrive during a call are merged into one. After three unanswered calls no
    /// further call is made.
    private func tell(_ query: HKObserverQuery, _ error: (any Error)?) {
        let id = ObjectIdentifier(query)
        let isTold = state.withLock { state in
            guard var observer = state.observers[id] else { return false }
            if observer.isWaiting {
                observer.missed += 1
                if observer.missed == 3 { state.breaches.append("an observer's completion handler was not called") }
                state.observers[id] = observer
                return false
            }
            observer.isWaiting = true
            state.observers[id] = observer
            state.wakes += 1
            return true
        }
        guard isTold else { return }
        let called = Guarded(false)
        query.handler(
            query,
            { [self] in
                let isSecond = called.withLock { called in
                    defer { called = true }
                    return called
                }
                if isSecond { return note("a completion handler was called twice") }
                let isMissed = state.withLock { state in
                    state.completions += 1
                    let isMissed = (state.observers[id]?.missed ?? 0) > 0
                    state.observers[id]?.isWaiting = false
                    state.observers[id]?.missed = 0
                    return isMissed
                }
                // Updates that arrived during the call are reported in one call.
                if isMissed { Task.detached { self.tell(query, nil) } }
            }, error)
    }

    func enableDelivery(_ type: HKObjectType, _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        if type is HKCorrelationType {
            note("background delivery of a correlation")
            return completion(false, HKError(.errorInvalidArgument))
        }
        if let error = failure(.delivery) { return completion(false, error) }
        let isRefused = state.withLock { state in
            guard !state.isDeliveryRefusedSilently else { return true }
            state.delivered.insert(type)
            return false
        }
        completion(!isRefused, nil)
    }

    func disableDelivery(_ type: HKObjectType, _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        state.withLock { _ = $0.delivered.remove(type) }
        completion(true, nil)
    }

    func ask(_ types: Set<HKObjectType>, _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        if types.contains(where: { $0 is HKCorrelationType || $0.requiresPerObjectAuthorization() }) {
            note("a type was asked for that raises")
        }
        if let error = failure(.authorization) { return completion(false, error) }
        state.withLock { $0.asked.formUnion(types) }
        completion(true, nil)
    }

    func status(
        _ types: Set<HKObjectType>,
        _ completion: @escaping @Sendable (HKAuthorizationRequestStatus, (any Error)?) -> Void
    ) {
        completion(state.withLock { types.isSubset(of: $0.asked) } ? .unnecessary : .shouldRequest, nil)
    }

    func preferred(
        _ types: Set<HKQuantityType>, _ completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
    ) {
        if let error = failure(.units) { return completion([:], error) }
        completion(state.withLock { $0.units.filter { types.contains($0.key) } }, nil)
    }
}

/// A value that one thread at a time accesses: `Mutex` is newer than the oldest macOS of the adapter.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
