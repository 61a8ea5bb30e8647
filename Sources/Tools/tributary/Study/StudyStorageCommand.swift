import ArgumentParser
import Core
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations

extension StudyCommand {
    struct StorageSize: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "storage",
            abstract: "The bytes of the stores by table and index, and of the resources by their type.",
            discussion: """
                Every page and every version is read: on millions of records it takes minutes.

                Example:
                  tributary study storage study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The records' database, if it is not the study's own.") var database: String?
        @Option(help: "The queue's database, if it is not the study's own.") var queue: String?
        @Option(help: "The people store's database, if it is not the study's own.") var peopleDatabase: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let stores = try StudyStores(
                StudyFolder(path: dir), queue: queue, database: database, people: peopleDatabase)
            let storage = try await StudyStorage.measure(stores)
            if json {
                CommandOutput.result(Self.json(storage))
                return
            }
            for (name, size) in [("queue", storage.queue), ("records", storage.records), ("people", storage.people)] {
                guard let size else { continue }
                CommandOutput.table([name, "rows", "bytes"], Self.lines(size))
                CommandOutput.result("")
            }
            CommandOutput.table(
                ["type", "resources", "versions", "bytes each", "stored each"],
                storage.contents.map { type in
                    [
                        type.type, String(type.resources), String(type.versions),
                        Self.mean(type.contentBytes, type.versions), Self.mean(type.storedBytes, type.versions),
                    ]
                })
            CommandOutput.result("")
            CommandOutput.result("\(Int(storage.bytesPerResource.rounded())) bytes of the records' store per resource")
        }

        private static func lines(_ size: StoreSize) -> [[String]] {
            var lines: [[String]] = []
            for table in size.tables {
                lines.append([table.name, String(table.rows), String(table.bytes)])
                if table.asideBytes > 0 { lines.append(["- long values", "", String(table.asideBytes)]) }
                lines += table.indexes.map { ["- " + $0.name, "", String($0.bytes)] }
            }
            if size.freeBytes > 0 { lines.append(["free", "", String(size.freeBytes)]) }
            return lines + [["together", "", String(size.totalBytes)]]
        }

        private static func mean(_ bytes: Int64, _ number: Int64) -> String {
            number == 0 ? "-" : String(Int((Double(bytes) / Double(number)).rounded()))
        }
    }
}

extension StudyCommand.StorageSize {
    private static func json(_ storage: StudyStorage) -> JSON {
        [
            "queue": json(storage.queue), "records": json(storage.records),
            "people": storage.people.map(json) ?? .null,
            "resources": .array(
                storage.contents.map { type in
                    [
                        "type": .string(type.type), "resources": number(type.resources),
                        "versions": number(type.versions), "contentBytes": number(type.contentBytes),
                        "storedBytes": number(type.storedBytes),
                    ]
                }),
            "bytesPerResource": number(Int64(storage.bytesPerResource.rounded())),
        ]
    }

    private static func json(_ size: StoreSize) -> JSON {
        [
            "engine": .string(size.dialect == .sqlite ? "sqlite" : "postgresql"),
            "bytes": number(size.totalBytes), "freeBytes": number(size.freeBytes),
            "tables": .array(
                size.tables.map { table in
                    [
                        "name": .string(table.name), "rows": number(table.rows), "bytes": number(table.bytes),
                        "asideBytes": number(table.asideBytes),
                        "indexes": .array(
                            table.indexes.map { ["name": .string($0.name), "bytes": number($0.bytes)] }),
                    ]
                }),
        ]
    }

    private static func number(_ value: Int64) -> JSON { .number(JSONNumber(value)) }
}
