import FHIR
import Foundation
import Records

/// The entries of Observations that differ from one in ``Records/ObservationValues`` alone: they are not looked into.
public struct WarehouseEntryPattern: Sendable {
    /// The facts that all have.
    private enum Facts: Sendable {
        case quantity(LearnedQuantity)
        case same([ObservationFact], [ConceptUse])
    }

    private let facts: Facts
    private let source: FactSource

    /// Learns of an Observation.
    ///
    /// - Returns: nil where others of its kind have to be looked into.
    public init?(of resource: Resource, health: HealthConceptTable, receivedAt: Date) {
        guard resource.resourceType == Observation.resourceType,
            let found = FactMapping.facts(of: resource, survey: nil, health: health, receivedAt: receivedAt),
            found.time.source == .effective
        else { return nil }
        source = found.source
        if resource["valueQuantity"] != nil {
            guard let quantity = LearnedQuantity(found) else { return nil }
            facts = .quantity(quantity)
        } else {
            // What is measured at several times, or converted, may depend on the time of all.
            guard found.warnings.isEmpty, found.facts.allSatisfy({ $0.original == nil && $0.time == nil }) else {
                return nil
            }
            facts = .same(found.facts, found.concepts)
        }
    }

    /// The entry of another one; nil where it has to be looked into.
    public func entry(_ values: ObservationValues) -> WarehouseEntry? {
        guard let time = FactMapping.time(values.time) else { return nil }
        let found: FactSet? =
            switch (facts, values.number) {
            case (.quantity(let quantity), let number?): quantity.facts(number, time: time, source: source)
            case (.same(let facts, let concepts), nil):
                FactSet(time: time, source: source, facts: facts, concepts: concepts)
            default: nil
            }
        return found.map { WarehouseEntry($0, ofObservation: values.id) }
    }
}
