import FHIR
import Foundation

extension FactMapping {
    /// One fact an answer; a chosen option is a fact of its own concept too, so that path queries find it.
    static func facts(of response: QuestionnaireResponse, survey: SurveyConcepts?, receivedAt: Date) -> FactSet {
        var facts = FactSet(time: time(of: response.resource, receivedAt: receivedAt))
        guard response.status != .enteredInError else { return facts }
        let survey = survey ?? SurveyConcepts(formName: formName(of: response))
        add(response.item, survey, to: &facts)
        return facts
    }

    /// Returns the name of the form where it is not at hand: its canonical URL without the version, or its id.
    private static func formName(of response: QuestionnaireResponse) -> String {
        guard let name = response.questionnaire.map({ CanonicalURL($0).url }), !name.isEmpty else {
            return "unknown form"
        }
        let prefix = Questionnaire.resourceType + "/"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    private static func add(_ items: [QuestionnaireResponse.Item], _ survey: SurveyConcepts, to facts: inout FactSet) {
        for item in items {
            guard let linkID = item.linkId else { continue }
            let known = survey.questions[linkID]
            var code: String?
            for answer in item.answer {
                if let value = answer.value {
                    let question = code ?? known?.concept.code ?? survey.ownCode(linkID: linkID)
                    code = question
                    add(value, question: question, known: known, to: &facts)
                }
                add(answer.item, survey, to: &facts)
            }
            add(item.item, survey, to: &facts)
        }
    }

    /// The concepts of the form are in the ontology with the form. What it does not ask or offer has a code and no concept:
    /// a device's words are nobody's ontology, and a form that is published later has the same codes.
    private static func add(
        _ value: QuestionnaireResponse.Item.Answer.Value, question code: String, known: SurveyConcepts.Question?,
        to facts: inout FactSet
    ) {
        guard case .coding(let coding) = value else {
            facts.add(code, { _ in nil }, value)
            return
        }
        guard let chosen = coding.code else {
            // A coding without a code is a text.
            if let display = coding.display { facts.add(code, nil, .text(of: display)) }
            return
        }
        facts.add(code, nil, .text(of: chosen))
        if let option = known?.option(system: coding.system, code: chosen)?.concept {
            facts.add(option.code ?? code, nil, .text(of: chosen))
            return
        }
        let combined = SurveyConcepts.combinedCode(question: code, system: coding.system, code: chosen)
        var use: ConceptUse?
        if let known, known.offersUnlisted, let name = publishedName(coding) {
            use = ConceptUse(
                code: combined, name: name, kind: .option,
                place: .path(
                    ConceptPath.child(
                        of: known.concept.path, SurveyConcepts.optionSegment(coding.system, chosen))))
        }
        facts.add(combined, use, .text(of: chosen))
    }
}
