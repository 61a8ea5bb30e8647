import ArgumentParser
import CarePlans
import CareStores
import FHIR
import Foundation

extension CareCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the current entities of the plan.",
            discussion: """
                Entities that were changed without a network are shown as they will be sent.

                Example:
                  tributary care show --store ann task --json
                  tributary care show --store dora --patient ACCOUNT --versions --json
                """)
        @OptionGroup var care: CareOptions
        @Argument(help: "The type; without it all types are shown.") var type: String?
        @Flag(help: "Show all versions, deletions too, instead of the current ones.") var versions = false

        func run() async throws {
            let kind = try type.map { try CareArguments.kind($0) }
            let store = try await care.open()
            let entities = versions ? await store.versions(kind) : await store.entities(kind)
            guard !care.account.json else { return CommandOutput.result(.array(entities.map(\.json))) }
            CommandOutput.table(
                ["type", "id", "title", "version"],
                entities.map { entity in
                    let title = entity.object["title"]?.string ?? ""
                    return [entity.kind.rawValue, entity.id, title, entity.uuid.uuidString]
                })
        }
    }

    struct Events: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "events", abstract: "Show the events of the tasks in a time, with their outcomes.",
            discussion: """
                An event counts if it overlaps the time. --from belongs to the time, and --to does not. Up to 10,000 events
                of 400 days are shown.

                Example:
                  tributary care events --store ann --from 2026-11-01 --to 2026-11-08 --json
                """)
        @OptionGroup var care: CareOptions
        @Option(help: "The start, a date or a time; UTC unless it has an offset.") var from: String
        @Option(help: "The end, a date or a time; UTC unless it has an offset.") var to: String

        func run() async throws {
            let (start, end) = try CareArguments.range(from: from, to: to)
            let store = try await care.open()
            let events = try await store.events(from: start, to: end)
            guard !care.account.json else { return CommandOutput.result(.array(events.map(\.json))) }
            CommandOutput.table(
                ["task", "occurrence", "start", "end", "done"],
                events.map { event in
                    let json = event.json
                    return [
                        json["task"]?.string ?? "", json["occurrence"]?.integer.map { String($0) } ?? "",
                        json["start"]?.string ?? "", json["end"]?.string ?? "",
                        json["outcome"]?.object == nil ? "no" : "yes",
                    ]
                })
        }
    }

    struct Adherence: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "adherence", abstract: "Show how many events of each day were due and done.",
            discussion: """
                A day is that of the calendar of the schedule. Tasks without impactsAdherence and HealthKit tasks do not
                count. Both days are included; up to 400 days are shown.

                Example:
                  tributary care adherence --store ann --from 2026-11-01 --to 2026-11-30 --json
                """)
        @OptionGroup var care: CareOptions
        @Option(help: "The first day.") var from: String
        @Option(help: "The last day.") var to: String

        func run() async throws {
            let first = try CareArguments.day(from, "--from")
            let last = try CareArguments.day(to, "--to")
            let store = try await care.open()
            let days = try await store.adherence(from: first, to: last)
            guard !care.account.json else { return CommandOutput.result(.array(days.map(\.json))) }
            CommandOutput.table(
                ["date", "due", "done"], days.map { [$0.day.text, String($0.due), String($0.done)] })
        }
    }

    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync", abstract: "Synchronise the copy with the server.",
            discussion: """
                Exit status 1 if the server does not have all versions of the copy afterwards. Versions that the server
                refuses for good are named on standard error, and by `care quarantine`.

                Example:
                  tributary care sync --store ann --json
                """)
        @OptionGroup var care: CareOptions

        func run() async throws {
            let store = try await care.open(isSyncing: true)
            let report = try await store.sync()
            care.account.show(
                report.json,
                lines: [
                    "pulled    \(report.pulled)", "pushed    \(report.pushed)", "resolved  \(report.resolved)",
                ])
            for version in await store.quarantine {
                CommandOutput.note("The server refused version \(version.uuid.uuidString) [\(version.code)].")
            }
            guard report.unsent == 0 else { throw ExitCode(1) }
        }
    }

    struct Quarantine: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "quarantine", abstract: "Show the versions that the server refused for good.",
            discussion: """
                They remain in the copy until --discard, and are not sent until --retry. A version with a cause was not
                refused itself: it follows the version that was.

                Example:
                  tributary care quarantine --store ann --json
                  tributary care quarantine --store ann --retry
                """)
        @OptionGroup var care: CareOptions
        @Flag(help: "Send the versions again with the next sync.") var retry = false
        @Flag(help: "Remove the versions from the copy.") var discard = false

        func validate() throws {
            guard !(retry && discard) else { throw ValidationError("Give --retry or --discard, not both.") }
        }

        func run() async throws {
            let store = try await care.open()
            let quarantine = await store.quarantine
            if retry { try await store.retryQuarantined() }
            if discard { try await store.discardQuarantined() }
            guard !care.account.json else { return CommandOutput.result(.array(quarantine.map(\.json))) }
            CommandOutput.table(
                ["version", "code", "cause"],
                quarantine.map { [$0.uuid.uuidString, $0.code, $0.cause?.uuidString ?? ""] })
        }
    }
}
