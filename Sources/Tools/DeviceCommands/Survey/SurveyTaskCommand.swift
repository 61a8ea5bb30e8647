import ArgumentParser
import FHIR
import Foundation
import Questionnaires
import ResearchKitForms

extension SurveyCommand {
    struct TaskCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "task",
            abstract: "Print a form as a task of ResearchKit, or the response of a task's result.",
            discussion: """
                The task is JSON in the names of ResearchKit's serializer: steps with form items and answer formats. With \
                --result, the output is the QuestionnaireResponse of a result in the JSON of that serializer; a photo is \
                read from the folder of the result, by its name.

                Example:
                  tributary survey task form.json --result result.json
                """)
        @Argument(help: "The Questionnaire.") var file: String
        @Option(help: "A task result; the output is its response.") var result: String?
        @Option(parsing: .unconditional, help: "The Patient id of the respondent.") var subject: String?
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let task = try SurveyTask(try options.form(file))
            guard let result else {
                CommandOutput.result(task.json)
                return
            }
            let folder = result == "-" ? nil : URL(fileURLWithPath: result).deletingLastPathComponent()
            let (response, problems) = task.response(
                for: try SurveyResult(CommandInput.file(result)), subject: subject.map { "Patient/\($0)" },
                file: { file in Self.content(file, in: folder) })
            for problem in SurveyCommand.faults(of: task.form) + problems {
                CommandOutput.note(SurveyCommand.line(problem, in: options.language))
            }
            CommandOutput.result(response.json)
            if problems.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
        }

        /// Returns the content of a file in the folder of the result; nil if it has none. The address in the result is
        /// of the phone, and only its last part is used.
        private static func content(_ file: SurveyFile, in folder: URL?) -> Data? {
            guard let folder, let name = file.name, !name.contains("/"), name != "..", name != "." else { return nil }
            return FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
        }
    }
}
