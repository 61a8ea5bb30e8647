import Core
import FHIR
import Foundation

/// A template of the single fact of Observations of a quantity, which differ only in number and time.
struct QuantityTemplate: Sendable {
    private let concept: String
    private let units: String?
    private let concepts: [ConceptUse]

    /// Creates the template from the facts of one Observation.
    ///
    /// - Returns: nil if it has other facts.
    init?(_ facts: FactSet) {
        guard facts.facts.count == 1, let fact = facts.facts.first,
            case .numeric(_, operator: "E", let units) = fact.value, fact.content == .data, fact.instance == 1
        else { return nil }
        concept = fact.concept
        self.units = units
        concepts = facts.concepts
    }

    /// Returns the facts of another Observation; nil if the column cannot store the number.
    func facts(_ number: JSONNumber, time: FactTime, source: FactSource) -> FactSet? {
        let value = FactValue.number(number, units: units)
        guard value.isNumeric else { return nil }
        return FactSet(
            time: time, source: source, facts: [ObservationFact(concept: concept, value: value)], concepts: concepts)
    }
}
