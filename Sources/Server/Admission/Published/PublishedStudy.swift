import FHIR
import InformedConsent
import Questionnaires
import Warehouse

/// Published files of a study in compiled form: its consent documents and its forms. A value; a new one is created when
/// the study's files change.
package struct PublishedStudy: Sendable {
    /// A published form: the rules for its answers, and the concepts of its questions.
    package struct Form: Sendable {
        let rules: QuestionnaireForm
        /// Concepts of its questions.
        package let concepts: SurveyConcepts

        init(_ questionnaire: Questionnaire, valueSets sets: PublishedValueSets, health: HealthConceptTable) {
            rules = QuestionnaireForm(questionnaire, valueSet: sets.valueSet)
            concepts = SurveyConcepts(questionnaire, health: health, valueSet: sets.valueSet)
        }
    }

    /// Versions of the study's consent.
    package let consents: PublishedConsents
    /// The study's health types.
    package let health: HealthConceptTable
    private let forms: PublishedForms<Form>
    private let valueSets: [ValueSet]
    /// All versions of the forms that were ever published.
    private var former: FormerForms
    /// Types and ids (`Questionnaire/sleep`) of the records that the study itself maintains.
    let records: Set<String>

    /// - Parameters:
    /// - forms: published forms, in the order of their files.
    /// - valueSets: value sets next to the forms.
    /// - health: the study's health types.
    /// - former: all versions of the forms that were ever published.
    /// - records: types and ids of the records of all these (`Questionnaire/sleep`), which no one else may write.
    package init(
        templates: [ConsentTemplate], forms: [Questionnaire], valueSets: [ValueSet] = [],
        health: HealthConceptTable = .standard, records: Set<String> = [], former: FormerForms = .none
    ) {
        self.records = records
        self.former = former
        self.valueSets = valueSets
        let sets = PublishedValueSets(valueSets)
        self.health = health
        consents = PublishedConsents(templates)
        self.forms = PublishedForms(forms.map { (questionnaire: $0, form: Form($0, valueSets: sets, health: health)) })
    }

    /// Returns the same study with former versions of the forms.
    package func with(_ former: FormerForms) -> PublishedStudy {
        var study = self
        study.former = former
        return study
    }

    /// Returns the published form for a canonical (`url|version`), a reference (`Questionnaire/id`) or an id; nil if
    /// there is none at present.
    package func form(_ name: String) -> Form? { forms.form(name) }

    /// Returns the concepts of a form, from a former version if it is no longer published.
    package func concepts(ofForm name: String) -> SurveyConcepts? { candidates(name).first { _ in true }?.concepts }

    /// Returns the forms that a response with this reference may answer: the one that is published now, then earlier
    /// versions, newest first. A reference with a version matches only that version.
    ///
    /// Former versions are compiled lazily, because the first form usually suffices.
    func candidates(_ name: String) -> some Sequence<Form> {
        let present = forms.form(name).map { [$0] } ?? []
        return [{ present }, { former.forms(named: CanonicalURL(name), valueSets: valueSets, health: health) }]
            .lazy.flatMap { (forms: () -> [Form]) in forms() }
    }
}
