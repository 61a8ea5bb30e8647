import ArgumentParser
import FHIR
import Foundation
import TributaryServer

extension WarehouseCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare each fact with the resource that it was made of.",
            discussion: """
                Exits with 1 where a resource has other rows than it would have if it were loaded now: after
                `warehouse undo`, or where an older version or another form made them. `warehouse load` makes them anew.

                Example:
                  tributary warehouse verify study --json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let progress = ProgressLine()
            let report = try await location.withRecords { database in
                try await StudyWarehouse(StudyFolder(path: location.dir), database: database)
                    .verify { progress.show("\($0) resources") }
            }
            if json {
                CommandOutput.result([
                    "facts": .number(JSONNumber(report.facts)), "resources": .number(JSONNumber(report.resources)),
                    "differences": .array(
                        report.differences.map {
                            [
                                "resource": .string($0.resource), "missing": .number(JSONNumber($0.missing)),
                                "surplus": .number(JSONNumber($0.surplus)),
                            ]
                        }),
                ])
            } else {
                CommandOutput.result(
                    "\(report.facts) facts of \(report.resources) resources, \(report.differences.count) differences")
                for difference in report.differences {
                    CommandOutput.result(
                        "\(difference.resource): \(difference.missing) rows missing, \(difference.surplus) too many")
                }
            }
            if !report.differences.isEmpty { throw ExitCode(1) }
        }
    }
}
