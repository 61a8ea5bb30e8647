import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension WarehouseCommand {
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Create i2b2's tables, or use those of an existing i2b2.",
            discussion: """
                If study.json has "warehouse": {"schema": "i2b2demodata", "metadataSchema": "i2b2metadata"}, the facts
                are stored in these schemas of the records' database, together with other data. Existing tables are not
                altered; two views are added, consent_dimension and tributary_meta. If there is a problem, it is
                printed, nothing is changed, and the exit code is 1. Without "warehouse" the tables are among the
                records'. With a "url" in it they are too, and changes are copied to that database (`warehouse
                replicate`, and `serve` continuously).

                Stop the study's server first. `warehouse load` loads the facts of data that was received before.

                Example:
                  tributary warehouse init study --json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Treat rows of an earlier load of this study in the tables as its own.") var adopt = false
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let report = try await stores.installWarehouse(adopts: adopt)
            if json {
                func texts(_ names: [String]) -> JSON { .array(names.map { .string($0) }) }
                CommandOutput.result([
                    "made": texts(report.made), "found": texts(report.found), "problems": texts(report.problems),
                ])
            } else {
                for name in report.made { CommandOutput.result("made \(name)") }
                for name in report.found { CommandOutput.result("found \(name)") }
                for problem in report.problems { CommandOutput.result(problem) }
            }
            guard report.problems.isEmpty else { throw ExitCode(1) }
            if report.isToBeReplicated {
                CommandOutput.note(
                    "The facts are copied there with `tributary warehouse replicate`, and by `serve`.")
            }
            if report.isToBeLoaded {
                CommandOutput.note("Load the data that was received before with `tributary warehouse load`.")
            }
        }
    }
}
