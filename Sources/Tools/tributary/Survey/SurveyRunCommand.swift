import ArgumentParser
import FHIR
import Foundation
import Outbox
import Questionnaires
import TerminalSurvey

extension SurveyCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Ask a form's questions in the terminal.",
            discussion: """
                Type an answer or its number. `back` goes back, `clear` removes an answer, `pause` or Ctrl-C stops. A \
                backslash before a word makes it an answer: \\back. What was answered is kept in a file of your own \
                (mode 0600) until the form is done, and the next run goes on where you stopped.

                Example:
                  tributary survey run form.json -o response.json
                """)
        @Argument(help: "The Questionnaire.") var file: String
        @Option(name: [.customShort("o"), .long], help: "Where the response is written; standard output unless given.")
        var output: String?
        @Flag(help: "Replace a file that is there already.") var force = false
        @Option(help: "Where the answers are written too, as survey answer reads them.") var answersOut: String?
        @Option(help: "Where answers are kept meanwhile; FILE.answers unless given.") var state: String?
        @Option(parsing: .unconditional, help: "Whom the answers are about: a Patient id.") var subject: String?
        @Flag(help: "Begin anew, whatever was answered before.") var restart = false
        @Flag(help: "Also read a comma before a closing bracket.") var lenient = false
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws { try ask() }

        /// Asks until the form is answered or the person pauses.
        private func ask() throws {
            let form = try SurveyCommand.form(file, lenient: lenient)
            let keeping = URL(fileURLWithPath: state ?? file + ".answers")
            if let title = form.questionnaire.title { CommandOutput.note(title) }
            for fault in SurveyCommand.faults(of: form) where fault.severity == .warning {
                CommandOutput.note(SurveyCommand.line(fault))
            }
            var dialogue = resumed(form, keeping) ?? SurveyDialogue(form)
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
                // Kept after every answer, so that Ctrl-C loses none.
                try AtomicFile.write(dialogue.state.data(), to: keeping)
            }
            let response = dialogue.session.response(
                subject: subject.map { "Patient/\($0)" }, authored: .now())
            let problems = ResponseValidator(form).problems(in: response)
            for problem in problems { CommandOutput.note(SurveyCommand.line(problem)) }
            guard !problems.contains(where: { $0.severity == .error }) else {
                throw CommandError(
                    "response-invalid", "The answers do not make a valid response; they are kept in \(keeping.path).")
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

        /// The dialogue as it was kept, if it was and the person wants it. Only at a terminal is there somebody to ask.
        private func resumed(_ form: QuestionnaireForm, _ keeping: URL) -> SurveyDialogue? {
            guard !restart, let kept = FileManager.default.contents(atPath: keeping.path) else { return nil }
            guard let state = try? JSON(kept), let dialogue = SurveyDialogue(form, resuming: state) else {
                CommandOutput.note("The answers kept in \(keeping.path) are not of this form; beginning anew.")
                return nil
            }
            if isatty(STDIN_FILENO) == 1 {
                CommandOutput.note("Go on where you stopped? (Y/n)")
                if readLine()?.lowercased().hasPrefix("n") == true { return nil }
            } else {
                CommandOutput.note("Going on where you stopped; --restart begins anew.")
            }
            return dialogue
        }

        private func pause(_ dialogue: SurveyDialogue, _ keeping: URL) throws {
            try AtomicFile.write(dialogue.state.data(), to: keeping)
            CommandOutput.note("Paused. Run it again to go on.")
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
