import ArgumentParser
import CarePlans
import CareStores
import FHIR
import Foundation

/// The care plan of an account, or of a patient of the team.
package struct CareCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "care", abstract: "Read and change a care plan, with the library of a phone app.",
        discussion: """
            The account is that of `me login` with the same folder. The folder has a copy of the plan: all commands but
            `sync` work without a network, except for the first command with a patient of the team.

            Example:
              tributary care add --store ann plan.json
              tributary care outcome --store ann --task walk --occurrence 0 --value 30
              tributary care sync --store ann
              tributary care events --store dora --patient ACCOUNT --from 2026-11-01 --to 2026-12-01
            """,
        subcommands: [
            Add.self, Update.self, Delete.self, Outcome.self, Show.self, Events.self, Adherence.self, Sync.self,
            Quarantine.self,
        ])

    /// The shape of the files of `add` and `update`, for help texts.
    static let fileHelp = "A file with one {\"type\",\"object\"} or a list of them; - is standard input."

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add entities to the plan.",
            discussion: """
                The object has the JSON of CareKit. Its dates are seconds since 2001, or ISO 8601 texts. Members that every
                version has, such as uuid and createdDate, may be absent. Either all entities are added or none.

                Example:
                  tributary care add --store ann plan.json --json
                """)
        @OptionGroup var care: CareOptions
        @Argument(help: ArgumentHelp(fileHelp)) var file: String

        func run() async throws {
            let drafts = try CareArguments.drafts(file)
            let store = try await care.open()
            let versions = try await store.add(drafts)
            care.show(versions)
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Change entities of the plan.",
            discussion: """
                The members of each object replace those of the current version of the entity with its id; null removes a
                member, and others stay. Either all entities are changed or none.

                Example:
                  tributary care update --store ann task.json --json
                """)
        @OptionGroup var care: CareOptions
        @Argument(help: ArgumentHelp(fileHelp)) var file: String

        func run() async throws {
            let drafts = try CareArguments.drafts(file)
            let store = try await care.open()
            let versions = try await store.update(drafts)
            care.show(versions)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete an entity of the plan.",
            discussion: """
                The deletion is a further version; the earlier ones remain. A deleted entity cannot be changed again.

                Example:
                  tributary care delete --store ann task walk
                """)
        @OptionGroup var care: CareOptions
        @Argument(help: "The type: patient, carePlan, contact, task, healthKitTask or outcome.") var type: String
        @Argument(help: "The id of the entity.") var id: String

        func run() async throws {
            let kind = try CareArguments.kind(type)
            let store = try await care.open()
            let versions = try await store.delete(kind, id: id)
            care.show(versions)
        }
    }

    struct Outcome: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "outcome", abstract: "Record the outcome of an event, or remove it.",
            discussion: """
                A value is the JSON of CareKit's OCKOutcomeValue, such as {"type":"integer","value":30,"units":"min"}, or a
                number, a text, true or false alone; a negative number needs --value=-5. Values of an event with an outcome
                replace it. Each removal is final: the next outcome of the event has a new id.

                Example:
                  tributary care outcome --store ann --task walk --occurrence 0 --value 30
                  tributary care outcome --store ann --task walk --occurrence 0 --remove
                """)
        @OptionGroup var care: CareOptions
        @Option(help: "The id of the task, or the uuid of one of its versions.") var task: String
        @Option(parsing: .unconditional, help: "The index of the occurrence, from 0, as `care events` shows it.")
        var occurrence: Int
        @Option(name: .customLong("value"), parsing: .upToNextOption, help: "The values.") var values: [String] = []
        @Flag(help: "Remove the outcome.") var remove = false

        func validate() throws {
            guard values.isEmpty == remove else { throw ValidationError("Give --value or --remove.") }
        }

        func run() async throws {
            let values = try values.map { text in
                guard let value = JSON(reading: Array(text.utf8)) else {
                    throw ValidationError("--value takes JSON, such as 30 or '\"a text\"'.")
                }
                return value
            }
            let store = try await care.open()
            let versions =
                remove
                ? try await store.removeOutcome(task: task, occurrence: occurrence)
                : try await store.recordOutcome(task: task, occurrence: occurrence, values: values)
            care.show(versions)
        }
    }
}
