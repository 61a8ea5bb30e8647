import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension StudyCommand {
    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Move a study's stores to another location: a file, or PostgreSQL.",
            discussion: """
                Stop the study's servers first. Afterwards study.json contains the new locations. The data at the old
                location is kept but cannot be used any more; delete it when everything works. Run the command again to
                complete an interrupted move. A relative path is below the study's folder, as in study.json.

                Example:
                  tributary study move study --database postgresql://tributary@db.example.org/study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The queue's new location: a path, sqlite:PATH or postgresql://...") var queue: String?
        @Option(help: "The records' new location, in the same format.") var database: String?
        @Option(help: "The people store's new location, in the same format.") var people: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let (queue, records, people) = try await StudyMove.run(
                StudyFolder(path: dir), queue: queue, database: database, people: people, at: Date())
            if json {
                CommandOutput.result([
                    "queue": queue.map(Self.json) ?? .null, "records": records.map(Self.json) ?? .null,
                    "people": people.map(Self.json) ?? .null,
                ])
                return
            }
            for (name, report) in [("queue", queue), ("records", records), ("people store", people)] {
                guard let report else { continue }
                let rows = report.rows.map { " (\($0.values.reduce(0, +)) rows)" } ?? ""
                CommandOutput.result("The \(name) is now at \(report.to)\(rows).")
                CommandOutput.note("The \(name) at \(report.from) is no longer used; delete it when everything works.")
            }
        }

        private static func json(_ report: StudyMove.Report) -> JSON {
            let rows = (report.rows ?? [:]).sorted { $0.key < $1.key }
            var object = JSONObject()
            for (name, count) in rows { object[name] = .number(JSONNumber(count)) }
            return [
                "from": .string(report.from), "to": .string(report.to),
                "rows": report.rows == nil ? .null : .object(object),
            ]
        }
    }
}
