import Core
import Foundation

/// A care plan as its versions make it: the current entities, and the events of its tasks.
///
/// Of several tips of one entity, and of several live outcomes of one event, the winner of ``ConflictResolution`` is
/// current.
public struct CarePlanContents: Sendable {
    /// The identity that all versions of an entity share.
    public struct EntityKey: Sendable, Hashable {
        /// The kind.
        public let kind: CareEntityKind
        /// The id.
        public let id: String

        /// Creates an identity.
        public init(_ kind: CareEntityKind, id: String) {
            self.kind = kind
            self.id = id
        }

        /// The identity of a version's entity.
        public init(_ version: CareEntity) { self.init(version.kind, id: version.id) }
    }

    /// All versions.
    public private(set) var graph: VersionGraph
    private var entities: [EntityKey: [UUID]] = [:]
    private var tips: [EntityKey: Set<UUID>] = [:]
    private var outcomes: [CareEvent.Key: Set<String>] = [:]

    /// Creates the contents from all versions of a plan, in any order.
    public init(_ versions: some Sequence<CareEntity> = EmptyCollection<CareEntity>()) {
        graph = VersionGraph()
        for version in versions { insert(version) }
    }

    /// Adds a version. A version whose identity is known changes nothing.
    ///
    /// - Returns: whether the version is new.
    @discardableResult
    public mutating func insert(_ version: CareEntity) -> Bool {
        guard graph.insert(version) else { return false }
        let key = EntityKey(version)
        entities[key, default: []].append(version.uuid)
        if graph.isTip(version.uuid) { tips[key, default: []].insert(version.uuid) }
        for previous in version.previous {
            guard let previous = graph.versions[previous] else { continue }
            tips[EntityKey(previous)]?.remove(previous.uuid)
        }
        if let event = version.event { outcomes[event, default: []].insert(version.id) }
        return true
    }

    /// The versions of an entity, in the order of their identities.
    public func versions(of key: EntityKey) -> [CareEntity] {
        (entities[key] ?? []).compactMap { graph.versions[$0] }.sorted { $0.uuid.halves < $1.uuid.halves }
    }

    /// The versions of an entity without a follower, in the order of their identities.
    public func tips(of key: EntityKey) -> [CareEntity] {
        (tips[key] ?? []).compactMap { graph.versions[$0] }.sorted { $0.uuid.halves < $1.uuid.halves }
    }

    /// The winner of the tips of an entity, which may be a tombstone; nil if the entity has no tip.
    public func newestVersion(of key: EntityKey) -> CareEntity? { ConflictResolution.winner(of: tips(of: key)) }

    /// The current version of an entity; nil if it is unknown or deleted.
    public func currentVersion(of key: EntityKey) -> CareEntity? {
        newestVersion(of: key).flatMap { $0.isTombstone ? nil : $0 }
    }

    /// The live outcomes of an event: one for each id, in the order of their identities. Several ones are a conflict.
    public func liveOutcomes(of event: CareEvent.Key) -> [CareEntity] {
        (outcomes[event] ?? []).compactMap { currentVersion(of: EntityKey(.outcome, id: $0)) }
            .filter { $0.event == event }.sorted { $0.uuid.halves < $1.uuid.halves }
    }

    /// The current outcome of an event; nil if there is none.
    public func outcome(of event: CareEvent.Key) -> CareEntity? {
        ConflictResolution.winner(of: liveOutcomes(of: event))
    }

    /// The greatest index of an event of a task version that has a live outcome; nil if there is none.
    func lastOutcome(of task: UUID) -> Int? {
        outcomes.keys.filter { $0.task == task && !liveOutcomes(of: $0).isEmpty }.map(\.occurrence).max()
    }

    /// The current versions of all entities, without deleted ones, by kind (patient, plan, contact, task, HealthKit task,
    /// outcome), then by id.
    public var current: [CareEntity] {
        entities.keys.compactMap { key -> CareEntity? in
            guard let version = currentVersion(of: key) else { return nil }
            guard let event = version.event else { return version }
            return outcome(of: event)?.uuid == version.uuid ? version : nil
        }
        .sorted { ($0.kind.rank, $0.id) < ($1.kind.rank, $1.id) }
    }

    /// The ids of all tasks, deleted ones too.
    var taskKeys: [EntityKey] { entities.keys.filter { $0.kind == .task || $0.kind == .healthKitTask } }
}
