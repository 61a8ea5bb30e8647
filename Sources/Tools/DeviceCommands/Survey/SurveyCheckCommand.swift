import ArgumentParser
import FHIR
import FormAuthoring
import Foundation
import Questionnaires
import StudyFiles

extension SurveyCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Review forms for their authors.",
            discussion: """
                Reports errors, conditions that are never or always true, unreachable items, missing translations, \
                missing texts of pictures, missing codes, and features that are not supported. Exit code 1: a form has \
                an error.

                Example:
                  tributary survey check form.json
                """)
        @Argument(help: "The Questionnaires.") var files: [String]
        @OptionGroup var options: FormOptions
        @Flag(help: "Print an array of {file, items, languages, problems}.") var json = false

        func run() async throws {
            // A wrong folder is an error of the command, not of each file.
            _ = try options.terminology()
            let reports = files.map { FormReport(file: $0, options) }
            if json {
                CommandOutput.result(.array(reports.map(\.json)))
            } else {
                for report in reports { for line in report.lines { CommandOutput.result(line) } }
            }
            if reports.contains(where: \.hasErrors) { throw ExitCode(1) }
        }
    }
}

/// The review of one file.
struct FormReport {
    private let file: String
    private let items: Int
    private let languages: [String]
    private let problems: [FormProblem]
    /// The language of messages.
    private let language: String?

    /// Reads and reviews a file. A file that cannot be read has one problem, an error.
    init(file: String, _ options: FormOptions) {
        self.file = file
        language = options.language
        do {
            let form = try options.original(file)
            let terminology = try options.terminology(of: file) ?? FormTerminology(of: file)
            items = Self.count(form.items)
            languages = form.questionnaire.languages.map(\.text)
            problems =
                form.problems
                + FormReview.problems(
                    of: form, valueSet: terminology.valueSet, codeSystem: terminology.codeSystem)
        } catch {
            items = 0
            languages = []
            let failure =
                CommandFailure.readable(error) as? CommandError
                ?? CommandError("file-unreadable", "The file \(file) cannot be read.")
            problems = [FormProblem(code: failure.code, severity: .error, linkID: nil, message: failure.message)]
        }
    }

    private static func count(_ items: [FormItem]) -> Int { items.reduce(0) { $0 + 1 + count($1.children) } }

    var hasErrors: Bool { problems.contains { $0.severity == .error } }

    var json: JSON {
        [
            "file": .string(file), "items": .number(JSONNumber(items)),
            "languages": .array(languages.map { .string($0) }), "problems": .array(problems.map(json)),
        ]
    }

    private func json(_ problem: FormProblem) -> JSON {
        [
            "code": .string(problem.code), "severity": .string(problem.severity.rawValue),
            "linkId": problem.linkID.map { .string($0) } ?? .null, "message": .string(message(of: problem)),
        ]
    }

    private func message(of problem: FormProblem) -> String {
        problem.message(in: language, from: AuthorSentences.table)
    }

    /// The report for people: the file, its problems, and their numbers.
    var lines: [String] {
        let spoken = languages.isEmpty ? "" : ", \(languages.joined(separator: " "))"
        let severities: [FormProblem.Severity] = [.error, .warning, .information]
        let rows = severities.flatMap { severity in problems.filter { $0.severity == severity } }.map { problem in
            let item = problem.linkID.map { $0.isEmpty ? "" : "\($0): " } ?? ""
            let level = problem.severity.rawValue.padding(toLength: 11, withPad: " ", startingAt: 0)
            return "  \(level) \(item)\(message(of: problem)) [\(problem.code)]"
        }
        let counts = zip(severities, ["error", "warning", "note"]).compactMap { severity, name -> String? in
            let count = problems.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        let summary = counts.isEmpty ? "no problems" : counts.joined(separator: ", ")
        return ["\(file): \(items) item\(items == 1 ? "" : "s")\(spoken): \(summary)"] + rows
    }
}
