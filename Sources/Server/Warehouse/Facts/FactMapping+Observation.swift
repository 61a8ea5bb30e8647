import FHIR
import Foundation
import HealthData

extension FactMapping {
    /// One fact a value: the observation's own, and each component's under the component's code.
    static func facts(
        of observation: Observation, health: HealthConceptTable = .standard, receivedAt: Date
    ) -> FactSet {
        var facts = FactSet(
            time: time(of: observation.resource, receivedAt: receivedAt), source: FactSource(observation))
        guard observation.status != .enteredInError, observation.status != .cancelled else { return facts }
        let grouped = GroupedValues(observation)
        if let value = observation.value {
            add(value, of: observation.code, health, grouped.map { ($0, nil) }, to: &facts)
        }
        for component in observation.component {
            guard let value = component.value else { continue }
            add(value, of: component.code, health, grouped.map { ($0, component.code) }, to: &facts)
        }
        return facts
    }

    /// - Parameter grouped: what a gateway says of the values' times, and the component's concept.
    private static func add(
        _ value: some ChoiceValue, of concept: CodeableConcept?, _ health: HealthConceptTable,
        _ grouped: (values: GroupedValues, component: CodeableConcept?)?, to facts: inout FactSet
    ) {
        guard let grouped, let reading = concept.flatMap(health.readings.reading) else {
            return add(value, of: concept, health, to: &facts)
        }
        let unit = health.unit(of: reading.code) ?? .ofItsKind
        if value.type == "SampledData", let data = SampledData(json: value.json),
            let series = grouped.values.series(data)
        {
            let sent = data.origin.flatMap { FactValue.units(of: $0) }
            for (number, time) in series {
                let measured = MeasuredValue(number, comparator: nil, sent: sent, in: unit)
                facts.add(reading.code, reading.use, measured, at: time)
            }
        } else if value.type == "Quantity", let time = grouped.values.time(of: grouped.component),
            let measured = MeasuredValue(value, in: unit)
        {
            facts.add(reading.code, reading.use, measured, at: time)
        } else {
            add(value, of: concept, health, to: &facts)
        }
    }

    private static func add(
        _ value: some ChoiceValue, of concept: CodeableConcept?, _ health: HealthConceptTable, to facts: inout FactSet
    ) {
        guard let reading = concept.flatMap(health.readings.reading) else { return }
        let (code, name) = (reading.code, reading.name)
        let use = reading.use
        guard value.type == "CodeableConcept", let chosen = CodeableConcept(json: value.json) else {
            facts.add(code, use, value, in: health.unit(of: code) ?? .ofItsKind)
            return
        }
        guard let coding = preferred(chosen.coding), let option = coding.code else {
            if let text = chosen.text { facts.add(code, use(.text), .text(of: text), content: .words(linkID: nil)) }
            return
        }
        // One fact a choice: of the answer's concept where the ontology has it or may have it, else of the observation's.
        let combined = SurveyConcepts.combinedCode(question: code, system: coding.system, code: option)
        let answer = publishedName(coding).map { name in
            ConceptUse(
                code: combined, name: name, kind: .option,
                place: .below(code: code, segment: SurveyConcepts.optionSegment(coding.system, option)))
        }
        let mayStand = name != nil || health.has(code)
        guard health.hasOption(combined) || mayStand && answer != nil else {
            facts.add(code, use(.choice([])), .text(of: option), content: .words(linkID: nil))
            return
        }
        facts.use(use(.choice([])))
        facts.add(combined, answer, .text(of: option))
    }

    /// Returns the name that the ontology may give to a code: of a terminology the code itself, of HealthKit's and ours
    /// the words that we have for it; nil for any other, which may be words of the device.
    static func publishedName(_ coding: Coding) -> String? {
        guard let code = coding.code else { return nil }
        if PublishedCode.has(system: coding.system, code: code) {
            return ConceptCode.code(system: coding.system, code: code)
        }
        return HealthVocabulary.title(system: coding.system, code: code)
    }

    /// The concept's code: our own of a part of an observation, which tells it from its siblings; else LOINC's, else that
    /// of another well-known system, else the first; a concept in plain words alone has a code made of them.
    static func code(of concept: CodeableConcept?) -> String? {
        concept.flatMap { code(of: preferred($0.coding), or: $0) }
    }

    /// The code of a coding; where there is none, one made of the concept's words.
    static func code(of coding: Coding?, or concept: CodeableConcept) -> String? {
        if let coding, let code = coding.code { return ConceptCode.code(system: coding.system, code: code) }
        return concept.text.map { "TEXT:H-" + ConceptCode.hash($0, 24) }
    }

    static func preferred(_ codings: [Coding]) -> Coding? {
        let coded = codings.filter { $0.code != nil }
        return coded.first { $0.system == HealthCodeSystem.component } ?? coded.first {
            $0.system == HealthCodeSystem.loinc
        }
            ?? coded.first { $0.system.map { ConceptCode.prefixes[$0] != nil } ?? false } ?? coded.first
    }
}
