import FHIR
import Foundation
import HealthData
import HealthTypes

extension FactMapping {
    /// Returns one fact for each value: the observation's own, and each component's with the component's code.
    static func facts(
        of observation: Observation, health: HealthConceptTable = .standard, receivedAt: Date
    ) -> FactSet {
        var facts = FactSet(
            time: time(of: observation.resource, receivedAt: receivedAt), source: FactSource(observation))
        guard observation.status != .enteredInError, observation.status != .cancelled else { return facts }
        let grouped = GroupedValues(observation)
        let reader = ValueReader(health: health, isFraction: HealthKitLibrary.writesFractions(observation))
        if let value = observation.value {
            add(value, of: observation.code, reader: reader, grouped: grouped.map { ($0, nil) }, to: &facts)
        }
        for component in observation.component {
            guard let value = component.value else { continue }
            add(
                value, of: component.code, reader: reader, grouped: grouped.map { ($0, component.code) }, to: &facts)
        }
        return facts
    }

    /// The rules that convert the values of one Observation.
    private struct ValueReader {
        let health: HealthConceptTable
        /// Whether percentages are written as fractions.
        let isFraction: Bool

        func unit(of reading: ConceptReading) -> ConceptUnit {
            if let unit = reading.unit { return unit }
            if let measure = reading.measure { return .measured(measure, isFraction: isFraction) }
            return health.unit(of: reading.code) ?? .ofItsKind
        }
    }

    /// - Parameter grouped: the gateway's times of the values, and the component's concept.
    private static func add(
        _ value: some ChoiceValue, of concept: CodeableConcept?, reader: ValueReader,
        grouped: (values: GroupedValues, component: CodeableConcept?)?, to facts: inout FactSet
    ) {
        guard let grouped, let reading = concept.flatMap(reader.health.readings.reading) else {
            return add(value, of: concept, reader: reader, to: &facts)
        }
        let unit = reader.unit(of: reading)
        if value.type == "SampledData", let data = SampledData(json: value.json),
            let series = grouped.values.series(data)
        {
            let sent = data.origin.map { QuantityUnit($0) }
            for (number, time) in series {
                let measured = MeasuredValue(number, comparator: nil, sent: sent, in: unit)
                facts.add(reading.code, use: reading.use, measured: measured, at: time)
            }
        } else if value.type == "Quantity", let time = grouped.values.time(of: grouped.component),
            let measured = MeasuredValue(value, in: unit)
        {
            facts.add(reading.code, use: reading.use, measured: measured, at: time)
        } else {
            add(value, of: concept, reader: reader, to: &facts)
        }
    }

    private static func add(
        _ value: some ChoiceValue, of concept: CodeableConcept?, reader: ValueReader, to facts: inout FactSet
    ) {
        let health = reader.health
        guard let reading = concept.flatMap(health.readings.reading) else { return }
        let (code, name) = (reading.code, reading.name)
        let use = reading.use
        guard value.type == "CodeableConcept", let chosen = CodeableConcept(json: value.json) else {
            facts.add(code, use: use, value: value, in: reader.unit(of: reading))
            return
        }
        guard let coding = preferred(chosen.coding), let option = coding.code else {
            if let text = chosen.text {
                facts.add(code, use: use(.text), value: .text(of: text), content: .words(linkID: nil))
            }
            return
        }
        // One fact for a choice: of the answer's concept if the ontology contains or may contain it, otherwise of the
        // observation's.
        let combined = SurveyConcepts.combinedCode(question: code, system: coding.system, code: option)
        let answer = publishedName(coding).map { name in
            ConceptUse(
                code: combined, name: name, kind: .option,
                position: .below(code: code, segment: SurveyConcepts.optionSegment(coding.system, option)))
        }
        let mayBeListed = name != nil || health.has(code)
        guard health.hasOption(combined) || mayBeListed && answer != nil else {
            facts.add(code, use: use(.choice([])), value: .text(of: option), content: .words(linkID: nil))
            return
        }
        facts.use(use(.choice([])))
        facts.add(combined, use: answer, value: .text(of: option))
    }

    /// Returns the name that the ontology may give to a code: for a terminology the code itself, for HealthKit and our
    /// own codes our title. nil for any other code, which may be text from the device.
    static func publishedName(_ coding: Coding) -> String? {
        guard let code = coding.code else { return nil }
        if PublishedCode.has(system: coding.system, code: code) {
            return ConceptCode.code(system: coding.system, code: code)
        }
        return HealthVocabulary.title(system: coding.system, code: code)
    }

    /// Returns the concept's code. In order of preference: our own code of a part of an observation, which
    /// distinguishes the part from its siblings; LOINC's; that of another well-known system; the first. A concept with
    /// only a text gets a code made from it.
    static func code(of concept: CodeableConcept?) -> String? {
        concept.flatMap { code(of: preferred($0.coding), or: $0) }
    }

    /// Returns the code of a coding, or one made from the concept's text.
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
