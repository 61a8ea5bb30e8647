import ArgumentParser
import FHIR
import Foundation
import TributaryServer

extension StudyCommand {
    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Carry a study's stores over to another place: a file, or PostgreSQL.",
            discussion: """
                Stop the study's servers first. study.json says afterwards where the stores are. What stood at the old place
                stays there and can be used no more; remove it when all is well. What stops on the way is finished by
                running it again. A relative path is one below the study's folder, as in study.json.

                Example:
                  tributary study move study --database postgresql://tributary@db.example.org/study
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The queue's new place: a path, sqlite:PATH or postgresql://...") var queue: String?
        @Option(help: "The records' new place, likewise.") var database: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let (queue, records) = try await StudyMove.run(
                StudyFolder(path: dir), queue: queue, database: database, at: Date())
            if json {
                CommandOutput.result([
                    "queue": queue.map(Self.json) ?? .null, "records": records.map(Self.json) ?? .null,
                ])
                return
            }
            for (name, report) in [("queue", queue), ("records", records)] {
                guard let report else { continue }
                let rows = report.rows.map { " (\($0.values.reduce(0, +)) rows)" } ?? ""
                CommandOutput.result("The \(name) is now at \(report.to)\(rows).")
                CommandOutput.note("The \(name) at \(report.from) can be used no more; remove it when all is well.")
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
