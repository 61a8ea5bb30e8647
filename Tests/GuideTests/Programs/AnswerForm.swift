import FHIR
import Outbox
import Questionnaires

/// Answers a form, queues the response and sends it.
func answerForm(
    _ questionnaire: Questionnaire, participant: String, store: DeviceStore, connection: StudyConnection
) async throws -> SynchronizationReport {
    var session = FormSession(QuestionnaireForm(questionnaire))
    session["night/hours"] = .decimal(7.5)
    session["night/quality"] = .coding(Coding(system: "https://example.org/sleep", code: "good"))
    let response = try session.completedResponse(subject: "Patient/\(participant)", authored: .now())
    try store.queue(response)
    let report = try await connection.synchronize(store)
    return report
}
