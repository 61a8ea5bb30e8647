import FHIR
import Foundation

extension FactMapping {
    /// One fact an answer; a chosen option is a fact of its own concept too, so that path queries find it.
    static func facts(of response: QuestionnaireResponse, survey: SurveyConcepts?, receivedAt: Date) -> FactSet {
        var facts = FactSet(time: time(of: response.resource, receivedAt: receivedAt))
        guard response.status != "entered-in-error" else { return facts }
        let survey = survey ?? SurveyConcepts(formName: formName(of: response))
        add(response.item, below: survey.folder.path, survey, to: &facts)
        return facts
    }

    /// What the form is called where it is not at hand: its canonical URL without the version, or its id.
    private static func formName(of response: QuestionnaireResponse) -> String {
        guard let name = response.questionnaire?.split(separator: "|").first.map(String.init) else {
            return "unknown form"
        }
        let prefix = Questionnaire.resourceType + "/"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    private static func add(
        _ items: [QuestionnaireResponseItem], below parent: String, _ survey: SurveyConcepts, to facts: inout FactSet
    ) {
        for item in items {
            guard let linkID = item.linkId else { continue }
            let known = survey.questions[linkID]
            let path = known?.concept.path ?? ConceptPath.child(of: parent, ConceptPath.segment(linkID))
            let code = known?.concept.code ?? SurveyConcepts.ownCode(formName: survey.formName, linkID: linkID)
            for answer in item.answer {
                if let value = answer.value {
                    add(
                        value, question: code, path: path, name: known?.concept.name ?? item.label ?? linkID,
                        known: known, to: &facts)
                }
                add(answer.item, below: path, survey, to: &facts)
            }
            add(item.item, below: path, survey, to: &facts)
        }
    }

    private static func add(
        _ value: (type: String, value: JSON), question code: String, path: String, name: String,
        known: SurveyConcepts.Question?, to facts: inout FactSet
    ) {
        func use(_ kind: Concept.Kind) -> ConceptUse {
            ConceptUse(code: code, name: name, kind: known?.concept.kind ?? kind, place: .path(path))
        }
        guard value.type == "Coding", let coding = Coding(json: value.value) else {
            facts.add({ use($0.kind) }, value)
            return
        }
        guard let chosen = coding.code else {
            // A coding without a code is a text.
            if let display = coding.display { facts.add(use(.choice([])), .text(of: display)) }
            return
        }
        let option =
            known?.option(system: coding.system, code: chosen)?.concept
            ?? Concept(
                path: ConceptPath.child(of: path, SurveyConcepts.optionSegment(coding.system, chosen)),
                code: SurveyConcepts.combinedCode(question: code, system: coding.system, code: chosen),
                name: coding.display ?? chosen, kind: .option)
        facts.add(use(.choice([])), .text(of: chosen))
        facts.add(
            ConceptUse(code: option.code ?? code, name: option.name, kind: .option, place: .path(option.path)),
            .text(of: chosen))
    }
}
