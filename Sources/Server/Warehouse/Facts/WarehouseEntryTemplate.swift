import FHIR
import Foundation
import RecordStorage

/// A template of the entries of Observations that differ only in ``Records/ObservationValues``. No Observation is
/// parsed for them.
package struct WarehouseEntryTemplate: Sendable {
    private let facts: FactTemplate
    private let source: FactSource

    /// Creates the template from one Observation.
    ///
    /// - Returns: nil if others of its kind must be converted in full.
    package init?(of resource: Resource, health: HealthConceptTable, receivedAt: Date) {
        guard resource.resourceType == Observation.resourceType,
            let found = FactMapping.facts(of: resource, survey: nil, health: health, receivedAt: receivedAt),
            let facts = FactTemplate(found, isQuantity: resource["valueQuantity"] != nil)
        else { return nil }
        self.facts = facts
        source = found.source
    }

    /// Returns the entry of another Observation; nil if it must be converted in full.
    package func entry(_ values: ObservationValues) -> WarehouseEntry? {
        guard let time = FactMapping.time(values.time),
            let found = facts.facts(values.number, time: time, source: source)
        else { return nil }
        return WarehouseEntry(found, ofObservation: values.id)
    }
}
