import ArgumentParser
import DeviceCommands
import FHIR
import RecordStorage

struct RecordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records", abstract: "Maintain the records of a study.", subcommands: [Reindex.self])

    struct Reindex: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reindex", abstract: "Make the search index again from the records.",
            discussion: """
                `tributary migrate` does this if a new version needs it. The server may run meanwhile. An interrupted
                run starts again.

                Example:
                  tributary records reindex study
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let count = try await location.withRecords { database in try await RecordIndex.remake(in: database) }
            if json {
                CommandOutput.result(["records": .number(JSONNumber(count))])
            } else {
                CommandOutput.result("\(count) records are indexed.")
            }
        }
    }
}
