import FHIR
import Foundation
import Records
import Warehouse

/// What the Observations of one message have in common that differ in ``Records/ObservationValues`` alone: readings of a phone come
/// by hundreds, of a few kinds, and one of a kind is looked into. Pure.
struct IncomingPatterns {
    /// What was found of the first of a kind.
    private struct Learned {
        let entries: WarehouseEntryPattern
        let subject: String
        let inclusions: Set<String>
        /// What looking into it took of the message's budget; each counts as if it was looked into.
        let steps: Int
    }

    private var kinds = ObservationKinds<Learned>()

    /// The incoming resource of a document of a kind that is known; nil where it has to be looked into.
    mutating func incoming(_ document: ParsedDocument, budget: StepBudget) -> IncomingResource? {
        guard let (values, kind) = kinds.find(document.resource, document.bytes),
            kind.learned.steps <= budget.remaining, let entry = kind.learned.entries.entry(values),
            let record = kind.record(values, content: document.bytes)
        else { return nil }
        budget.spend(kind.learned.steps)
        return IncomingResource(
            resource: document.resource, subject: kind.learned.subject, record: record, entry: entry, contract: nil,
            inclusions: kind.learned.inclusions)
    }

    /// Learns of a document that is taken as it came.
    ///
    /// - Parameter steps: what looking into it took.
    mutating func learn(
        _ document: ParsedDocument, _ incoming: IncomingResource, steps: Int, health: HealthConceptTable,
        receivedAt: Date
    ) {
        guard incoming.record.content == document.bytes else { return }
        kinds.learn(document.resource, incoming.record) {
            WarehouseEntryPattern(of: incoming.resource, health: health, receivedAt: receivedAt).map {
                Learned(entries: $0, subject: incoming.subject, inclusions: incoming.inclusions, steps: steps)
            }
        }
    }
}
