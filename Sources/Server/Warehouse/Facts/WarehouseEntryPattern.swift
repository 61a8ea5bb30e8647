import FHIR
import Foundation
import Records

/// The entries of Observations that differ from one in ``Records/ObservationValues`` alone: they are not looked into.
public struct WarehouseEntryPattern: Sendable {
    private let facts: LearnedFacts
    private let source: FactSource

    /// Learns of an Observation.
    ///
    /// - Returns: nil where others of its kind have to be looked into.
    public init?(of resource: Resource, health: HealthConceptTable, receivedAt: Date) {
        guard resource.resourceType == Observation.resourceType,
            let found = FactMapping.facts(of: resource, survey: nil, health: health, receivedAt: receivedAt),
            let facts = LearnedFacts(found, isQuantity: resource["valueQuantity"] != nil)
        else { return nil }
        self.facts = facts
        source = found.source
    }

    /// The entry of another one; nil where it has to be looked into.
    public func entry(_ values: ObservationValues) -> WarehouseEntry? {
        guard let time = FactMapping.time(values.time),
            let found = facts.facts(values.number, time: time, source: source)
        else { return nil }
        return WarehouseEntry(found, ofObservation: values.id)
    }
}
