import FHIR
import FormOperations
import Foundation
import Questionnaires

extension FormOptions {
    /// Returns the folder of `--value-sets`; an empty one without the option.
    ///
    /// - Throws: ``CommandError`` `folder-unreadable` if there is no such folder.
    func terminology() throws -> ResourceFolder {
        try valueSets.map { try ResourceFolder(path: $0) } ?? ResourceFolder()
    }

    /// Returns the form in a file. Value sets come from the folder of `--value-sets`, then from the form's own folder.
    ///
    /// - Throws: ``CommandError``.
    func form(_ path: String) throws -> QuestionnaireForm {
        let form = try SurveyCommand.form(path, lenient: lenient)
        guard valueSets != nil else { return form }
        let terminology = try terminology()
        let folder = try? ResourceFolder(
            path: URL(fileURLWithPath: path).deletingLastPathComponent().path, ofTypes: [ValueSet.resourceType])
        let sets = PublishedValueSets(terminology.all(ValueSet.self))
        let own = PublishedValueSets(path == "-" ? [] : folder?.all(ValueSet.self) ?? [])
        return QuestionnaireForm(form.questionnaire) { sets.valueSet($0) ?? own.valueSet($0) }
    }

    /// Returns the response in a file.
    ///
    /// - Throws: ``CommandError``.
    func response(_ path: String) throws -> QuestionnaireResponse {
        guard let response = try CommandInput.resource(path, lenient: lenient).as(QuestionnaireResponse.self) else {
            throw CommandError("not-a-response", "\(path) contains no QuestionnaireResponse.")
        }
        return response
    }
}

extension SurveyCommand {
    /// Returns a problem as a line for people.
    static func line(_ problem: OperationProblem) -> String {
        line(
            ResponseProblem(
                code: problem.code, severity: problem.severity, expression: problem.expression,
                linkID: problem.linkID, message: problem.message))
    }
}
