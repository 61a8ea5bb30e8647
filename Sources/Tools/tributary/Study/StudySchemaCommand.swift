import ArgumentParser
import DeviceCommands
import Foundation
import StudyOperations
import TributaryServer

extension StudyCommand {
    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Show the tables of a study's stores: their columns, keys and indexes.",
            discussion: """
                Example:
                  tributary study schema
                  tributary study schema --markdown
                """)
        @Flag(help: "Print the documentation page.") var markdown = false

        func run() throws {
            if markdown {
                CommandOutput.result(Data(SchemaPage.text(StudyStores.schemas).utf8))
                return
            }
            CommandOutput.table(
                ["STORE", "TABLE", "COLUMNS", "CONTENT"],
                SchemaPage.tables(of: StudyStores.schemas).map { row in
                    [row.store, row.table.name, String(row.table.columns.count), row.table.comment]
                })
        }
    }
}
