import FHIR
import InformedConsent
import Questionnaires
import Warehouse

/// The published files of a study, compiled: its consent documents and its forms. A value; a new one is made when the
/// study's files change.
public struct PublishedStudy: Sendable {
    /// A published form: the rules that its answers keep to, and the concepts of its questions.
    public struct Form: Sendable {
        let rules: QuestionnaireForm
        /// The concepts of its questions.
        public let concepts: SurveyConcepts

        init(_ questionnaire: Questionnaire, _ sets: PublishedValueSets, _ health: HealthConceptTable) {
            rules = QuestionnaireForm(questionnaire, valueSet: sets.valueSet)
            concepts = SurveyConcepts(questionnaire, health: health, valueSet: sets.valueSet)
        }
    }

    /// The versions of the study's consent.
    public let consents: PublishedConsents
    /// The study's health types.
    public let health: HealthConceptTable
    private let forms: PublishedForms<Form>
    private let valueSets: [ValueSet]
    /// The versions of the forms that were published at any time.
    private var former: FormerForms
    /// The types and ids (`Questionnaire/sleep`) of the records that the study itself keeps.
    let records: Set<String>

    /// - Parameters:
    ///   - forms: the published forms, in the order of their files.
    ///   - valueSets: those beside the forms.
    ///   - health: the study's health types.
    ///   - former: the versions of the forms that were published at any time.
    ///   - records: the types and ids of the records of all these (`Questionnaire/sleep`), which nobody else writes.
    public init(
        templates: [ConsentTemplate], forms: [Questionnaire], valueSets: [ValueSet] = [],
        health: HealthConceptTable = .standard, records: Set<String> = [], former: FormerForms = .none
    ) {
        self.records = records
        self.former = former
        self.valueSets = valueSets
        let sets = PublishedValueSets(valueSets)
        self.health = health
        consents = PublishedConsents(templates)
        self.forms = PublishedForms(forms.map { (questionnaire: $0, form: Form($0, sets, health)) })
    }

    /// The same with former versions of the forms.
    public func with(_ former: FormerForms) -> PublishedStudy {
        var study = self
        study.former = former
        return study
    }

    /// The form that a canonical (`url|version`), a reference (`Questionnaire/id`) or a bare id names; nil where the study
    /// publishes none such now.
    public func form(_ name: String) -> Form? { forms.form(name) }

    /// The concepts of the form that a name means, in a former version where that one is published no more.
    public func concepts(ofForm name: String) -> SurveyConcepts? { candidates(name).first { _ in true }?.concepts }

    /// The forms that a response may answer by the name that it gives: the one that is published now, then the versions that
    /// were published before, the newest first. A name with a version means that version alone.
    ///
    /// Former versions are compiled as they are reached, which the first one seldom asks for.
    func candidates(_ name: String) -> some Sequence<Form> {
        let present = forms.form(name).map { [$0] } ?? []
        return [{ present }, { former.forms(named: CanonicalURL(name), valueSets: valueSets, health: health) }]
            .lazy.flatMap { (forms: () -> [Form]) in forms() }
    }
}
