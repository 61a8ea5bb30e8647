import FHIR
import Foundation
import Questionnaires
import QuestionnairesTestSupport
import ResearchKitForms
import Testing

/// Forms and results for the tests of tasks.
enum Tasks {
    static let core = "http://hl7.org/fhir/StructureDefinition/"
    static let bdh = "http://bdh.stanford.edu/fhir/StructureDefinition/"

    static func task(_ items: String, _ more: String = #""title": "Form""#) throws -> SurveyTask {
        try SurveyTask(
            try form(items, more), clock: { "2026-05-06T12:00:00+02:00" })
    }

    /// Returns the first step of a form with one item, and the first row of it.
    static func row(_ type: String, _ more: String = "") throws -> (step: SurveyStep, row: SurveyFormItem?) {
        let task = try task(#"{"linkId": "q", "type": "\#(type)", "text": "Q"\#(more.isEmpty ? "" : ", " + more)}"#)
        let step = try #require(task.steps.first)
        return (step, step.questions.first)
    }

    static func control(_ code: String) -> String {
        #"{"url": "\#(core)questionnaire-itemControl", "valueCodeableConcept": {"coding": [{"code": "\#(code)"}]}}"#
    }

    /// Returns a task result with one result for each answer, as JSON members: `("q", "ORKText...", "\"textAnswer\": ..")`.
    static func result(_ answers: (String, String, String)...) throws -> SurveyResult {
        let results = answers.map { identifier, className, members in
            #"{"_class": "\#(className)", "identifier": "\#(identifier)", \#(members)}"#
        }
        let text = """
            {"_class": "ORKTaskResult", "identifier": "https://example.org/form", "endDate": "2026-05-06T10:00:00+0200",
             "results": [{"_class": "ORKStepResult", "identifier": "s", "results": [\(results.joined(separator: ", "))]}]}
            """
        return try SurveyResult(Data(text.utf8))
    }

    /// Returns the first answer of the response of a result to a form with one question `q`.
    static func answer(
        _ type: String, _ className: String, members: String, more: String = ""
    ) throws -> JSON? {
        let task = try task(#"{"linkId": "q", "type": "\#(type)"\#(more.isEmpty ? "" : ", " + more)}"#)
        let (response, _) = task.response(for: try result(("q", className, members)))
        return response["item"]?[0]?["answer"]?[0]
    }
}
