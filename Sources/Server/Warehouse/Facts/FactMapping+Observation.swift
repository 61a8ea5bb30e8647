import FHIR
import Foundation

extension FactMapping {
    /// One fact a value: the observation's own, and each component's under the component's code.
    static func facts(of observation: Observation, receivedAt: Date) -> FactSet {
        var facts = FactSet(time: time(of: observation.resource, receivedAt: receivedAt))
        guard observation.status != "entered-in-error", observation.status != "cancelled" else { return facts }
        if let value = observation.value { add(value, of: observation.code, firstCode: false, to: &facts) }
        for component in observation.component {
            guard let value = component.value else { continue }
            // A component's first code tells it from its siblings; a broader one may follow.
            add(value, of: component.code, firstCode: true, to: &facts)
        }
        return facts
    }

    private static func add(
        _ value: (type: String, value: JSON), of concept: CodeableConcept?, firstCode: Bool,
        to facts: inout FactSet
    ) {
        guard let code = code(of: concept, firstCode: firstCode) else { return }
        let name = concept?.label ?? concept?.coding.lazy.compactMap(\.display).first ?? code
        func use(_ kind: Concept.Kind) -> ConceptUse {
            ConceptUse(code: code, name: name, kind: kind, place: .health)
        }
        guard value.type == "CodeableConcept", let chosen = CodeableConcept(json: value.value) else {
            if let converted = FactValue(value) { facts.add(use(converted.kind), converted) }
            return
        }
        guard let coding = preferred(chosen.coding), let option = coding.code else {
            if let label = chosen.label { facts.add(use(.text), .text(of: label)) }
            return
        }
        facts.add(use(.choice), .text(of: option))
        facts.add(
            ConceptUse(
                code: SurveyConcepts.combinedCode(question: code, system: coding.system, code: option),
                name: coding.display ?? chosen.label ?? option, kind: .option,
                place: .below(code: code, segment: SurveyConcepts.optionSegment(coding.system, option))),
            .text(of: option))
    }

    /// The concept's code: LOINC's where there is one, else that of another well-known system, else the first; a concept
    /// in plain words alone has a code made of them.
    static func code(of concept: CodeableConcept?, firstCode: Bool = false) -> String? {
        guard let concept else { return nil }
        let coding = firstCode ? concept.coding.first { $0.code != nil } : preferred(concept.coding)
        if let coding, let code = coding.code {
            return ConceptCode.code(system: coding.system, code: code)
        }
        return concept.label.map { "TEXT:H-" + ConceptCode.hash($0, 24) }
    }

    static func preferred(_ codings: [Coding]) -> Coding? {
        let coded = codings.filter { $0.code != nil }
        return coded.first { $0.system == "http://loinc.org" }
            ?? coded.first { $0.system.map { ConceptCode.prefixes[$0] != nil } ?? false } ?? coded.first
    }
}

extension FactValue {
    /// The value of an answer or an observation; nil for what has none to load.
    init?(_ value: (type: String, value: JSON)) {
        let json = value.value
        switch value.type {
        case "Decimal", "Integer":
            guard let number = json.number else { return nil }
            self = .number(number)
        case "Quantity":
            guard let quantity = Quantity(json: json), let number = quantity.value else { return nil }
            self = .number(number, comparator: quantity.comparator, units: quantity.code ?? quantity.unit)
        case "Boolean":
            guard let flag = json.bool else { return nil }
            self = .text(flag ? "true" : "false")
        case "String", "Uri", "Url", "Date", "DateTime", "Time", "Instant", "Code":
            guard let text = json.string else { return nil }
            self = .text(of: text)
        case "Coding", "CodeableConcept":
            guard let text = json["code"]?.string ?? json["display"]?.string ?? json["text"]?.string else { return nil }
            self = .text(of: text)
        case "Reference":
            guard let text = json["reference"]?.string ?? json["display"]?.string else { return nil }
            self = .text(of: text)
        case "Attachment":
            // Never the data: the record keeps it.
            self = .text(of: json["contentType"]?.string ?? "attachment")
        default:
            // Sampled data, ranges, ratios, periods: whole, as they came.
            self = .blob(json.text())
        }
    }

    var kind: Concept.Kind {
        if case .numeric(_, _, let units) = self { .numeric(units: units) } else { .text }
    }
}
