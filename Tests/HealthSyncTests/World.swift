import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import TestSupport

/// A phone's health data, the stores and the disk, with simulated power loss: the effects of a process before the power
/// loss stay, and all its later calls fail.
actor World {
    struct PowerLost: Error {}

    /// A change as the source reports it.
    enum Change {
        case added(UUID)
        case deleted(UUID)
    }

    struct Sample {
        let uuid: UUID
        let sample: HealthSample
        /// The version of the table from which on the sample can be converted.
        let readableFrom: Int
    }

    /// The contents of a store, by resource, or by sample if it stores each sample separately.
    struct Stored {
        var things: [String: [UInt8]] = [:]
        var calls: [String] = []
        var backlog = 0
    }

    enum Fault: CaseIterable { case none, network, lostAnswer, defersSome, busy, hangs, silent }

    // Durable state.
    private(set) var journal: [String: [Change]] = [:]
    private(set) var samples: [String: [UUID: Sample]] = [:]
    private(set) var stores: [String: Stored] = [:]
    private(set) var saved: [HealthStream: [UInt8]] = [:]
    private(set) var index: [HealthStream: [UUID: String]] = [:]

    // Behaviour.
    var table = 1
    var isLocked = false
    var faults = 0.0
    var mutations = 0.0
    var refused: Set<String> = []
    var deferredThings: Set<String> = []
    /// The outcome that stores return for everything; nil if they accept it.
    var answer: HealthOutcome?
    var failsLookUp = false
    /// Whether the source can return the current position; a journal is read from its beginning.
    var hasPosition = true
    var failsSave = false
    /// Number of saves after which each save fails; nil for never.
    var savesLeft: Int?
    /// Seconds that a call of a store takes.
    var secondsACall = 0.0
    /// Number of calls after which the power is lost; nil for never.
    var powerLeft: Int?
    private(set) var process = 0
    private(set) var writes = 0
    private(set) var saves = 0
    private(set) var reads = 0
    private var random: Seeded
    let clock: ManualClock
    let types: [String]

    init(seed: UInt64, types: [String], clock: ManualClock = ManualClock()) {
        random = Seeded(seed)
        self.types = types
        self.clock = clock
    }

    func set(_ change: @Sendable (isolated World) -> Void) { change(self) }

    // MARK: - Power

    func restart() -> Int {
        process += 1
        powerLeft = nil
        return process
    }

    func isOn(_ process: Int) -> Bool { process == self.process }

    /// Marks the begin or end of any call: here the power can be lost, and the person can add and delete samples.
    func tick(_ process: Int) throws {
        guard process == self.process else { throw PowerLost() }
        if let left = powerLeft {
            powerLeft = left - 1
            if left <= 0 {
                self.process += 1
                throw PowerLost()
            }
        }
        if chance(mutations) { mutate() }
        if chance(faults / 20) { clock.fire() }
    }

    func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: - The person

    func add(_ sample: HealthSample, uuid: UUID? = nil, readableFrom: Int = 0) -> UUID {
        let uuid = uuid ?? newUUID()
        let type = sample.type.identifier
        samples[type, default: [:]][uuid] = Sample(uuid: uuid, sample: sample, readableFrom: readableFrom)
        journal[type, default: []].append(.added(uuid))
        return uuid
    }

    func delete(_ uuid: UUID) {
        for type in types where samples[type]?.removeValue(forKey: uuid) != nil {
            journal[type, default: []].append(.deleted(uuid))
        }
    }

    private func newUUID() -> UUID {
        var bytes = [random.next(), random.next()]
        return bytes.withUnsafeMutableBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Adds, edits or deletes a sample; with few times and values, so that contents are often equal.
    func mutate() {
        let type = types[pick(0...types.count - 1)]
        let live = samples[type].map { $0.keys.sorted { $0.uuidString < $1.uuidString } } ?? []
        let isDeleting = !live.isEmpty && chance(0.35)
        // Half of the deletions are of the latest sample, which may be in progress.
        if isDeleting { delete(chance(0.5) ? latest(type) ?? live[0] : live[pick(0...live.count - 1)]) }
        // An edit is a deletion and an addition.
        guard !isDeleting || chance(0.4) else { return }
        let isOld = chance(0.3)
        let seconds = isOld ? Int64(-pick(1...40)) * 86_400 : Int64(pick(0...5)) * 60
        let source = HealthSource(product: .appleWatch, version: "\(pick(1...2))")
        let name = type
        guard let known = HealthType.named(name), let measure = known.measure,
            let quantity = try? HealthQuantity("\(pick(60...63))", unit: measure.healthKitUnit.description, as: measure)
        else { return }
        let moment = HealthInstant(seconds: 1_699_990_000 + seconds, offsetMinutes: 60)
        let sample = HealthSample(
            type: known, value: .quantity(quantity), start: moment, end: moment, source: source)
        _ = add(sample, readableFrom: chance(0.1) ? 2 : 0)
    }

    private func latest(_ type: String) -> UUID? {
        for change in (journal[type] ?? []).reversed() {
            if case .added(let uuid) = change, samples[type]?[uuid] != nil { return uuid }
        }
        return nil
    }

    /// Returns the content that a store must have in the end.
    func expected(_ store: String, identity: StoreIdentity, types: Set<String>) -> Set<String> {
        var expected: Set<String> = []
        for type in types {
            for sample in (samples[type] ?? [:]).values where sample.readableFrom <= table {
                let target = "Observation/" + sample.sample.fingerprint.resourceID(subject: "p1")
                expected.insert(identity == .content ? target : sample.uuid.uuidString)
            }
        }
        return expected
    }

    /// Returns the resources of the samples with the latest ends.
    func newest(_ count: Int, _ type: String) -> Set<String> {
        let sorted = (samples[type] ?? [:]).values.sorted { $0.sample.end.seconds > $1.sample.end.seconds }
        return Set(sorted.prefix(count).map { "Observation/" + $0.sample.fingerprint.resourceID(subject: "p1") })
    }

    func things(_ store: String) -> Set<String> { Set((stores[store]?.things ?? [:]).keys) }
    func calls(_ store: String) -> [String] { stores[store]?.calls ?? [] }
    func forgetCalls() {
        for name in stores.keys { stores[name]?.calls = [] }
        writes = 0
        reads = 0
    }
    func plant(_ thing: String, in store: String) { stores[store, default: Stored()].things[thing] = [] }
    func setBacklog(_ count: Int, of store: String) { stores[store, default: Stored()].backlog = count }
    func overwrite(_ bytes: [UInt8], _ stream: HealthStream) { saved[stream] = bytes }
    func rewriteJournal(_ type: String) { journal[type] = [] }

    // MARK: - The source

    private func reading(_ sample: Sample) -> HealthReading {
        HealthReading(
            uuid: sample.uuid, end: Double(sample.sample.end.seconds),
            sample.readableFrom <= table ? .sample(sample.sample) : .unreadable(.unknownUnit))
    }

    func position(_ type: String, process: Int) throws -> HealthAnchor? {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        return hasPosition ? HealthAnchor("\(journal[type]?.count ?? 0)".utf8) : nil
    }

    func changes(_ type: String, after anchor: HealthAnchor?, limit: Int, process: Int) throws -> HealthChanges {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        let all = journal[type] ?? []
        let start = anchor.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        guard (0...all.count).contains(start) else { throw HealthSourceError(.anchorInvalid) }
        var next = start
        var changes = HealthChanges(anchor: nil)
        while next < all.count, changes.added.count < limit {
            switch all[next] {
            case .added(let uuid):
                if let sample = samples[type]?[uuid] { changes.added.append(reading(sample)) }
            case .deleted(let uuid): changes.deleted.append(uuid)
            }
            next += 1
        }
        changes.anchor = HealthAnchor("\(next)".utf8)
        changes.hasMore = next < all.count
        return changes
    }

    func history(
        _ type: String, since: Double?, upTo: Double?, limit: Int, process: Int
    ) throws -> HealthPage {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        let found = (samples[type] ?? [:]).values.filter {
            Double($0.sample.end.seconds) <= upTo ?? .infinity && Double($0.sample.end.seconds) >= since ?? -.infinity
        }.sorted { $0.sample.end.seconds > $1.sample.end.seconds }
        return HealthPage(found.prefix(limit).map(reading), hasMore: found.count > limit)
    }

    func again(_ type: String, uuids: [UUID], process: Int) throws -> [HealthReading] {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        return uuids.compactMap { samples[type]?[$0].map(reading) }
    }

    // MARK: - The stores

    func nextFault() -> Fault { chance(faults) ? Fault.allCases[pick(1...Fault.allCases.count - 1)] : .none }

    func fetch(_ store: String, keys: [UUID: String], process: Int) throws -> [UUID: StorePresence] {
        try tick(process)
        stores[store, default: Stored()].calls.append("fetch \(keys.count)")
        if chance(faults / 2) { throw PowerLost() }
        var presence: [UUID: StorePresence] = [:]
        for (uuid, key) in keys.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            switch chance(faults / 4) ? pick(0...1) : 2 {
            case 0: presence[uuid] = .deferred(code: "http-503", retryAfter: 5)
            case 1: break
            default: presence[uuid] = stores[store]?.things[key] != nil ? .present : .absent
            }
        }
        return presence
    }

    func change(
        _ store: String, call: String, keys: [UUID: (key: String, lines: [UInt8]?)], process: Int
    ) async throws -> [UUID: HealthOutcome] {
        try tick(process)
        clock.advance(by: secondsACall)
        stores[store, default: Stored()].calls.append("\(call) \(keys.count)")
        let fault = nextFault()
        if fault == .network { throw PowerLost() }
        if fault == .hangs {
            while !Task.isCancelled {
                clock.fire()
                await Task.yield()
            }
            throw CancellationError()
        }
        if let answer { return keys.mapValues { _ in answer } }
        if fault == .busy { return keys.mapValues { _ in .deferred(code: "http-429", retryAfter: 60) } }
        var outcomes: [UUID: HealthOutcome] = [:]
        for (uuid, thing) in keys.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            if fault == .defersSome, chance(0.5) {
                outcomes[uuid] = .deferred(code: "http-503", retryAfter: nil)
                continue
            }
            if deferredThings.contains(thing.key) {
                outcomes[uuid] = .deferred(code: "http-503", retryAfter: nil)
                continue
            }
            if refused.contains(thing.key) {
                outcomes[uuid] = .refused(code: "http-422")
                continue
            }
            stores[store, default: Stored()].things[thing.key] = thing.lines
            outcomes[uuid] = .stored
        }
        if fault == .lostAnswer { throw PowerLost() }
        if fault == .silent { return [:] }
        try tick(process)
        return outcomes
    }

    func backlog(_ store: String, process: Int) throws -> Int {
        try tick(process)
        return stores[store]?.backlog ?? 0
    }

    // MARK: - The disk

    func load(_ stream: HealthStream, process: Int) throws -> [UInt8]? {
        try tick(process)
        return saved[stream]
    }

    func save(_ state: [UInt8], of stream: HealthStream, process: Int) throws {
        try tick(process)
        if failsSave || savesLeft == 0 { throw CocoaError(.fileWriteOutOfSpace) }
        savesLeft = savesLeft.map { $0 - 1 }
        (writes, saves) = (writes + 1, saves + 1)
        saved[stream] = state
        try tick(process)
    }

    func known(_ uuids: [UUID], of stream: HealthStream, process: Int) throws -> [UUID: IndexedSample] {
        try tick(process)
        if failsLookUp { throw CocoaError(.fileReadUnknown) }
        let all = index[stream] ?? [:]
        var counts: [String: Int] = [:]
        for target in all.values { counts[target, default: 0] += 1 }
        var known: [UUID: IndexedSample] = [:]
        for uuid in uuids {
            if let target = all[uuid] {
                known[uuid] = IndexedSample(target: HealthTarget(target), count: counts[target] ?? 0)
            }
        }
        return known
    }

    func record(_ targets: [UUID: String], of stream: HealthStream, process: Int) throws {
        try tick(process)
        writes += 1
        index[stream, default: [:]].merge(targets) { $1 }
        try tick(process)
    }

    func forget(_ uuids: [UUID], of stream: HealthStream, process: Int) throws {
        try tick(process)
        writes += 1
        for uuid in uuids { index[stream]?[uuid] = nil }
        try tick(process)
    }

    func erase(_ stream: HealthStream, process: Int) throws {
        try tick(process)
        saved[stream] = nil
        index[stream] = nil
    }
}
