import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import Warehouse

extension WarehouseCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write facts, dimensions and ontology for an i2b2 that cannot be reached from here.",
            discussion: """
                csv writes a file for each table and import.sql; sql writes one file, warehouse.sql. psql imports them
                into an i2b2. The import uses free numbers, keeps other data, and replaces an earlier import. The files
                are readable only by you.

                Example:
                  tributary warehouse export study -o /secure/export --format sql
                  psql i2b2 -v schema=i2b2demodata -v metadata=i2b2metadata -f /secure/export/warehouse.sql
                """)
        @OptionGroup var location: RecordsLocation
        @Option(name: .shortAndLong, help: "The folder to write into.") var output: String
        @Option(help: "csv or sql.") var format: Format = .csv
        @Flag(help: "Replace files that are there.") var force = false
        @Flag(help: "Print one JSON value.") var json = false

        enum Format: String, ExpressibleByArgument { case csv, sql }

        func run() async throws {
            let export = WarehouseExport(format == .csv ? .csv : .sql)
            let folder = URL(fileURLWithPath: output, isDirectory: true)
            do {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw CommandError("file-unwritable", "The folder \(output) cannot be made.")
            }
            let replaces = force
            for name in export.fileNames {
                try OutputFile.check(folder.appendingPathComponent(name).path, replaces: replaces)
            }
            let counts = try await location.withRecords { database in
                try await database.read { transaction in
                    var file: (name: String, output: OutputFile)?
                    do {
                        let counts = try export.run(in: transaction) { name, bytes in
                            if file?.name != name {
                                try file?.output.finish()
                                file = nil
                                let path = folder.appendingPathComponent(name).path
                                file = (name, try OutputFile(path: path, replaces: replaces))
                            }
                            try file?.output.write(bytes)
                        }
                        try file?.output.finish()
                        return counts
                    } catch {
                        file?.output.discard()
                        throw error
                    }
                }
            }
            if json {
                CommandOutput.result(JSON(counts: counts))
            } else {
                for (table, count) in counts.sorted(by: { $0.key < $1.key }) {
                    CommandOutput.result("\(table): \(count) rows")
                }
            }
        }
    }
}
