import FHIR
import InformedConsent
import Outbox
import Questionnaires

/// Fetches all forms that the study publishes, by their ids.
func publishedForms(_ connection: StudyConnection) async throws -> [String: QuestionnaireForm] {
    var forms: [String: QuestionnaireForm] = [:]
    for object in try await connection.questionnaires() {
        let questionnaire = Questionnaire(object)
        if let id = questionnaire.id { forms[id] = QuestionnaireForm(questionnaire) }
    }
    return forms
}

/// Fetches the consent to show for signing, in the first of the languages that it has; nil if the study has none.
func currentConsent(_ connection: StudyConnection, languages: [String]) async throws -> ConsentTemplate? {
    let published = try await connection.publishedConsents()
    let bundle = FHIR.Bundle(try Resource(published).object)
    return PublishedConsents(bundle).current(languages: languages)
}
