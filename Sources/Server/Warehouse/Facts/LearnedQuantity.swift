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
    /// - Returns: nil where it has others.
    init?(_ facts: FactSet) {
        guard facts.facts.count == 1, let fact = facts.facts.first,
            case .numeric(_, operator: "E", let units) = fact.value, fact.content == .data, fact.instance == 1
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
