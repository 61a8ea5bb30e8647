import ArgumentParser
import Audit
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import TributaryServer

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "The audit: actions, their actors, and the participants whose data was shown.",
        discussion: "Example:\n  tributary audit list study", subcommands: [List.self, Head.self, Verify.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the audit's rows, the newest first.",
            discussion: "Example:\n  tributary audit list study --participant P --json")
        @OptionGroup var location: RecordsLocation
        @Option(help: "Only rows about this participant.") var participant: String?
        @Option(help: "Maximum number of rows.") var limit = 1000
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000000.") }
            let rows = try await location.withAccess {
                try await $0.audit.entries(participant: participant, limit: limit)
            }
            if json {
                CommandOutput.result(.array(rows.map(Self.json)))
            } else {
                CommandOutput.table(
                    ["at", "actor", "client", "action", "what", "participants", "allowed", "reason"],
                    rows.map { row in
                        let what = [row.resourceType, row.resourceID].compactMap { $0 }.joined(separator: "/")
                        let shown = row.participants.prefix(3).joined(separator: " ")
                        let more = row.participants.count > 3 ? " and \(row.participants.count - 3) more" : ""
                        return [
                            DateTime(row.at, milliseconds: false).text, row.actor ?? "-", row.client ?? "-", row.action,
                            what.isEmpty ? "-" : what, shown.isEmpty ? "-" : shown + more, row.isAllowed ? "yes" : "no",
                            row.reason,
                        ]
                    })
            }
        }

        private static func json(_ row: AuditEntry) -> JSON {
            func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
            return [
                "number": .number(JSONNumber(Int(row.number))), "at": .string(DateTime(row.at).text),
                "actor": text(row.actor), "client": text(row.client), "role": text(row.role),
                "action": .string(row.action),
                "resourceType": text(row.resourceType), "resourceId": text(row.resourceID),
                "participants": .array(row.participants.map { .string($0) }), "allowed": .bool(row.isAllowed),
                "reason": .string(row.reason),
                "amount": row.amount.map { .number(JSONNumber(Int($0))) } ?? .null,
            ]
        }
    }
}
