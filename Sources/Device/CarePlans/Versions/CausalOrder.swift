import Foundation

/// The order in which a copy of a care plan can take versions one by one: predecessors before followers, and a task before
/// its outcomes.
public enum CausalOrder {
    /// Returns versions in causal order. Where this order leaves a choice, a version with less knowledge comes first, then
    /// the kind decides (patient, plan, contact, task, outcome), then the time of the change, then the identity.
    ///
    /// Only references among the given versions count. Of several versions with one identity the first one is returned.
    ///
    /// - Throws: ``CarePlanError`` `version-cycle`.
    public static func sort(_ revisions: [CareRevision]) throws(CarePlanError) -> [Entry] {
        var entries: [UUID: Entry] = [:]
        for revision in revisions {
            let sum = revision.knowledgeVector.sum
            for entity in revision.entities where entries[entity.uuid] == nil {
                entries[entity.uuid] = Entry(entity: entity, knowledgeVector: revision.knowledgeVector, sum: sum)
            }
        }
        var missing: [UUID: Int] = [:]
        var followers: [UUID: [UUID]] = [:]
        for (uuid, entry) in entries {
            let references = Set(entry.entity.previous + (entry.entity.event.map { [$0.task] } ?? []))
                .filter { entries[$0] != nil && $0 != uuid }
            missing[uuid] = references.count
            for reference in references { followers[reference, default: []].append(uuid) }
        }
        // All versions that are ready at the same time are sorted together; their followers come after all of them.
        var ready = entries.values.filter { missing[$0.entity.uuid] == 0 }.sorted { $0.isBefore($1) }
        var sorted: [Entry] = []
        sorted.reserveCapacity(entries.count)
        while !ready.isEmpty {
            sorted += ready
            var following: [Entry] = []
            for entry in ready {
                for follower in followers[entry.entity.uuid] ?? [] {
                    let left = (missing[follower] ?? 1) - 1
                    missing[follower] = left
                    if left == 0, let entry = entries[follower] { following.append(entry) }
                }
            }
            ready = following.sorted { $0.isBefore($1) }
        }
        guard sorted.count == entries.count else { throw CarePlanError(.versionCycle, at: "$.previousVersionUUIDs") }
        return sorted
    }

    /// A version with the knowledge of its revision.
    public struct Entry: Sendable, Hashable {
        /// The version.
        public let entity: CareEntity
        /// The knowledge of the copy that made the version.
        public let knowledgeVector: KnowledgeVector
        fileprivate let sum: Double

        fileprivate func isBefore(_ other: Entry) -> Bool {
            if sum != other.sum { return sum < other.sum }
            if entity.kind != other.entity.kind { return entity.kind.rank < other.entity.kind.rank }
            let (date, otherDate) = (entity.updatedDate ?? 0, other.entity.updatedDate ?? 0)
            return date != otherDate ? date < otherDate : entity.uuid.halves < other.entity.uuid.halves
        }
    }
}
