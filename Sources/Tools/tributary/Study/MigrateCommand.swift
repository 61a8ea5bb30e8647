import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate a study's stores to this version, as serve does when it starts.",
        discussion: """
            First makes a copy of each store that changes, next to it. Stop the study's consumer before. A store of an
            earlier development version is refused.

            Example:
              tributary migrate study
            """)

    @Argument(help: "The study's folder.") var dir: String
    @Option(help: "The queue's database, if it is not the study's own.") var queue: String?
    @Option(help: "The records' database, if it is not the study's own.") var database: String?
    @Option(help: "The people store's database, if it is not the study's own.") var peopleDatabase: String?
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let stores = try StudyStores(StudyFolder(path: dir), queue: queue, database: database, people: peopleDatabase)
        let report = try await stores.migrate()
        if json {
            CommandOutput.result([
                "queue": Self.json(report.queue), "records": Self.json(report.records),
                "links": report.links.map(Self.json) ?? .null, "people": report.people.map(Self.json) ?? .null,
            ])
        } else {
            CommandOutput.result(Self.words("queue", report.queue))
            CommandOutput.result(Self.words("records", report.records))
            if let links = report.links { CommandOutput.result(Self.words("links", links)) }
            if let people = report.people { CommandOutput.result(Self.words("people", people)) }
        }
    }

    private static func json(_ report: StoreMigration.Report) -> JSON {
        [
            "steps": .array(report.steps.map { .number(JSONNumber($0)) }),
            "copy": report.copy.map { .string($0) } ?? .null,
        ]
    }

    private static func words(_ name: String, _ report: StoreMigration.Report) -> String {
        guard !report.steps.isEmpty else { return "\(name): up to date" }
        let steps = report.steps.map(String.init).joined(separator: ", ")
        return "\(name): steps \(steps)" + (report.copy.map { "; as it was: \($0)" } ?? "")
    }
}
