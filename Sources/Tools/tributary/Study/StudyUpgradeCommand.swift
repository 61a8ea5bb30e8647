import ArgumentParser
import FHIR
import Foundation
import TributaryServer

extension StudyCommand {
    struct Upgrade: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "upgrade", abstract: "Split a study from before version 0.4 into its two stores.",
            discussion: """
                Stop the study's server first. A copy of the database is made and kept. Run the command again to
                complete an interrupted upgrade.

                Example:
                  tributary study upgrade study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let report = try await StudyUpgrade.run(StudyFolder(path: dir), at: Date())
            if json {
                CommandOutput.result([
                    "submissions": .number(JSONNumber(report.submissions)),
                    "waiting": .number(JSONNumber(report.waiting)), "devices": .number(JSONNumber(report.devices)),
                    "bindings": .number(JSONNumber(report.bindings)), "records": .number(JSONNumber(report.records)),
                    "copy": report.copy.map { .string($0) } ?? .null,
                ])
            } else {
                CommandOutput.result(
                    "\(report.submissions) submissions (\(report.waiting) waiting) and \(report.devices) devices are in "
                        + "queue/, \(report.records) records and \(report.bindings) bindings in data/")
                if let copy = report.copy {
                    CommandOutput.note("A copy of the old database: \(copy). Delete it when everything works.")
                }
            }
        }
    }
}
