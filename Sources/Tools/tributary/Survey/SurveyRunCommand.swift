import ArgumentParser
import FHIR
import Foundation
import Outbox
import Questionnaires

extension SurveyCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask a form's questions in the terminal.",
            discussion: """
                Type an answer or its number; `back` goes back, `pause` or Ctrl-C stops. What was answered is kept in a
                file of your own (mode 0600) until the form is done, and asked for nothing twice.

                Example:
                  tributary survey run form.json -o response.json
                """)
        @Argument(help: "The Questionnaire.") var file: String
        @Option(name: [.customShort("o"), .long], help: "Where the response is written; standard output unless given.")
        var output: String?
        @Option(help: "Where answers are kept meanwhile; FILE.answers unless given.") var state: String?
        @Flag(help: "Begin anew, whatever was answered before.") var restart = false
        @Flag(help: "Also read a comma before a closing bracket.") var lenient = false
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let form = try SurveyCommand.form(file, lenient: lenient)
            let keeping = URL(fileURLWithPath: state ?? file + ".answers")
            var dialogue = SurveyDialogue(form)
            if let title = form.questionnaire.title { CommandOutput.note(title) }
            if !restart, let kept = FileManager.default.contents(atPath: keeping.path), let answers = try? JSON(kept) {
                dialogue.resume(answers)
                CommandOutput.note("Going on where you stopped; --restart begins anew.")
            }
            while let here = dialogue.current {
                for line in dialogue.prompt { CommandOutput.note(line) }
                guard let line = readLine() else { return try pause(keeping) }
                let reply = dialogue.take(line)
                for line in reply.lines { CommandOutput.note(line) }
                if reply.isPaused { return try pause(keeping) }
                // Kept after every answer, so that Ctrl-C loses none.
                try AtomicFile.write(dialogue.answersSoFar.data(), to: keeping)
                offerRepetition(after: here, &dialogue)
            }
            let response = dialogue.session.response(authored: Date().withLocalOffset)
            let problems = ResponseValidator(form).problems(in: response)
            for problem in problems { CommandOutput.note(SurveyCommand.line(problem)) }
            guard !problems.contains(where: { $0.severity == .error }) else {
                throw CommandError("response-invalid", "The answers do not make a valid response; run it again.")
            }
            if let output {
                try AtomicFile.write(response.json.data(.pretty), to: URL(fileURLWithPath: output))
                CommandOutput.note("Written to \(output).")
            } else {
                CommandOutput.result(response.json)
            }
            try? FileManager.default.removeItem(at: keeping)
        }

        private func pause(_ keeping: URL) throws {
            CommandOutput.note("Paused. Run it again to go on.")
            throw ExitCode(1)
        }

        /// Behind the last question of a repeating group another round is offered.
        private func offerRepetition(after path: ItemPath, _ dialogue: inout SurveyDialogue) {
            guard let group = dialogue.repeatableGroup(of: path), dialogue.current != path else { return }
            let isInside = dialogue.current.map { Array($0.steps.prefix(group.steps.count)) == group.steps } ?? false
            let isBack = dialogue.current.map { dialogue.comesBefore($0, path) } ?? false
            guard !isInside, !isBack, !dialogue.session.answers(at: path).isEmpty else { return }
            CommandOutput.note("Another one? (y/N)")
            if readLine()?.lowercased().hasPrefix("y") == true { dialogue.addInstance(of: group) }
        }
    }
}
