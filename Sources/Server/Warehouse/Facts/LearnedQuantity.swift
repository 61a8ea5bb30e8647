import Core
import FHIR
import Foundation

/// The one fact that Observations of a quantity have, learned of one of them: others of its kind differ from it in number and
/// time alone.
struct LearnedQuantity: Sendable {
    private let concept: String
    private let units: String?
    private let concepts: [ConceptUse]

    /// Learns of the facts of one.
    ///
    /// - Returns: nil where it has others, or what is converted each time.
    init?(_ facts: FactSet) {
        guard facts.facts.count == 1, let fact = facts.facts.first, case .numeric(_, _, let units) = fact.value,
            facts.time.source == .effective, facts.warnings.isEmpty, fact.original == nil, fact.time == nil,
            fact.content == .data, fact.instance == 1
        else { return nil }
        concept = fact.concept
        self.units = units
        concepts = facts.concepts
    }

    /// The facts of another; nil where the number is none that the column takes.
    func facts(_ number: JSONNumber, time: FactTime, source: FactSource) -> FactSet? {
        let value = FactValue.number(number, units: units)
        guard value.isNumeric else { return nil }
        return FactSet(
            time: time, source: source, facts: [ObservationFact(concept: concept, value: value)], concepts: concepts)
    }
}

/// The entries of Observations that differ from one in id, period and the number of their quantity: they are not looked into.
public struct WarehouseEntryPattern: Sendable {
    private let quantity: LearnedQuantity
    private let source: FactSource

    /// Learns of an Observation.
    ///
    /// - Returns: nil where others of its kind have to be looked into.
    public init?(of resource: Resource, health: HealthConceptTable, receivedAt: Date) {
        guard resource.resourceType == Observation.resourceType,
            let facts = FactMapping.facts(of: resource, survey: nil, health: health, receivedAt: receivedAt),
            let quantity = LearnedQuantity(facts)
        else { return nil }
        self.quantity = quantity
        source = facts.source
    }

    /// The entry of another one; nil where it has to be looked into.
    ///
    /// - Parameters:
    ///   - start: the start of its `effectivePeriod`.
    ///   - end: its end.
    ///   - number: the number of its `valueQuantity`.
    public func entry(id: String, start: DateTime, end: DateTime, number: JSONNumber) -> WarehouseEntry? {
        var object = JSONObject()
        object["resourceType"] = .string(Observation.resourceType)
        object["effectivePeriod"] = ["start": .string(start.text), "end": .string(end.text)]
        let time = FactMapping.time(of: Resource(object), receivedAt: .distantPast)
        return quantity.facts(number, time: time, source: source).map { WarehouseEntry($0, ofObservation: id) }
    }
}
