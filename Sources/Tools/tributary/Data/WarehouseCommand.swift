import ArgumentParser
import FHIR
import Foundation
import Storage
import TributaryServer
import Warehouse

struct WarehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warehouse",
        abstract: "The i2b2 tables: concepts, counts, undo.",
        discussion: "Example:\n  tributary warehouse ontology study",
        subcommands: [Ontology.self, Count.self, Undo.self])

    /// Which study and database.
    struct Location: ParsableArguments {
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The database, if it is not the study's own.") var database: String?
        @Flag(help: "Print one JSON value.") var json = false

        func withDatabase<T>(_ body: (any SQLDatabase, StudyFolder) async throws -> T) async throws -> T {
            let folder = StudyFolder(path: dir)
            _ = try folder.configuration()
            let opened = try await StudyStores(folder, database: database).openRecords()
            let result = try await body(opened, folder)
            try await opened.close()
            return result
        }
    }

    struct Ontology: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the concepts.",
            discussion: "Example:\n  tributary warehouse ontology study --json")
        @OptionGroup var location: Location

        func run() async throws {
            let concepts = try await location.withDatabase { database, folder in
                // The forms may have been published since the server last started.
                try await StudyProcessing.loadOntology(folder: folder, database: database, now: Date())
                return try await database.read { try WarehouseQuery().ontology(in: $0) }
            }
            if location.json {
                CommandOutput.result(
                    .array(
                        concepts.map {
                            [
                                "path": .string($0.path), "name": .string($0.name),
                                "code": $0.code.map { .string($0) } ?? .null, "type": .string($0.type),
                            ]
                        }))
            } else {
                CommandOutput.table(
                    ["path", "name", "code", "type"], concepts.map { [$0.path, $0.name, $0.code ?? "-", $0.type] })
            }
        }
    }

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count the patients with a fact below a path.",
            discussion: """
                The value is an operator and its operand: LT, LE, EQ, NE, GE, GT n; BETWEEN a b; IS text; LIKE text.
                --from is inclusive, --to exclusive, both UTC.

                Example:
                  tributary warehouse count study --path '\\Tributary\\Health\\' --value 'GE 100' --from 2026-01-01
                """)
        @OptionGroup var location: Location
        @Option(help: "The concept's path.") var path: String
        @Option(help: "A constraint on the value.") var value: String?
        @Option(help: "From this date or time (UTC), inclusive.") var from: String?
        @Option(help: "To this date or time (UTC), exclusive.") var to: String?

        func run() async throws {
            let constraint: ValueConstraint?
            do {
                constraint = try value.map { try ValueConstraint.parse($0) }
            } catch {
                throw ValidationError("--value: \(error)")
            }
            let begin = try Self.instant(from, "--from")
            let end = try Self.instant(to, "--to")
            let path = path
            let patients = try await location.withDatabase { database, _ in
                try await database.read {
                    try WarehouseQuery().count(path: path, value: constraint, from: begin, to: end, in: $0)
                }
            }
            if location.json {
                CommandOutput.result(["patients": .number(JSONNumber(patients))])
            } else {
                CommandOutput.result("\(patients) patients")
            }
        }

        private static func instant(_ text: String?, _ option: String) throws -> Date? {
            guard let text else { return nil }
            guard let value = DateTime(text) ?? DateTime(text + "Z") else {
                throw ValidationError("\(option) takes a date (2026-01-31) or a time (2026-01-31T12:00:00Z).")
            }
            return value.start()
        }
    }

    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the facts of one upload (a submission); its resources stay.",
            discussion: "Example:\n  tributary warehouse undo study 12")
        @OptionGroup var location: Location
        @Argument(help: "The upload's number, or the submission's id.") var upload: String

        func run() async throws {
            let upload = upload
            let report = try await location.withDatabase { database, _ in
                try await database.write { transaction in
                    try WarehouseLoader().undo(upload: upload, at: Date(), in: transaction)
                }
            }
            guard let report else { throw CommandError("upload-unknown", "There is no upload \(upload).") }
            if location.json {
                CommandOutput.result(["facts": .number(JSONNumber(report.facts))])
            } else {
                CommandOutput.result("removed \(report.facts) facts")
            }
        }
    }
}
