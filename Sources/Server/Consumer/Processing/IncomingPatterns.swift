import FHIR
import Foundation
import Records
import Warehouse

/// Templates for the Observations of one message that differ only in ``Records/ObservationValues``. A phone sends
/// hundreds of readings of a few kinds, and only one of each kind needs to be processed completely. Pure.
struct IncomingPatterns {
    /// Result of processing the first Observation of a kind.
    private struct Learned {
        let entries: WarehouseEntryPattern
        let subject: String
        let inclusions: Set<String>
        /// Steps of the message's budget that it took; each further one is charged the same.
        let steps: Int
    }

    private var kinds = ObservationKinds<Learned>()

    /// Returns the incoming resource of a document by a known template; nil if it must be processed completely.
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

    /// Adds a template from a document that is stored unchanged.
    ///
    /// - Parameter steps: steps that processing the document took.
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
