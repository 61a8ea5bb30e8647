import ArgumentParser
import FHIR
import Foundation
import Questionnaires

extension SurveyCommand {
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay", abstract: "Answer a form step by step, and print the state after each step.",
            discussion: """
                Each line of STEPS is one step: {"set": PATH, "value": [{"valueInteger": 3}]}, {"add": PATH} for the next \
                repetition of a group, {"remove": PATH}. A path is a linkId, or linkIds from the top: rows[1]/name. The \
                output is one line for the start and one for each step, then the completed response.

                Example:
                  tributary survey replay form.json steps.ndjson --last
                """)
        @Argument(help: "The Questionnaire.") var form: String
        @Argument(help: "The steps, one JSON object a line; - for standard input.") var steps: String
        @Option(help: ArgumentHelp("The time of all steps, such as 2026-03-01T09:00:00+01:00.", valueName: "time"))
        var now: String?
        @Option(
            name: .customLong("context"),
            help: ArgumentHelp("The value of a launch context or a variable.", valueName: "name=file"))
        var contexts: [String] = []
        @Option(help: ArgumentHelp("A response to continue.", valueName: "file")) var response: String?
        @Flag(help: "Print only the response.") var last = false
        @OptionGroup var options: FormOptions

        func run() async throws {
            let moment = try SurveyCommand.moment(now)
            let clock: @Sendable () -> DateTime = { moment ?? .now() }
            let form = try options.form(form)
            let context = try SurveyCommand.context(contexts, lenient: options.lenient)
            var session =
                try response.map {
                    FormSession(form, context: context, clock: clock, response: try options.response($0))
                } ?? FormSession(form, context: context, clock: clock)
            if !last { Self.write(session.stateLine(step: 0, refused: nil)) }
            let lines = try CommandInput.file(steps).split(separator: UInt8(ascii: "\n"))
                .filter { !$0.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 } }
            for (index, line) in lines.enumerated() {
                var refusal: SessionStep.Refusal?
                do throws(SessionStep.Refusal) {
                    try session.perform(try Self.step(line))
                } catch {
                    refusal = error
                }
                if !last { Self.write(session.stateLine(step: index + 1, refused: refusal)) }
            }
            Self.write(["response": session.finalResponse(authored: clock()).json])
        }

        /// Writes a value as one line.
        private static func write(_ line: JSON) { CommandOutput.result(line.text()) }

        private static func step(_ line: some Collection<UInt8>) throws(SessionStep.Refusal) -> SessionStep {
            guard let json = try? JSON(line) else {
                throw SessionStep.Refusal(code: "step-malformed", message: "A line of the steps is not JSON.")
            }
            return try SessionStep(json)
        }
    }

    /// Returns a time that was passed as an option.
    static func moment(_ text: String?) throws -> DateTime? {
        guard let text else { return nil }
        guard let moment = DateTime(text), moment.precision >= .day else {
            throw ValidationError("--now takes a FHIR dateTime such as 2026-03-01T09:00:00+01:00.")
        }
        return moment
    }

    /// Returns the values of `--context NAME=FILE` options.
    static func context(_ given: [String], lenient: Bool) throws -> FormContext {
        var context = FormContext()
        for option in given {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--context takes NAME=FILE, such as patient=patient.json.")
            }
            context[parts[0]] = try CommandInput.resource(parts[1], lenient: lenient)
        }
        return context
    }
}
