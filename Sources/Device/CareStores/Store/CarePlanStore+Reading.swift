import CarePlans
import Foundation

/// The plan. Reading needs no network, and includes the changes that are not sent yet.
extension CarePlanStore {
    /// The plan that the versions make: entities, versions, events and adherence.
    public var contents: CarePlanContents { copy.contents }

    /// The current versions of the entities, without deleted ones. Of several tips of an entity, and of several live
    /// outcomes of an event, the winner of `ConflictResolution` is current.
    ///
    /// - Parameter kind: the kind; nil for all kinds.
    public func entities(_ kind: CareEntityKind? = nil) -> [CareEntity] {
        copy.contents.current.filter { kind == nil || $0.kind == kind }
    }

    /// All versions, deletions too, in causal order: predecessors before followers, tasks before their outcomes.
    ///
    /// - Parameter kind: the kind; nil for all kinds.
    public func versions(_ kind: CareEntityKind? = nil) -> [CareEntity] {
        let revisions = copy.graph.versions.values.map { version in
            CareRevision([version], knowledgeVector: copy.vectors[version.uuid] ?? KnowledgeVector())
        }
        let sorted = (try? CausalOrder.sort(revisions))?.map(\.entity) ?? copy.contents.current
        return sorted.filter { kind == nil || $0.kind == kind }
    }

    /// The events that overlap a time, with their outcomes.
    ///
    /// - Parameters:
    ///   - start: the start of the time; it belongs to the time.
    ///   - end: the end of the time; it does not belong to the time.
    /// - Throws: `CarePlanError`, `range-too-large` for more than 10,000 events or 400 days.
    public func events(from start: Date, to end: Date) throws(CarePlanError) -> [CareEvent] {
        try copy.contents.events(from: start, to: end)
    }

    /// The number of events due and done on each day, both ends included. Only tasks with `impactsAdherence` count.
    ///
    /// - Throws: `CarePlanError`, `range-too-large` for more than 400 days.
    public func adherence(from first: CareDay, to last: CareDay) throws(CarePlanError) -> [CareAdherence] {
        try copy.contents.adherence(from: first, to: last)
    }
}
