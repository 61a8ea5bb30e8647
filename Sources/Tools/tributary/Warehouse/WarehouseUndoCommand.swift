import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations
import Warehouse

extension WarehouseCommand {
    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo",
            abstract: "Delete the facts of one upload (a submission), or all rows in i2b2's tables.",
            discussion: """
                The records are kept, and `warehouse load` restores the facts. --all deletes all rows that Tributary
                wrote to i2b2's tables, and keeps those of others. Stop the study's server first for it; if the tables
                are in existing schemas, run `warehouse init` before the study is served again.

                Examples:
                  tributary warehouse undo study 12
                  tributary warehouse undo study --all
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false
        @Argument(help: "The upload's number, or the submission's id.") var upload: String?
        @Flag(help: "Delete all.") var all = false

        func validate() throws {
            guard (upload == nil) == all else {
                throw ValidationError("Name an upload, or use --all.")
            }
        }

        func run() async throws {
            guard let upload else { return try await undoAll() }
            let report = try await location.withRecords { database in
                try await database.write { transaction in
                    try WarehouseLoader().undo(upload: upload, at: Date(), in: transaction)
                }
            }
            guard let report else { throw CommandError("upload-unknown", "There is no upload \(upload).") }
            if json {
                CommandOutput.result(["facts": .number(JSONNumber(report.facts))])
            } else {
                CommandOutput.result("removed \(report.facts) facts")
            }
        }

        private func undoAll() async throws {
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let removed = try await stores.undoWarehouse()
            if json {
                CommandOutput.result(JSON(counts: removed))
                return
            }
            for (table, count) in removed.sorted(by: { $0.key < $1.key }) where count > 0 {
                CommandOutput.result("\(table): \(count) rows removed")
            }
        }
    }
}
