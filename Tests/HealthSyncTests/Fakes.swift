import Core
import Foundation
import HealthData
import HealthSync
import Synchronization

/// The world as one process sees it.
struct Phone: HealthSampleSource, HealthSyncStorage {
    let world: World
    let process: Int
    var observers = Observers()

    func position(of type: String) async throws -> HealthAnchor? { try await world.position(type, process: process) }
    func changes(of type: String, after anchor: HealthAnchor?, limit: Int) async throws -> HealthChanges {
        try await world.changes(type, after: anchor, limit: limit, process: process)
    }
    func history(of type: String, since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage {
        try await world.history(type, since: since, upTo: upTo, limit: limit, process: process)
    }
    func samples(of type: String, _ uuids: [UUID]) async throws -> [HealthReading] {
        try await world.again(type, uuids: uuids, process: process)
    }
    func startObserving(
        _ types: [String], _ wake: @escaping @Sendable (ObserverUpdate) -> Void
    ) async -> [String: HealthSourceError] {
        observers.start(types, wake)
    }
    func stopObserving() async { observers.stop() }

    func state(of stream: HealthStream) async throws -> [UInt8]? { try await world.load(stream, process: process) }
    func save(_ state: [UInt8], of stream: HealthStream) async throws {
        try await world.save(state, of: stream, process: process)
    }
    func known(_ uuids: [UUID], of stream: HealthStream) async throws -> [UUID: IndexedSample] {
        try await world.known(uuids, of: stream, process: process)
    }
    func record(_ entries: [IndexEntry], of stream: HealthStream) async throws {
        let targets = Dictionary(uniqueKeysWithValues: entries.map { ($0.uuid, $0.target.text) })
        try await world.record(targets, of: stream, process: process)
    }
    func forget(_ uuids: [UUID], of stream: HealthStream) async throws {
        try await world.forget(uuids, of: stream, process: process)
    }
    func erase(_ stream: HealthStream) async throws { try await world.erase(stream, process: process) }
}

/// HealthKit's observers: a query runs once, and its completion handler must be called.
final class Observers: Sendable {
    struct State {
        var queries: [Int: @Sendable (ObserverUpdate) -> Void] = [:]
        var running: [Int] = []
        var types: [[String]] = []
        var refused: [String: HealthSourceError] = [:]
    }
    let state = Mutex(State())

    func start(_ types: [String], _ wake: @escaping @Sendable (ObserverUpdate) -> Void) -> [String: HealthSourceError] {
        state.withLock { state in
            let query = state.queries.count
            state.queries[query] = wake
            state.running.append(query)
            state.types.append(types)
            return state.refused
        }
    }

    func stop() { state.withLock { $0.running = [] } }

    /// The observer of the latest query reports a change.
    func fire(_ wake: ObserverUpdate) {
        let query = state.withLock { state in state.running.last.flatMap { state.queries[$0] } }
        query?(wake)
    }
}

/// A store of the world.
struct Shelf: ExternalStore {
    let world: World
    let process: Int
    let name: String
    var identity = StoreIdentity.content
    var findsUnknown = false

    private func key(_ sample: OutgoingSample) -> String {
        identity == .content ? sample.targets[0] : sample.uuid.uuidString
    }

    func fetch(_ samples: [OutgoingSample]) async throws -> StoreAnswers<StorePresence> {
        let keys = Dictionary(samples.map { ($0.uuid, key($0)) }, uniquingKeysWith: { first, _ in first })
        return StoreAnswers(try await world.fetch(name, keys: keys, process: process))
    }

    private func change(_ call: String, _ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await change(call, samples.map { ($0.uuid, (key: key($0), lines: Optional($0.lines))) })
    }

    private func change(
        _ call: String, _ keys: [(UUID, (key: String, lines: [UInt8]?))]
    ) async throws -> StoreAnswers<HealthOutcome> {
        let keys = Dictionary(keys, uniquingKeysWith: { first, _ in first })
        let outcomes = try await world.change(name, call: call, keys: keys, process: process)
        // If all outcomes are equal, a store may return them for each key or once.
        let all = Set(outcomes.values)
        guard outcomes.count == keys.count, all.count == 1, let same = all.first, await world.chance(0.5) else {
            return StoreAnswers(outcomes)
        }
        return StoreAnswers(forAll: same)
    }

    func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await change("add", samples)
    }
    func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await change("update", samples)
    }
    func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome> {
        let keys = samples.map { sample in
            (
                sample.uuid,
                (key: identity == .content ? sample.targets.first ?? "" : sample.uuid.uuidString, lines: [UInt8]?.none)
            )
        }
        return try await change("delete", keys)
    }
    func backlog() async throws -> Int { try await world.backlog(name, process: process) }
}

/// A clock that advances when a test sets it.
final class ManualClock: Sendable {
    private let sleepers = Mutex<[Int: CheckedContinuation<Void, Never>]>([:])
    private let last = Mutex(0)
    private let time = Mutex(1_700_000_000.0)

    /// The current time in seconds since 1970.
    var now: Double { time.withLock { $0 } }

    func advance(by seconds: Double) { time.withLock { $0 += seconds } }

    /// The number of sleeping tasks.
    var count: Int { sleepers.withLock { $0.count } }

    func sleep() async {
        let id = last.withLock { last in
            last += 1
            return last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sleepers.withLock { $0[id] = continuation }
                if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: Int) { sleepers.withLock { $0.removeValue(forKey: id) }?.resume() }

    /// Wakes all sleeping tasks.
    func fire() {
        let all = sleepers.withLock { sleepers in
            defer { sleepers = [:] }
            return sleepers
        }
        for continuation in all.values { continuation.resume() }
    }

    static func untilCancelled() async { await ManualClock().sleep() }
}

/// Counts the calls of each completion handler.
final class Handlers: Sendable {
    private let calls = Mutex<[Int]>([])

    func make() -> @Sendable () -> Void {
        let id = calls.withLock { calls in
            calls.append(0)
            return calls.count - 1
        }
        return { self.calls.withLock { $0[id] += 1 } }
    }

    var counts: [Int] { calls.withLock { $0 } }
}

extension HealthSyncEnvironment {
    static func test(_ clock: ManualClock, random: Double = 0, isLowPower: Bool = false) -> HealthSyncEnvironment {
        HealthSyncEnvironment(
            now: { clock.now }, random: { random }, sleep: { _ in await clock.sleep() }, isLowPower: { isLowPower })
    }
}
