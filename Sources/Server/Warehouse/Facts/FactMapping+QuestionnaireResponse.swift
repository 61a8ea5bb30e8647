import FHIR
import Foundation

extension FactMapping {
    /// Returns one fact for each answer. The fact of a chosen option belongs to the option's concept, which is below
    /// the question's: a query of the question's path finds it, and it counts once.
    static func facts(
        of response: QuestionnaireResponse, survey: SurveyConcepts?, receivedAt: Date
    ) -> FactSet {
        let time = time(of: response.resource, receivedAt: receivedAt)
        guard response.status != .enteredInError else { return FactSet(time: time, source: FactSource(response)) }
        let survey = survey ?? SurveyConcepts.unpublished(formName: formName(of: response))
        var walk = ResponseWalk(
            survey: survey,
            facts: FactSet(time: time, source: FactSource(response), repetitions: Repetitions.count(in: response.item)))
        walk.add(response.item, in: Repetitions.first)
        return walk.facts
    }

    /// Returns the name of a form that is not available: its canonical URL without the version, or its id.
    private static func formName(of response: QuestionnaireResponse) -> String {
        guard let name = response.questionnaire.map({ CanonicalURL($0).url }), !name.isEmpty else {
            return "unknown form"
        }
        let prefix = Questionnaire.resourceType + "/"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }
}

/// Collects the facts of the items of a response.
private struct ResponseWalk {
    let survey: SurveyConcepts
    var facts: FactSet
    private var repetitions = Repetitions()

    init(survey: SurveyConcepts, facts: FactSet) {
        self.survey = survey
        self.facts = facts
    }

    /// - Parameter outer: the number of the repetition that contains the items.
    mutating func add(_ items: [QuestionnaireResponse.Item], in outer: Int) {
        var siblings = Repetitions.Siblings()
        for item in items {
            guard let linkID = item.linkId else { continue }
            let repetition = repetitions.number(of: linkID, among: &siblings, in: outer)
            let known = survey.questions[linkID]
            var code: String?
            for (index, answer) in item.answer.enumerated() {
                let own = repetitions.number(ofAnswer: index, hasItems: !answer.item.isEmpty, in: repetition)
                if let value = answer.value {
                    let question = code ?? known?.concept.code ?? survey.ownCode(linkID: linkID)
                    code = question
                    add(value, question: question, linkID: linkID, known: known, in: own)
                }
                add(answer.item, in: own)
            }
            add(item.item, in: repetition)
        }
    }

    /// The concepts of a form are in the ontology with the form. An answer outside of the form is a fact of the
    /// question and adds no concept, so that text from a device never becomes part of the ontology.
    private mutating func add(
        _ value: QuestionnaireResponse.Item.Answer.Value, question code: String, linkID: String,
        known: SurveyConcepts.Question?, in repetition: Int
    ) {
        guard case .coding(let coding) = value else {
            facts.add(
                code, use: { _ in nil }, value: value, in: known?.unit ?? .ofItsKind, repetition: repetition,
                linkID: linkID)
            return
        }
        guard let chosen = coding.code else {
            // A coding without a code is treated as text.
            if let display = coding.display {
                facts.add(
                    code, use: nil, value: .text(of: display), repetition: repetition,
                    content: .words(linkID: linkID))
            }
            return
        }
        let (concept, use) = choice(coding, chosen, question: code, known: known)
        // A code that no form offers may be text from the device.
        facts.add(
            concept, use: use, value: .text(of: chosen), repetition: repetition,
            content: concept == code && known?.option(system: coding.system, code: chosen) == nil
                ? .words(linkID: linkID) : .data)
    }

    /// Returns the concept of a choice: that of the option if the ontology contains or may contain it, otherwise that
    /// of the question.
    private func choice(
        _ coding: Coding, _ chosen: String, question code: String, known: SurveyConcepts.Question?
    ) -> (code: String, use: ConceptUse?) {
        if let option = known?.option(system: coding.system, code: chosen)?.concept.code { return (option, nil) }
        guard let known, known.offersUnlisted, let name = FactMapping.publishedName(coding) else { return (code, nil) }
        let combined = SurveyConcepts.combinedCode(question: code, system: coding.system, code: chosen)
        return (
            combined,
            ConceptUse(
                code: combined, name: name, kind: .option,
                position: .below(code: code, segment: SurveyConcepts.optionSegment(coding.system, chosen)))
        )
    }
}
