import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension StudyCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check every file of a study's folder as the server reads it.",
            discussion: """
                Prints errors, warnings and information, with file and location. After an error the exit status is 1,
                and no server starts.

                Example:
                  tributary study check study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let check = StudyCheck(folder)
            // A study that was never served has no records to compare with.
            let recorded = try? await StudyStores(folder).withRecords { try await check.recordFindings($0) }
            let findings = check.findings() + (recorded ?? [])
            let errors = findings.count { $0.severity == .error }
            if json {
                CommandOutput.result(.array(findings.map(\.json)))
            } else {
                for finding in findings {
                    let location = finding.path.isEmpty ? finding.file : "\(finding.file): \(finding.path)"
                    CommandOutput.result(
                        "\(finding.severity.rawValue): \(location): \(finding.message) [\(finding.code)]")
                }
                CommandOutput.result(errors == 0 ? "no errors" : "errors: \(errors)")
            }
            if errors > 0 { throw ExitCode(1) }
        }
    }
}
