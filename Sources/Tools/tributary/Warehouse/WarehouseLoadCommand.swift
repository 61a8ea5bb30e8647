import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension WarehouseCommand {
    struct Load: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "load", abstract: "Make all facts again from the records' present versions.",
            discussion: """
                For a study whose facts were made by an older version, and after a change of its forms or types. It may
                run while the study is served; the next run continues an interrupted one. Undone uploads are loaded
                again.

                Example:
                  tributary warehouse load study
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let progress = ProgressLine()
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let report = try await location.withRecords { database in
                let report = try await StudyWarehouse(StudyFolder(path: location.dir), database: database)
                    .load { progress.show("\($0) resources") }
                try await stores.replicateWarehouse(database) { progress.show("\($0) changes copied") }
                return report
            }
            if json {
                CommandOutput.result([
                    "resources": .number(JSONNumber(report.resources)), "facts": .number(JSONNumber(report.facts)),
                    "removed": .number(JSONNumber(report.removed)),
                    "warnings": JSON(counts: report.warnings),
                ])
                return
            }
            CommandOutput.result("\(report.facts) facts of \(report.resources) resources")
            if report.removed > 0 {
                CommandOutput.result("\(report.removed) resources left the records; their facts were deleted")
            }
            for (code, count) in report.warnings.sorted(by: { $0.key < $1.key }) {
                CommandOutput.result("\(count) resources: \(code)")
            }
        }
    }
}
