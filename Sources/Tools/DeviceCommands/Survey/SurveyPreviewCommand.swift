import ArgumentParser
import FHIR
import FormAuthoring
import Foundation
import Questionnaires

extension SurveyCommand {
    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "preview", abstract: "Write a page that shows all questions of a form.",
            discussion: """
                The page is one HTML file that loads nothing else and contains no script. It has the questions with \
                their options and limits, and the conditions in words. Nothing can be answered there: `survey run` \
                asks the questions.

                Example:
                  tributary survey preview form.json -o page.html
                  tributary survey preview form.json --language de --force -o page.html
                """)
        @Argument(help: "The Questionnaire.") var file: String
        @Option(name: [.customShort("o"), .long], help: "The HTML file to write.") var output: String
        @OptionGroup var options: FormOptions
        @Flag(help: "Replace the file if it exists.") var force = false
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            try OutputFile.check(output, replaces: force)
            let form = try options.form(file)
            for problem in SurveyCommand.faults(of: form) where problem.severity != .information {
                CommandOutput.note(SurveyCommand.line(problem, in: options.language))
            }
            let preview = FormPreview(form, clock: { .now() })
            try OutputFile.write(Data(preview.html.utf8), to: output, replaces: force)
            if json {
                CommandOutput.result([
                    "file": .string(output), "title": .string(preview.title),
                    "questions": .number(JSONNumber(preview.questionCount)),
                ])
            } else {
                CommandOutput.note("\(preview.questionCount) questions, written to \(output).")
            }
        }
    }
}
