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
        abstract: "The i2b2 tables: installation, concepts, counts, loading, verification, undo, export and joins.",
        discussion: "Example:\n  tributary warehouse ontology study",
        subcommands: [
            Init.self, Load.self, Replicate.self, Ontology.self, Count.self, Verify.self, Undo.self, Export.self,
            Join.self,
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
}
