import FHIR

/// A template of the facts of Observations that differ only in time and number.
enum FactTemplate: Sendable {
    case quantity(QuantityTemplate)
    /// Without a number, all facts are the same.
    case same([ObservationFact], [ConceptUse])

    /// Creates the template from the facts of one Observation.
    ///
    /// - Returns: nil if each Observation must be converted, for instance because of its unit or of values with times
    ///   of their own.
    init?(_ found: FactSet, isQuantity: Bool) {
        guard found.time.source == .effective, found.warnings.isEmpty,
            found.facts.allSatisfy({ $0.original == nil && $0.time == nil })
        else { return nil }
        guard isQuantity else {
            self = .same(found.facts, found.concepts)
            return
        }
        guard let quantity = QuantityTemplate(found) else { return nil }
        self = .quantity(quantity)
    }

    /// Returns the facts of another Observation; nil if it must be converted in full.
    func facts(_ number: JSONNumber?, time: FactTime, source: FactSource) -> FactSet? {
        switch (self, number) {
        case (.quantity(let quantity), let number?): quantity.facts(number, time: time, source: source)
        case (.same(let facts, let concepts), nil):
            FactSet(time: time, source: source, facts: facts, concepts: concepts)
        default: nil
        }
    }
}
