import ArgumentParser
import FHIR
import Foundation
import TributaryServer

extension WarehouseCommand {
    struct Load: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "load", abstract: "Make all facts again of the records' present versions.",
            discussion: """
                For a study whose facts an older version made, and after a change of its forms or types. It may run while
                the study is served; what was cut off goes on with the next run. Uploads that were undone come back.

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
                try await stores.replicateWarehouse(database) { progress.show("\($0) changes carried") }
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
                CommandOutput.result("\(report.removed) resources are not in the records any more; their facts went")
            }
            for (code, count) in report.warnings.sorted(by: { $0.key < $1.key }) {
                CommandOutput.result("\(count) resources: \(code)")
            }
        }
    }
}
