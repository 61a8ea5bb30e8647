import FHIR
import FormOperations
import Questionnaires

extension FormOptions {
    /// Returns the folder of `--value-sets`; an empty one without the option.
    ///
    /// - Throws: ``CommandError`` `folder-unreadable` if there is no such folder.
    func terminology() throws -> ResourceFolder {
        try valueSets.map { try ResourceFolder(path: $0) } ?? ResourceFolder()
    }

    /// Returns the form in a file, in the language of `--language`. Value sets come from the folder of `--value-sets`,
    /// then from the form's own folder.
    ///
    /// - Throws: ``CommandError``.
    func form(_ path: String) throws -> QuestionnaireForm {
        try FormFile.form(
            try CommandInput.resource(path, lenient: lenient), path: path, language: language,
            terminology: try terminology(of: path))
    }

    /// Returns the form in a file, as it is written.
    ///
    /// - Throws: ``CommandError``.
    func original(_ path: String) throws -> QuestionnaireForm {
        try FormFile.form(
            try CommandInput.resource(path, lenient: lenient), path: path, terminology: try terminology(of: path))
    }

    /// Returns the value sets and code systems for the form in a file; nil without the option.
    ///
    /// - Throws: ``CommandError`` `folder-unreadable` if there is no such folder.
    func terminology(of path: String) throws -> FormTerminology? {
        valueSets == nil ? nil : FormTerminology(of: path, try terminology())
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
