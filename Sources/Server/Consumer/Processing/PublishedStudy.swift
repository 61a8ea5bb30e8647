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
    /// The types and ids (`Questionnaire/sleep`) of the records that the study itself keeps.
    let records: Set<String>

    /// - Parameters:
    ///   - forms: the published forms, in the order of their files.
    ///   - valueSets: those beside the forms.
    ///   - health: the study's health types.
    ///   - records: the types and ids of the records of all these (`Questionnaire/sleep`), which nobody else writes.
    public init(
        templates: [ConsentTemplate], forms: [Questionnaire], valueSets: [ValueSet] = [],
        health: HealthConceptTable = .standard, records: Set<String> = []
    ) {
        self.records = records
        let sets = PublishedValueSets(valueSets)
        self.health = health
        consents = PublishedConsents(templates)
        self.forms = PublishedForms(forms.map { (questionnaire: $0, form: Form($0, sets, health)) })
    }

    /// The form that a canonical (`url|version`), a reference (`Questionnaire/id`) or a bare id names; nil where the study
    /// has published none such.
    public func form(_ name: String) -> Form? { forms.form(name) }
}
