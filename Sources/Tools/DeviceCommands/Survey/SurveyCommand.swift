import ArgumentParser
import FHIR
import Foundation
import Questionnaires

package struct SurveyCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "survey",
        abstract: "Ask, answer and check forms (FHIR Questionnaires).",
        discussion: "Example:\n  tributary survey run form.json -o response.json",
        subcommands: [
            Run.self, Answer.self, Replay.self, Validate.self, Populate.self, Extract.self, Assemble.self,
            TaskCommand.self, Check.self, Preview.self, Difference.self,
        ])

    package struct Answer: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "answer",
            abstract: "Answer a form from a file; the QuestionnaireResponse goes to standard output.",
            discussion: """
                Answers are a JSON object of linkIds with values: {"q1": true, "q2": ["a", "b"], "group[1]/q3": 4}. A \
                value is a boolean, a number, a text (for a choice: code, system|code or display), an object with one \
                FHIR value[x], or {"value": ..., "item": {...}} with answers to the items below.

                Example:
                  tributary survey answer form.json --answers answers.json
                """)
        @Argument(help: "The Questionnaire.") package var file: String
        @Option(help: "The answers.") package var answers: String
        @Option(parsing: .unconditional, help: "The Patient id of the respondent.") var subject: String?
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value (it always does).") package var json = false

        package func run() async throws {
            let form = try options.form(file)
            let answers = try CommandInput.json(answers, lenient: options.lenient)
            let (response, problems) = form.answer(
                answers, subject: subject.map { "Patient/\($0)" }, authored: .now())
            for problem in SurveyCommand.faults(of: form) + problems {
                CommandOutput.note(SurveyCommand.line(problem, in: options.language))
            }
            CommandOutput.result(response.json)
            if problems.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
        }
    }

    struct Validate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "validate", abstract: "Check a QuestionnaireResponse against its form.",
            discussion: "Example:\n  tributary survey validate --questionnaire form.json response.json")
        @Option(help: "The Questionnaire.") var questionnaire: String
        @Argument(help: "The QuestionnaireResponse.") var file: String
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let form = try options.form(questionnaire)
            let response = try options.response(file)
            let arranged = form.arranging(response)
            var problems = ResponseValidator(form).problems(in: arranged) + SurveyCommand.faults(of: form)
            if arranged != response {
                problems.append(
                    ResponseProblem(
                        code: "items-laid-in-groups", severity: .information, expression: "QuestionnaireResponse.item",
                        linkID: nil,
                        message:
                            "The response has other groups than the form; its questions are moved to the form's.")
                )
            }
            let isValid = !problems.contains { $0.severity == .error }
            if json {
                CommandOutput.result([
                    "valid": .bool(isValid),
                    "problems": .array(problems.map { SurveyCommand.json($0, in: options.language) }),
                ])
            } else {
                for problem in problems { CommandOutput.result(SurveyCommand.line(problem, in: options.language)) }
                CommandOutput.result(isValid ? "valid" : "not valid")
            }
            if !isValid { throw ExitCode(1) }
        }
    }

    /// Returns the form's own errors as warnings, because the respondent cannot correct them.
    static func faults(of form: QuestionnaireForm) -> [ResponseProblem] {
        form.problems.map { problem in
            ResponseProblem(
                code: problem.code, severity: problem.severity == .error ? .warning : problem.severity,
                expression: "Questionnaire", linkID: problem.linkID, message: "The form itself: " + problem.message)
        }
    }

    /// - Parameter language: the language of the message.
    package static func line(_ problem: ResponseProblem, in language: String? = nil) -> String {
        let item = problem.linkID.map { " (\($0))" } ?? ""
        return
            "\(problem.severity.rawValue): \(problem.message(in: language)) [\(problem.code)] \(problem.expression)\(item)"
    }

    /// - Parameter language: the language of the message.
    package static func json(_ problem: ResponseProblem, in language: String? = nil) -> JSON {
        [
            "code": .string(problem.code), "severity": .string(problem.severity.rawValue),
            "expression": .string(problem.expression), "linkId": problem.linkID.map { .string($0) } ?? .null,
            "message": .string(problem.message(in: language)),
        ]
    }
}
