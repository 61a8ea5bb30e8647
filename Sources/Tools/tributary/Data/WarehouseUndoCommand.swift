import ArgumentParser
import FHIR
import Foundation
import TributaryServer
import Warehouse

extension WarehouseCommand {
    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo",
            abstract: "Remove the facts of one upload (a submission), or all that was put into i2b2's tables.",
            discussion: """
                The resources stay, and `warehouse load` brings the facts back. With --all i2b2's tables are as if there had
                been no study: rows that others wrote stay. Nobody serves the study meanwhile; where the tables are in
                another's schemas, `warehouse init` is to be run before it is served again.

                Examples:
                  tributary warehouse undo study 12
                  tributary warehouse undo study --all
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false
        @Argument(help: "The upload's number, or the submission's id.") var upload: String?
        @Flag(help: "Remove all.") var all = false

        func validate() throws {
            guard (upload == nil) == all else {
                throw ValidationError("Say which upload is undone, or --all.")
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
