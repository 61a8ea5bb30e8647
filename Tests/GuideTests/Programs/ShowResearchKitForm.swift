import FHIR
import ResearchKit
import ResearchKitAdapter

/// Shows a form with ResearchKit and returns the response.
func showForm(
    _ questionnaire: Questionnaire, participant: String, present: (any ORKTask) async -> ORKTaskResult
) async throws -> QuestionnaireResponse {
    let task = try FormTask(questionnaire)
    let result = await present(task)
    return try task.fhirResponse(for: result, subject: "Patient/\(participant)")
}
