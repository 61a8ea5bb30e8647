import FHIR
import Foundation
import Records
import Warehouse

/// What the Observations of one message have in common that differ in ``Records/ObservationValues`` alone: readings of a phone come
/// by hundreds, of a few kinds, and one of a kind is looked into. Pure.
///
/// It holds for one message, whose time of receipt and study all of them share.
struct IncomingPatterns {
    /// What was found of the first of a kind.
    private struct Kind {
        let shape: ObservationShape
        let search: SearchPattern
        let entries: WarehouseEntryPattern
        let first: IncomingResource
        /// What looking into it took of the message's budget; each counts as if it was looked into.
        let steps: Int
    }

    /// So many kinds are remembered; of others each is looked into.
    private static let most = 64
    /// The last one met stands first.
    private var kinds: [Kind] = []

    /// The incoming resource of a document of a kind that is known; nil where it has to be looked into.
    mutating func incoming(_ document: ParsedDocument, budget: StepBudget) -> IncomingResource? {
        guard document.resource.resourceType == Observation.resourceType else { return nil }
        for (place, kind) in kinds.enumerated() {
            guard let values = kind.shape.values(in: document.bytes) else { continue }
            if place > 0 { kinds.swapAt(place, place - 1) }
            guard kind.steps <= budget.remaining, let entry = kind.entries.entry(values),
                let record = NewRecord(
                    values, subject: kind.first.subject, content: document.bytes, pattern: kind.search)
            else { return nil }
            budget.spend(kind.steps)
            return IncomingResource(
                resource: document.resource, subject: kind.first.subject, record: record, entry: entry,
                contract: nil, inclusions: kind.first.inclusions)
        }
        return nil
    }

    /// Learns of a document that is taken as it came.
    ///
    /// - Parameter steps: what looking into it took.
    mutating func learn(
        _ document: ParsedDocument, _ incoming: IncomingResource, steps: Int, health: HealthConceptTable,
        receivedAt: Date
    ) {
        guard kinds.count < Self.most, incoming.record.content == document.bytes, incoming.record.original == nil,
            incoming.resource.json == document.resource.json,
            let search = SearchPattern(of: incoming.record),
            let shape = ObservationShape(of: document.bytes, document.resource),
            let values = shape.values(in: document.bytes), values.id == incoming.id,
            search.fits(incoming.record, values),
            let entries = WarehouseEntryPattern(of: incoming.resource, health: health, receivedAt: receivedAt)
        else { return }
        kinds.append(Kind(shape: shape, search: search, entries: entries, first: incoming, steps: steps))
    }
}
