import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension WarehouseCommand {
    struct Replicate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replicate", abstract: "Copy changes to the i2b2 of another database.",
            discussion: """
                For a study whose study.json has "warehouse": {"url": ...}. `serve` copies changes continuously; this
                command ends when no changes are left.

                Example:
                  tributary warehouse replicate study --json
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            guard !stores.warehouse.isOnlyHere else {
                throw CommandError("warehouse-here", "study.json names no other database: warehouse.url is missing.")
            }
            let progress = ProgressLine()
            let carried = try await stores.withRecords { records in
                try await stores.replicateWarehouse(records) { progress.show("\($0) changes") }
            }
            if json {
                CommandOutput.result(["carried": .number(JSONNumber(carried))])
            } else {
                CommandOutput.result("carried \(carried) changes")
            }
        }
    }
}
