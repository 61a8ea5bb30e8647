import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import TestSupport

/// A phone's health data, the stores and the disk, with a power switch: what a process did before the power went stays, and
/// whatever it does afterwards fails.
actor World {
    struct PowerLost: Error {}

    /// A change as the source tells it.
    enum Change {
        case added(UUID)
        case deleted(UUID)
    }

    struct Sample {
        let uuid: UUID
        let sample: HealthSample
        /// The table's version from which on it can be converted.
        let readableFrom: Int
    }

    /// What a store has, by its resources, or by its samples where it takes each for itself.
    struct Stored {
        var things: [String: [UInt8]] = [:]
        var calls: [String] = []
        var backlog = 0
    }

    enum Fault: CaseIterable { case none, network, lostAnswer, keepsSome, busy, hangs, silent }

    // What is durable.
    private(set) var journal: [String: [Change]] = [:]
    private(set) var samples: [String: [UUID: Sample]] = [:]
    private(set) var stores: [String: Stored] = [:]
    private(set) var saved: [HealthStream: [UInt8]] = [:]
    private(set) var index: [HealthStream: [UUID: String]] = [:]

    // How it behaves.
    var table = 1
    var isLocked = false
    var faults = 0.0
    var mutations = 0.0
    var refused: Set<String> = []
    var keptThings: Set<String> = []
    /// What stores answer for everything; nil where they take it.
    var answer: HealthOutcome?
    var failsLookUp = false
    /// Whether the source knows the place behind what it has; a journal is read from its beginning.
    var hasPosition = true
    var failsSave = false
    /// After so many saves each one fails; nil for never.
    var savesLeft: Int?
    /// How long a call of a store takes.
    var secondsACall = 0.0
    /// After so many calls the power goes; nil for never.
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

    /// Any call begins or ends: here the power may go, and the person may add and delete.
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

    /// Adds, edits or deletes something; few times and values, so that contents are often equal.
    func mutate() {
        let type = types[pick(0...types.count - 1)]
        let live = samples[type].map { $0.keys.sorted { $0.uuidString < $1.uuidString } } ?? []
        let isDeleting = !live.isEmpty && chance(0.35)
        // What was added last is deleted most: it may be on its way.
        if isDeleting { delete(chance(0.5) ? latest(type) ?? live[0] : live[pick(0...live.count - 1)]) }
        // An edit is both.
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

    /// What a store must have in the end.
    func expected(_ store: String, _ identity: StoreIdentity, _ types: Set<String>) -> Set<String> {
        var expected: Set<String> = []
        for type in types {
            for sample in (samples[type] ?? [:]).values where sample.readableFrom <= table {
                let target = "Observation/" + sample.sample.fingerprint.resourceID(subject: "p1")
                expected.insert(identity == .content ? target : sample.uuid.uuidString)
            }
        }
        return expected
    }

    /// The resources of the samples that ended last.
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

    func position(_ type: String, _ process: Int) throws -> HealthAnchor? {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        return hasPosition ? HealthAnchor("\(journal[type]?.count ?? 0)".utf8) : nil
    }

    func changes(_ type: String, _ anchor: HealthAnchor?, _ limit: Int, _ process: Int) throws -> HealthChanges {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        let all = journal[type] ?? []
        let start = anchor.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        guard (0...all.count).contains(start) else { throw HealthSourceError(.anchorInvalid) }
        var place = start
        var changes = HealthChanges(anchor: nil)
        while place < all.count, changes.added.count < limit {
            switch all[place] {
            case .added(let uuid):
                if let sample = samples[type]?[uuid] { changes.added.append(reading(sample)) }
            case .deleted(let uuid): changes.deleted.append(uuid)
            }
            place += 1
        }
        changes.anchor = HealthAnchor("\(place)".utf8)
        changes.hasMore = place < all.count
        return changes
    }

    func history(
        _ type: String, _ since: Double?, _ upTo: Double?, _ limit: Int, _ process: Int
    ) throws -> HealthPage {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        let found = (samples[type] ?? [:]).values.filter {
            Double($0.sample.end.seconds) <= upTo ?? .infinity && Double($0.sample.end.seconds) >= since ?? -.infinity
        }.sorted { $0.sample.end.seconds > $1.sample.end.seconds }
        return HealthPage(found.prefix(limit).map(reading), hasMore: found.count > limit)
    }

    func again(_ type: String, _ uuids: [UUID], _ process: Int) throws -> [HealthReading] {
        try tick(process)
        reads += 1
        if isLocked { throw HealthSourceError(.locked) }
        return uuids.compactMap { samples[type]?[$0].map(reading) }
    }

    // MARK: - The stores

    func nextFault() -> Fault { chance(faults) ? Fault.allCases[pick(1...Fault.allCases.count - 1)] : .none }

    func fetch(_ store: String, _ keys: [UUID: String], _ process: Int) throws -> [UUID: StorePresence] {
        try tick(process)
        stores[store, default: Stored()].calls.append("fetch \(keys.count)")
        if chance(faults / 2) { throw PowerLost() }
        var presence: [UUID: StorePresence] = [:]
        for (uuid, key) in keys.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            switch chance(faults / 4) ? pick(0...1) : 2 {
            case 0: presence[uuid] = .kept(code: "http-503", retryAfter: 5)
            case 1: break
            default: presence[uuid] = stores[store]?.things[key] != nil ? .present : .absent
            }
        }
        return presence
    }

    func change(
        _ store: String, _ call: String, _ keys: [UUID: (key: String, lines: [UInt8]?)], _ process: Int
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
        if fault == .busy { return keys.mapValues { _ in .kept(code: "http-429", retryAfter: 60) } }
        var outcomes: [UUID: HealthOutcome] = [:]
        for (uuid, thing) in keys.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            if fault == .keepsSome, chance(0.5) {
                outcomes[uuid] = .kept(code: "http-503", retryAfter: nil)
                continue
            }
            if keptThings.contains(thing.key) {
                outcomes[uuid] = .kept(code: "http-503", retryAfter: nil)
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

    func backlog(_ store: String, _ process: Int) throws -> Int {
        try tick(process)
        return stores[store]?.backlog ?? 0
    }

    // MARK: - The disk

    func load(_ stream: HealthStream, _ process: Int) throws -> [UInt8]? {
        try tick(process)
        return saved[stream]
    }

    func save(_ state: [UInt8], _ stream: HealthStream, _ process: Int) throws {
        try tick(process)
        if failsSave || savesLeft == 0 { throw CocoaError(.fileWriteOutOfSpace) }
        savesLeft = savesLeft.map { $0 - 1 }
        (writes, saves) = (writes + 1, saves + 1)
        saved[stream] = state
        try tick(process)
    }

    func known(_ uuids: [UUID], _ stream: HealthStream, _ process: Int) throws -> [UUID: IndexedSample] {
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

    func note(_ targets: [UUID: String], _ stream: HealthStream, _ process: Int) throws {
        try tick(process)
        writes += 1
        index[stream, default: [:]].merge(targets) { $1 }
        try tick(process)
    }

    func forget(_ uuids: [UUID], _ stream: HealthStream, _ process: Int) throws {
        try tick(process)
        writes += 1
        for uuid in uuids { index[stream]?[uuid] = nil }
        try tick(process)
    }

    func erase(_ stream: HealthStream, _ process: Int) throws {
        try tick(process)
        saved[stream] = nil
        index[stream] = nil
    }
}
