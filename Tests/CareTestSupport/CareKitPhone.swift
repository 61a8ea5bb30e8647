import CareKitAdapter
import CareKitStore
import CarePlans
import CareStores
import Foundation

/// A phone with the stand-in for CareKit's store, which synchronises through the adapter. Changes go through the public
/// calls that CareKit's cards use.
public final class CareKitPhone: SimulatedPhone, @unchecked Sendable {
    public let name: String
    public let keepsAllVersions = false
    private let server: any CareServer
    private let random: SimulationRandom
    private let lock = NSLock()
    private var installed: (store: OCKStore, remote: CareKitSynchronizer)
    private var formerTraps: [String] = []

    public init(name: String, server: any CareServer, random: SimulationRandom) {
        self.name = name
        self.server = server
        self.random = random
        installed = Self.install(name, server: server, random: random)
    }

    private static func install(_ name: String, server: any CareServer, random: SimulationRandom)
        -> (store: OCKStore, remote: CareKitSynchronizer)
    {
        let remote = CareKitSynchronizer(
            server: server, options: CareKitSyncOptions(automaticallySynchronizes: false))
        let surroundings = StoreSurroundings(random: { random.next() }, now: { random.now() })
        return (OCKStore(name: name, remote: remote, surroundings: surroundings), remote)
    }

    public var store: OCKStore { lock.withLock { installed.store } }
    public var traps: [String] { lock.withLock { formerTraps + installed.store.context.traps } }

    public func synchronize() async throws { try await store.synchronize() }

    public func versions() async throws -> Set<UUID> { Set(store.allEntities.map(\.value.uuid)) }

    public func shown() async throws -> Set<ShownVersion> {
        let live = store.allEntities.filter { $0.value.nextVersionUUIDs.isEmpty && $0.value.deletedDate == nil }
        return Set(try live.map { ShownVersion(try CareEntity($0)) })
    }

    public func copy() async throws {}
    public func endFaults() {}

    /// CareKit excludes its files from backups: a restored phone begins with an empty store.
    public func restoreCopy() async throws {
        lock.withLock {
            formerTraps += installed.store.context.traps
            installed = Self.install(name, server: server, random: random)
        }
    }

    private func currentTasks() async throws -> [OCKTask] {
        try await store.fetchTasks(query: OCKTaskQuery()).filter(\.nextVersionUUIDs.isEmpty)
            .sorted { $0.uuid.uuidString < $1.uuid.uuidString }
    }

    public func change(_ use: SimulatedUse) async throws {
        let tasks = try await currentTasks()
        let choice = random.number(below: 100)
        guard choice >= use.shares.tasks, let task = random.element(of: tasks) else {
            try await store.addTask(
                SimulatedContent.task(id: random.uuid().uuidString, version: 0, random: random))
            return
        }
        if choice < use.shares.versions {
            if use == .toggles, random.chance(0.1) {
                try await store.deleteTasks([task])
            } else {
                let version = SimulatedContent.number(of: task) + 1
                // The app gets an error where the new version would lose outcomes.
                _ = try? await store.updateTask(SimulatedContent.task(id: task.id, version: version, random: random))
            }
            return
        }
        let occurrence = random.number(below: 2)
        var query = OCKOutcomeQuery()
        query.taskUUIDs = [task.uuid]
        let outcome = try await store.fetchOutcomes(query: query)
            .first { $0.nextVersionUUIDs.isEmpty && $0.taskOccurrenceIndex == occurrence }
        guard var outcome else {
            // The app gets an error where a later version of the task overshadows the event.
            _ = try? await store.addOutcome(
                SimulatedContent.outcome(task: task.uuid, occurrence: occurrence, random: random))
            return
        }
        guard use == .toggles else { return }
        if random.chance(0.6) {
            try await store.deleteOutcome(outcome)
        } else {
            outcome.values.append(OCKOutcomeValue(random.number(below: 100)))
            outcome.effectiveDate = random.now()
            _ = try? await store.updateOutcome(outcome)
        }
    }
}
