import FHIR
import Foundation
import ObservationTemplates
import Warehouse

/// Templates for the Observations of one message that differ only in ``Records/ObservationValues``. A phone sends
/// hundreds of readings of a few kinds, and only one of each kind needs to be processed completely. Pure.
struct IncomingTemplates {
    /// Result of processing the Observation that a template was made of.
    private struct Template {
        let entries: WarehouseEntryTemplate
        let subject: String
        let inclusions: Set<String>
        /// Steps of the message's budget that it took; each further one is charged the same.
        let steps: Int
    }

    private var templates = ObservationTemplates<Template>()

    /// Returns the incoming resource of a document by a known template; nil if it must be processed completely.
    mutating func incoming(_ document: ParsedDocument, budget: StepBudget) -> IncomingResource? {
        guard let (values, template) = templates.find(document.resource, document.bytes),
            template.callerData.steps <= budget.remaining, let entry = template.callerData.entries.entry(values),
            let record = template.record(values, content: document.bytes)
        else { return nil }
        budget.spend(template.callerData.steps)
        return IncomingResource(
            resource: document.resource, subject: template.callerData.subject, record: record, entry: entry,
            contract: nil,
            inclusions: template.callerData.inclusions)
    }

    /// Adds a template from a document that is stored unchanged.
    ///
    /// - Parameter steps: steps that processing the document took.
    mutating func add(
        _ document: ParsedDocument, _ incoming: IncomingResource, steps: Int, health: HealthConceptTable,
        receivedAt: Date
    ) {
        guard incoming.record.content == document.bytes else { return }
        templates.add(document.resource, record: incoming.record) {
            WarehouseEntryTemplate(of: incoming.resource, health: health, receivedAt: receivedAt).map {
                Template(entries: $0, subject: incoming.subject, inclusions: incoming.inclusions, steps: steps)
            }
        }
    }
}
