import FHIR

/// The facts of Observations that differ from one in time and number alone.
enum LearnedFacts: Sendable {
    case quantity(LearnedQuantity)
    /// Of what has no number all facts are the same.
    case same([ObservationFact], [ConceptUse])

    /// Learns of the facts of one.
    ///
    /// - Returns: nil where others have to be looked into: what is converted, or has times of its own, is so each time.
    init?(_ found: FactSet, isQuantity: Bool) {
        guard found.time.source == .effective, found.warnings.isEmpty,
            found.facts.allSatisfy({ $0.original == nil && $0.time == nil })
        else { return nil }
        guard isQuantity else {
            self = .same(found.facts, found.concepts)
            return
        }
        guard let quantity = LearnedQuantity(found) else { return nil }
        self = .quantity(quantity)
    }

    /// The facts of another; nil where it has to be looked into.
    func facts(_ number: JSONNumber?, time: FactTime, source: FactSource) -> FactSet? {
        switch (self, number) {
        case (.quantity(let quantity), let number?): quantity.facts(number, time: time, source: source)
        case (.same(let facts, let concepts), nil):
            FactSet(time: time, source: source, facts: facts, concepts: concepts)
        default: nil
        }
    }
}
