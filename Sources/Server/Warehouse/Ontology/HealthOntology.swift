import Foundation
import Storage

extension WarehouseLoader {
    /// Adds the concepts of the health types, and of measurements without a type: the activity summaries.
    package func ensureHealthOntology(
        _ concepts: [HealthConcept], at: Date, in transaction: any SQLTransaction
    ) throws {
        let writer = OntologyWriter(transaction: transaction, at: at)
        try writer.ensureFoundation()
        var rows: [Concept] = []
        var terminologyConcepts: [Concept] = []
        var codes: Set<String> = []
        for health in concepts {
            guard let code = health.conceptCode else { continue }
            // A part with the code of a type is found as that type: i2b2 identifies a fact by its code alone.
            guard codes.insert(code).inserted || !health.isPart else { continue }
            let folder = ConceptPath.child(of: ConceptPath.health, ConceptPath.segment(health.category))
            let path = ConceptPath.child(of: folder, ConceptPath.segment(health.identifier))
            let concept = Concept(path: path, code: code, name: health.title, kind: Self.kind(of: health))
            let options = health.options.map { option in
                let segment = SurveyConcepts.optionSegment(option.system, option.code)
                return (
                    segment: segment,
                    concept: Concept(
                        path: ConceptPath.child(of: path, segment),
                        code: SurveyConcepts.combinedCode(question: code, system: option.system, code: option.code),
                        name: option.display ?? option.code, kind: .option)
                )
            }
            rows.append(Concept(path: folder, code: nil, name: health.category, kind: .folder))
            rows.append(concept)
            rows += options.map(\.concept)
            for coding in health.codings {
                guard let terminologyCode = TerminologyCode(system: coding.system, code: coding.code) else { continue }
                terminologyConcepts += terminologyCode.concepts(
                    of: concept, segment: "Health \(health.identifier)", options: options)
            }
        }
        try writer.ensure(rows, below: ConceptPath.health)
        try writer.ensure(terminologyConcepts, below: ConceptPath.codes)
        try writer.ensure(ActivitySummaryForm.concepts)
    }

    /// Returns the kind of value of a health type's facts.
    private static func kind(of health: HealthConcept) -> Concept.Kind {
        if health.isNumeric { return .numeric(units: health.ucum) }
        if health.isBoolean { return .boolean }
        return .choice(health.options.map { Concept.Choice(code: $0.code, name: $0.display ?? $0.code) })
    }
}
