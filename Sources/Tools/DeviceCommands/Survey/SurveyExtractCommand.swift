import ArgumentParser
import FHIR
import FHIRValidation
import FormOperations
import Foundation

extension SurveyCommand {
    struct Extract: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "extract",
            abstract: "Extract resources from a response; a transaction Bundle goes to standard output.",
            discussion: """
                The form specifies the resources, as in HL7's Structured Data Capture: by observation, by definition and \
                by template. Profiles of the extracted resources are read from the folder of --value-sets. Problems go to \
                standard error.

                Example:
                  tributary survey extract form.json response.json
                """)
        @Argument(help: "The Questionnaire.") var form: String
        @Argument(help: "The QuestionnaireResponse.") var response: String
        @Option(
            help: ArgumentHelp("The time of now() in the form, such as 2026-03-01T09:00:00+01:00.", valueName: "time"))
        var now: String?
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let form = try options.original(form).questionnaire
            let response = try options.response(response)
            let profiles = try options.terminology().all(StructureDefinition.self)
            let byURL = Dictionary(profiles.map { ($0.url ?? "", $0) }) { first, _ in first }
            let extraction = FormExtraction(form) { canonical in
                guard let found = byURL[canonical.url] else { return nil }
                return canonical.version.map { $0 == found.version } ?? true ? found : nil
            }
            let (bundle, problems) = extraction.extracted(
                from: response, now: try SurveyCommand.moment(now) ?? .now(), makeUUID: UUID.random)
            for problem in problems { CommandOutput.note(SurveyCommand.line(problem)) }
            CommandOutput.result(bundle.json)
            // An element that a template lacks is a warning: the extraction itself has no error.
            for fault in FHIRValidator().validate(bundle.json).errors {
                CommandOutput.note("warning: \(fault.message) [\(fault.code)] \(fault.expression)")
            }
            if problems.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
        }
    }
}
