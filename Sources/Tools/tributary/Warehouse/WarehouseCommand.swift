import Admission
import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations
import Warehouse

struct WarehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warehouse",
        abstract: "The i2b2 tables: installation, concepts, counts, loading, verification, undo and export.",
        discussion: "Example:\n  tributary warehouse ontology study",
        subcommands: [
            Init.self, Load.self, Replicate.self, Ontology.self, Count.self, Verify.self, Undo.self, Export.self,
        ])

    struct Ontology: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ontology", abstract: "List the concepts, as a tree.",
            discussion: """
                Long names and codes are truncated to 100 columns. --paths prints the paths for `warehouse count`, one
                per line, quoted for a shell; --json prints everything as one JSON value. --used omits concepts without
                facts of participants who still take part.

                Examples:
                  tributary warehouse ontology study --used
                  tributary warehouse ontology study --used --paths
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false
        @Flag(help: "Print only the paths, quoted for a shell.") var paths = false
        @Flag(help: "Print only concepts with facts, and their folders.") var used = false

        func validate() throws {
            guard !(json && paths) else { throw ValidationError("--json contains the paths: leave out --paths.") }
        }

        func run() async throws {
            let used = used
            let concepts = try await location.withRecords { database in
                // Forms may have been published since the server was started.
                try await StudyOntology(StudyFolder(path: location.dir)).write(to: database, now: Date())
                return try await database.read { transaction in
                    used
                        ? try WarehouseQuery().usedOntology(
                            among: CountedParticipants.notWithdrawn.patients, in: transaction)
                        : try WarehouseQuery().ontology(in: transaction)
                }
            }
            if paths {
                for concept in concepts { CommandOutput.result(ShellWord.quoted(concept.path)) }
            } else if json {
                CommandOutput.result(
                    .array(
                        concepts.map {
                            [
                                "path": .string($0.path), "name": .string($0.name),
                                "code": $0.code.map { .string($0) } ?? .null, "type": .string($0.type),
                            ]
                        }))
            } else {
                for line in OntologyTree(concepts).lines { CommandOutput.result(line) }
            }
        }
    }

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "count", abstract: "Count the patients that a path selects, and their facts.",
            discussion: """
                The value is an operator and its operand: LT, LE, EQ, NE, GE, GT n; BETWEEN a b; IS text; LIKE text.
                --from is inclusive, --to exclusive, both UTC. Participants who have withdrawn are excluded without
                --with-withdrawn; --shared counts only those whose consent in force permits sharing.

                Example:
                  tributary warehouse count study --path '\\Tributary\\Health\\' --value 'GE 100' --from 2026-01-01
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false
        @Option(help: "The concept's path.") var path: String
        @Option(help: "A constraint on the value.") var value: String?
        @Option(help: "From this date or time (UTC), inclusive.") var from: String?
        @Option(help: "To this date or time (UTC), exclusive.") var to: String?
        @Flag(help: "Also count participants who have withdrawn.") var withWithdrawn = false
        @Flag(help: "Count only participants whose consent in force permits sharing with researchers.") var shared =
            false

        func validate() throws {
            guard !(shared && withWithdrawn) else {
                throw ValidationError(
                    "--shared and --with-withdrawn exclude each other: a withdrawn consent permits no sharing.")
            }
        }

        private var counted: CountedParticipants {
            if withWithdrawn { return .withWithdrawn }
            return shared ? .sharing : .notWithdrawn
        }

        func run() async throws {
            let constraint: ValueConstraint?
            do {
                constraint = try value.map { try ValueConstraint.parse($0) }
            } catch {
                throw ValidationError("--value: \(error)")
            }
            let begin = try CommandInput.instant(from, "--from")
            let end = try CommandInput.instant(to, "--to")
            let (path, counted) = (path, counted.patients)
            let count = try await location.withRecords { database in
                let count: @Sendable () async throws -> WarehouseQuery.Count = {
                    try await database.read {
                        try WarehouseQuery().count(
                            path: path, value: constraint, from: begin, to: end, among: counted, in: $0)
                    }
                }
                do { return try await count() } catch is UnknownPath {
                    // The form of the path may have been published since the server was started.
                    try await StudyOntology(StudyFolder(path: location.dir)).write(to: database, now: Date())
                    return try await count()
                }
            }
            if json {
                CommandOutput.result([
                    "patients": .number(JSONNumber(count.patients)), "facts": .number(JSONNumber(count.facts)),
                ])
            } else {
                CommandOutput.result("\(count.patients) patients, \(count.facts) facts")
            }
        }
    }
}
