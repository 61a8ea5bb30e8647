import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension WarehouseCommand {
    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join", abstract: "Give linked participants the numbers of the site's patients in i2b2.",
            discussion: """
                The record of a participant's link (`link list`) and the source select the row of patient_mapping whose
                number the participant gets: answers and medical record are one patient then. A reader of i2b2 who can
                identify that patient can also identify the participant, who is no longer pseudonymous there.

                All linked participants are joined, or none. The site's rows are not changed. Later data get the same
                number. --undo gives participants their own numbers back. The audit has a row for each change.

                Examples:
                  tributary warehouse join study --source EPIC
                  tributary warehouse join study --source EPIC --undo
                """)
        @OptionGroup var location: RecordsLocation
        @Option(help: "The site's system, as patient_ide_source of patient_mapping names it.") var source: String
        @Flag(help: "Give the participants their own numbers back.") var undo = false
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let stores = try StudyStores(StudyFolder(path: location.dir), database: location.database)
            let joins = StudyJoins(stores, actor: .account)
            let report = undo ? try await joins.undo(source: source) : try await joins.join(source: source)
            if json {
                CommandOutput.result([
                    (undo ? "ended" : "joined"): .number(JSONNumber(report.changed)),
                    "unchanged": .number(JSONNumber(report.unchanged)),
                    "notLoaded": .number(JSONNumber(report.notLoaded)),
                ])
                return
            }
            CommandOutput.result(
                "\(report.changed) participants \(undo ? "have their own numbers again" : "joined"), "
                    + "\(report.unchanged) unchanged, \(report.notLoaded) without data")
        }
    }
}
