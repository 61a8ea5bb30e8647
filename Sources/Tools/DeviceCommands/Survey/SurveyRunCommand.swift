import ArgumentParser
import DeviceSystem
import FHIR
import Foundation
import Questionnaires
import TerminalSurvey

extension SurveyCommand {
    package struct Run: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Ask a form's questions in the terminal.",
            discussion: """
                Type an answer or its number. `back` goes back, `clear` removes an answer, `pause` or Ctrl-C stops. A \
                backslash before a word makes it an answer: \\back. The answers are stored in a file for you only \
                (mode 0600) until the form is finished, and the next run continues where you stopped.

                Example:
                  tributary survey run form.json -o response.json
                """)
        @Argument(help: "The Questionnaire.") package var file: String
        @Option(name: [.customShort("o"), .long], help: "The file for the response; standard output by default.")
        package var output: String?
        @Flag(help: "Replace a file that is there already.") package var force = false
        @Option(help: "A file for the answers too, in the format of survey answer.") var answersOut: String?
        @Option(help: "The file for unfinished answers; FILE.answers by default.") package var state: String?
        @Option(parsing: .unconditional, help: "The Patient id of the respondent.") var subject: String?
        @Flag(help: "Start again without the earlier answers.") var restart = false
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value (it always does).") package var json = false

        package func run() async throws { try ask() }

        /// Asks until the form is finished or the person pauses.
        private func ask() throws {
            let form = try options.form(file)
            let keeping = URL(fileURLWithPath: state ?? file + ".answers")
            if let title = form.questionnaire.title { CommandOutput.note(title) }
            for fault in SurveyCommand.faults(of: form) where fault.severity == .warning {
                CommandOutput.note(SurveyCommand.line(fault, in: options.language))
            }
            var dialogue = resumed(form, keeping) ?? SurveyDialogue(form, language: options.language)
            while !dialogue.isFinished {
                for line in dialogue.prompt { CommandOutput.note(line) }
                guard let line = readLine() else { return try pause(dialogue, keeping) }
                var reply = dialogue.take(line)
                if let name = reply.wantedFile {
                    let path = NSString(string: name).expandingTildeInPath
                    reply = dialogue.attach(
                        FileManager.default.contents(atPath: path), contentType: Self.contentType(path),
                        title: URL(fileURLWithPath: path).lastPathComponent)
                }
                for line in reply.lines { CommandOutput.note(line) }
                if reply.isPaused { return try pause(dialogue, keeping) }
                // Stored after every answer, so that Ctrl-C loses none.
                try AtomicFile.write(dialogue.state.data(), to: keeping)
            }
            let response = dialogue.session.response(
                subject: subject.map { "Patient/\($0)" }, authored: .now())
            let problems = ResponseValidator(form).problems(in: response)
            for problem in problems { CommandOutput.note(SurveyCommand.line(problem, in: options.language)) }
            guard !problems.contains(where: { $0.severity == .error }) else {
                throw CommandError(
                    "response-invalid", "The answers do not make a valid response; they are stored in \(keeping.path).")
            }
            if let answersOut {
                let answers = dialogue.session.answerSet.json
                try AtomicFile.write(answers.data(.pretty), to: URL(fileURLWithPath: answersOut))
            }
            if let output {
                try OutputFile.write(response.json.data(.pretty), to: output, replaces: force)
                CommandOutput.note("Written to \(output).")
            } else {
                CommandOutput.result(response.json)
            }
            try? FileManager.default.removeItem(at: keeping)
        }

        /// Returns the stored dialogue, if there is one and the person wants it. The question is asked only at a
        /// terminal.
        private func resumed(_ form: QuestionnaireForm, _ keeping: URL) -> SurveyDialogue? {
            guard !restart, let kept = FileManager.default.contents(atPath: keeping.path) else { return nil }
            guard let state = try? JSON(kept),
                let dialogue = SurveyDialogue(form, language: options.language, resuming: state)
            else {
                CommandOutput.note("The answers in \(keeping.path) are for another form; starting again.")
                return nil
            }
            if isatty(STDIN_FILENO) == 1 {
                CommandOutput.note("Continue where you stopped? (Y/n)")
                if readLine()?.lowercased().hasPrefix("n") == true { return nil }
            } else {
                CommandOutput.note("Continuing where you stopped; --restart starts again.")
            }
            return dialogue
        }

        private func pause(_ dialogue: SurveyDialogue, _ keeping: URL) throws {
            try AtomicFile.write(dialogue.state.data(), to: keeping)
            CommandOutput.note("Paused. Run it again to continue.")
            throw ExitCode(1)
        }

        private static func contentType(_ path: String) -> String? {
            let types = [
                "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
                "gif": "image/gif", "heic": "image/heic", "txt": "text/plain", "csv": "text/csv",
                "mp3": "audio/mpeg", "m4a": "audio/mp4", "mp4": "video/mp4",
            ]
            return types[URL(fileURLWithPath: path).pathExtension.lowercased()]
        }
    }
}
