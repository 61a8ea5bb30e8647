import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations
import TributaryServer
import Warehouse

extension ParticipantCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write all data about a participant, for the participant.",
            discussion: """
                index.html is a page for the person: their consent with its text, their answers, their measurements by
                type with plots, their devices, and who saw or changed their data. measurements-TYPE.csv has every row of
                a type.

                bundle.json (FHIR R4, every version, the signed requests of permissions, and submissions in the queue that
                the study's keys open), facts.csv, accesses.csv, permissions.json and waiting.json contain the same data
                for programs. The files are readable only by you.

                Example:
                  tributary participant export study P -o /secure/export-P
                """)
        @OptionGroup var location: StoresLocation
        @Argument(help: "The participant: the id of their Patient.") var id: String
        @Option(name: .shortAndLong, help: "The folder to write into.") var output: String
        @Flag(help: "Replace existing files.") var force = false
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let written = try await location.withStores { queue, records in
                let export = try await ParticipantExport(
                    of: id, folder: StudyFolder(path: location.dir), queue: queue, records: records, actor: .account)
                return try await ParticipantExportFiles(export, of: id, folder: output, replaces: force).write(
                    at: Date())
            }
            if json {
                CommandOutput.result([
                    "participant": .string(id), "folder": .string(output),
                    "resources": .number(JSONNumber(written.resources)),
                    "versions": .number(JSONNumber(written.versions)), "facts": .number(JSONNumber(written.facts)),
                    "modifiers": .number(JSONNumber(written.modifiers)),
                    "accesses": .number(JSONNumber(written.accesses)),
                    "permissions": .number(JSONNumber(written.permissions)),
                    "measurements": .number(JSONNumber(written.measurements)),
                    "waiting": .number(JSONNumber(written.waiting)),
                    "opened": .number(JSONNumber(written.opened)),
                ])
            } else {
                CommandOutput.result(
                    "\(written.resources) resources in \(written.versions) versions, "
                        + "\(written.measurements) measurements, \(written.facts) facts "
                        + "with \(written.modifiers) modifiers, "
                        + "\(written.accesses) accesses, \(written.permissions) permissions, \(written.waiting) waiting (\(written.opened) opened)"
                )
            }
            if written.opened < written.waiting {
                CommandOutput.note(
                    "Some submissions could not be opened with the keys in keys/; waiting.json names them.")
            }
        }
    }
}
