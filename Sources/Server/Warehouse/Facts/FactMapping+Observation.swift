import FHIR
import Foundation
import HealthData

extension FactMapping {
    /// One fact a value: the observation's own, and each component's under the component's code.
    static func facts(of observation: Observation, receivedAt: Date) -> FactSet {
        var facts = FactSet(time: time(of: observation.resource, receivedAt: receivedAt))
        guard observation.status != "entered-in-error", observation.status != "cancelled" else { return facts }
        if let value = observation.value { add(value, of: observation.code, to: &facts) }
        for component in observation.component {
            guard let value = component.value else { continue }
            add(value, of: component.code, to: &facts)
        }
        return facts
    }

    private static func add(
        _ value: (type: String, value: JSON), of concept: CodeableConcept?, to facts: inout FactSet
    ) {
        guard let code = code(of: concept) else { return }
        let name = concept?.label ?? concept?.coding.lazy.compactMap(\.display).first ?? code
        func use(_ kind: Concept.Kind) -> ConceptUse {
            ConceptUse(code: code, name: name, kind: kind, place: .health)
        }
        guard value.type == "CodeableConcept", let chosen = CodeableConcept(json: value.value) else {
            facts.add({ use($0.kind) }, value)
            return
        }
        guard let coding = preferred(chosen.coding), let option = coding.code else {
            if let label = chosen.label { facts.add(use(.text), .text(of: label)) }
            return
        }
        let below = SurveyConcepts.optionSegment(coding.system, option)
        facts.add(use(.choice([])), .text(of: option))
        facts.add(
            ConceptUse(
                code: SurveyConcepts.combinedCode(question: code, system: coding.system, code: option),
                name: coding.display ?? chosen.label ?? option, kind: .option, place: .below(code: code, segment: below)
            ),
            .text(of: option))
    }

    /// The concept's code: our own of a part of an observation, which tells it from its siblings; else LOINC's, else that
    /// of another well-known system, else the first; a concept in plain words alone has a code made of them.
    static func code(of concept: CodeableConcept?) -> String? {
        guard let concept else { return nil }
        if let coding = preferred(concept.coding), let code = coding.code {
            return ConceptCode.code(system: coding.system, code: code)
        }
        return concept.label.map { "TEXT:H-" + ConceptCode.hash($0, 24) }
    }

    static func preferred(_ codings: [Coding]) -> Coding? {
        let coded = codings.filter { $0.code != nil }
        return coded.first { $0.system == CodeSystem.component } ?? coded.first { $0.system == CodeSystem.loinc }
            ?? coded.first { $0.system.map { ConceptCode.prefixes[$0] != nil } ?? false } ?? coded.first
    }
}
