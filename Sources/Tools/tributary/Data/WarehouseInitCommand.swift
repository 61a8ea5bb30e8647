import ArgumentParser
import FHIR
import Foundation
import TributaryServer

extension WarehouseCommand {
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Make i2b2's tables, or take those of an i2b2 that is there.",
            discussion: """
                Where study.json says "warehouse": {"schema": "i2b2demodata", "metadataSchema": "i2b2metadata"}, the facts go
                into these schemas of the records' database, beside what stands there. Nothing of the tables is altered;
                two views are added, consent_dimension and tributary_meta. What is in the way is said, with exit code 1, and nothing is changed.
                Without "warehouse" the tables are among the records'. With a "url" in it they are too, and what changes is
                carried to that database (`warehouse replicate`, and `serve` all the time).

                Nobody serves the study meanwhile. `warehouse load` brings the facts of what was received before.

                Example:
                  tributary warehouse init study --json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Take what an earlier load of this study left in the tables for its own.") var adopt = false
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
                    "What is here is carried there with `tributary warehouse replicate`, and by `serve`.")
            }
            if report.isToBeLoaded {
                CommandOutput.note("What was received before is loaded with `tributary warehouse load`.")
            }
        }
    }
}
