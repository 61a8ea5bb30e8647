import CarePlans
import CareStores
import DeviceSystem
import Foundation

/// A phone with the store of `CareStores`, whose process ends at random writes (kill -9) and whose file may be an old copy.
public final class StorePhone: SimulatedPhone, @unchecked Sendable {
    public let name: String
    public let keepsAllVersions = true
    public let traps: [String] = []
    private let server: any CareServer
    private let random: SimulationRandom
    private let lock = NSLock()
    private var file = SimulatedFile()
    private var store: CarePlanStore
    private var kept: SimulatedFile?
    /// The probability that the process ends in one of the writes of a change or of a sync.
    private var kills: Double

    public init(name: String, server: any CareServer, random: SimulationRandom, kills: Double = 0.15) throws {
        self.name = name
        self.server = server
        self.random = random
        self.kills = kills
        store = try Self.open(file, server: server, random: random)
    }

    private static func open(_ file: SimulatedFile, server: any CareServer, random: SimulationRandom) throws
        -> CarePlanStore
    {
        try CarePlanStore(
            patient: "patient", file: file, server: server, now: { random.now() }, makeUUID: { random.uuid() })
    }

    private var current: (store: CarePlanStore, file: SimulatedFile) { lock.withLock { (store, file) } }

    /// A new process with a file.
    private func start(_ file: SimulatedFile) throws {
        let store = try Self.open(file, server: server, random: random)
        lock.withLock { (self.file, self.store) = (file, store) }
    }

    public func change(_ use: SimulatedUse) async throws {
        let (store, file) = current
        let graph = VersionGraph(await store.versions())
        let changes = try SimulatedContent.change(of: graph, use: use, random: random).map { try CareEntity($0) }
        try await ending(file) { try await store.insert(changes) }
    }

    public func synchronize() async throws {
        let (store, file) = current
        try await ending(file) { _ = try await store.sync() }
    }

    /// Performs an operation in whose writes the process may end.
    private func ending(_ file: SimulatedFile, _ operation: () async throws -> Void) async throws {
        let kills = lock.withLock { self.kills }
        guard kills > 0, !file.isEnding, random.chance(kills) else { return try await operation() }
        file.end(inWrite: 1 + random.number(below: 4), afterBytes: random.number(below: 400))
        do {
            try await operation()
        } catch {
            try start(file.copy())
            throw error
        }
        // The process ended after the operation.
        try start(file.copy())
    }

    public func shown() async throws -> Set<ShownVersion> {
        Set(VersionGraph(await current.store.versions()).liveTips.map { ShownVersion($0) })
    }

    public func versions() async throws -> Set<UUID> { Set(await current.store.versions().map(\.uuid)) }

    public func endFaults() { lock.withLock { kills = 0 } }

    public func copy() async throws {
        let copy = current.file.copy()
        lock.withLock { kept = copy }
    }

    public func restoreCopy() async throws {
        guard let kept = lock.withLock({ kept }) else { return }
        try start(kept.copy())
    }
}

/// A file in memory whose process can end in the middle of a write.
final class SimulatedFile: GrowingFile, @unchecked Sendable {
    private let lock = NSLock()
    private var bytes: [UInt8]
    private var writesLeft: Int?
    private var bytesOfLast = 0

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// The file as a new process finds it.
    func copy() -> SimulatedFile { lock.withLock { SimulatedFile(bytes) } }
    var isEnding: Bool { lock.withLock { writesLeft != nil } }
    func end(inWrite number: Int, afterBytes count: Int) {
        lock.withLock { (writesLeft, bytesOfLast) = (number, count) }
    }

    func size() throws -> Int { lock.withLock { bytes.count } }
    func read(from offset: Int, count: Int) throws -> [UInt8] {
        lock.withLock { Array(bytes.dropFirst(offset).prefix(count)) }
    }

    func write(_ new: [UInt8], at offset: Int) throws {
        try lock.withLock {
            if let left = writesLeft {
                if left == 1 {
                    bytes.removeSubrange(min(offset, bytes.count)...)
                    bytes += new.prefix(bytesOfLast)
                }
                writesLeft = max(left - 1, 0)
                if left <= 1 { throw DeviceStorageError(.storageFailed, "The process ended.") }
            }
            bytes.removeSubrange(min(offset, bytes.count)...)
            bytes += new
        }
    }
}
