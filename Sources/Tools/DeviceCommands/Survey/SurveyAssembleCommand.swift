import ArgumentParser
import FHIR
import FormOperations
import Questionnaires

extension SurveyCommand {
    struct Assemble: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "assemble",
            abstract: "Replace the sub-forms of a modular form by their items; the whole form goes to standard output.",
            discussion: """
                The sub-forms are the Questionnaires in the folder. A sub-form is found by its canonical URL, and by its \
                version if the form names one.

                Example:
                  tributary survey assemble form.json --library forms/
                """)
        @Argument(help: "The Questionnaire.") var form: String
        @Option(help: ArgumentHelp("The folder of the sub-forms as JSON files.", valueName: "dir")) var library: String
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let form = try options.original(form).questionnaire
            let library = try ResourceFolder(path: library)
            let (whole, problems) = FormAssembly.assembled(form) { library.resource(Questionnaire.self, $0) }
            for problem in problems { CommandOutput.note(SurveyCommand.line(problem)) }
            guard let whole else { throw ExitCode(1) }
            let language = options.language.flatMap { LanguageTag($0) }
            CommandOutput.result(language.map { whole.translated(to: $0).json } ?? whole.json)
        }
    }
}
