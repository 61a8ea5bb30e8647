import ArgumentParser
import FHIR
import Foundation
import TributaryServer

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a study of a backup.",
        discussion: """
            The folder must not hold a study. The backup is checked wholly before anything gets its name. Phones notice
            the restore and send again what the backup lacked.

            Example:
              tributary restore /backup/study.tar -o study
            """)

    @Argument(help: "The backup's file.") var file: String
    @Option(name: .shortAndLong, help: "The study's folder to make.") var output: String
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let restored = try await StudyBackup.restore(file, into: output, at: Date())
        if json {
            CommandOutput.result([
                "submissions": .number(JSONNumber(restored.submissions)),
                "records": .number(JSONNumber(restored.records)), "epoch": .number(JSONNumber(Int(restored.epoch))),
            ])
        } else {
            CommandOutput.result("restored \(restored.submissions) submissions and \(restored.records) records")
        }
        CommandOutput.note(
            "A backup holds no private keys: put keys/ (0700) back into \(output) before serving, or nothing can be opened."
        )
    }
}
