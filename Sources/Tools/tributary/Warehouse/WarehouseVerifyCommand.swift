import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension WarehouseCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Compare each fact with its resource.",
            discussion: """
                Exits with 1 if a resource has other rows than loading it now would give: after `warehouse undo`, or if
                an older version or another form made them. `warehouse load` makes them again. An i2b2 in another
                database first gets its pending changes, and is then compared row by row.

                Example:
                  tributary warehouse verify study --json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let progress = ProgressLine()
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let (report, replica) = try await location.withRecords { database in
                let report = try await StudyWarehouse(StudyFolder(path: location.dir), database: database)
                    .verify { progress.show("\($0) resources") }
                return (report, try await stores.verifyReplica(database))
            }
            let others = Set(replica?.missing.keys ?? [:].keys).union(replica?.surplus.keys ?? [:].keys).sorted()
            if json {
                CommandOutput.result([
                    "facts": .number(JSONNumber(report.facts)), "resources": .number(JSONNumber(report.resources)),
                    "differences": .array(
                        report.differences.map {
                            [
                                "resource": .string($0.resource), "missing": .number(JSONNumber($0.missing)),
                                "surplus": .number(JSONNumber($0.surplus)),
                            ]
                        }
                            + others.map {
                                [
                                    "encounter": .string($0), "missing": .number(JSONNumber(replica?.missing[$0] ?? 0)),
                                    "surplus": .number(JSONNumber(replica?.surplus[$0] ?? 0)),
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
                if let replica {
                    CommandOutput.result(
                        "\(replica.rows) rows of facts in the other database, \(others.count) encounters differ")
                }
                for name in others {
                    CommandOutput.result(
                        "\(name): \(replica?.missing[name] ?? 0) rows missing, \(replica?.surplus[name] ?? 0) too many")
                }
            }
            if !report.differences.isEmpty || !others.isEmpty { throw ExitCode(1) }
        }
    }
}
