import Foundation

/// The versions of entities, linked by their predecessors.
///
/// `nextVersionUUIDs` of the JSON are not read: they are as old as the version. The followers of a version are the versions
/// that name it as their predecessor.
public struct VersionGraph: Sendable {
    /// The versions by their identity. Of several versions with one identity the first one counts.
    public private(set) var versions: [UUID: CareEntity] = [:]
    /// The versions that follow a version.
    public private(set) var next: [UUID: Set<UUID>] = [:]

    /// Creates a graph.
    public init(_ versions: some Sequence<CareEntity> = EmptyCollection<CareEntity>()) {
        for version in versions { insert(version) }
    }

    /// Adds a version. A version whose identity is in the graph changes nothing.
    ///
    /// - Returns: whether the version is new.
    @discardableResult
    public mutating func insert(_ version: CareEntity) -> Bool {
        guard versions[version.uuid] == nil else { return false }
        versions[version.uuid] = version
        for previous in version.previous { next[previous, default: []].insert(version.uuid) }
        return true
    }

    /// Whether a version has no follower in the graph.
    public func isTip(_ version: UUID) -> Bool { next[version] == nil }

    /// The versions without a follower, by identity.
    public var tips: [CareEntity] {
        versions.values.filter { isTip($0.uuid) }.sorted { $0.uuid.uuidString < $1.uuid.uuidString }
    }

    /// The versions without a follower that are no deletions, by identity.
    public var liveTips: [CareEntity] { tips.filter { !$0.isTombstone } }
}
