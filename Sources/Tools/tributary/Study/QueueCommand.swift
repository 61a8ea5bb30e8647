import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations
import Submissions
import TributaryServer

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Waiting, held and quarantined submissions.",
        discussion: "Example:\n  tributary queue status study",
        subcommands: [Status.self, Show.self, Retry.self, Discard.self])

    /// The study and database of a command.
    struct Location: ParsableArguments {
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The queue's database, if it is not the study's own.") var queue: String?

        func withQueue<T>(_ body: (SQLSubmissionQueue) async throws -> T) async throws -> T {
            try await StudyStores(StudyFolder(path: dir), queue: queue).withQueue {
                try await body(SQLSubmissionQueue(database: $0))
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Count the submissions in the queue.",
            discussion: "Example:\n  tributary queue status study --json")
        @OptionGroup var location: Location
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let now = Date()
            let status = try await location.withQueue { try await $0.status(now: now) }
            let age = status.oldestReceivedAt.map { max(0, Int(now.timeIntervalSince($0))) }
            if json {
                CommandOutput.result([
                    "depth": .number(JSONNumber(status.depth)),
                    "oldestAge": age.map { .number(JSONNumber($0)) } ?? .null,
                    "held": .number(JSONNumber(status.held)), "quarantined": .number(JSONNumber(status.quarantined)),
                ])
            } else {
                CommandOutput.table(
                    ["waiting", "oldest (s)", "held", "quarantined"],
                    [
                        [
                            String(status.depth), age.map(String.init) ?? "-", String(status.held),
                            String(status.quarantined),
                        ]
                    ])
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show submissions that are not stored, or one.",
            discussion: """
                They are sorted by receipt, one page at a time; --after takes the last number of the previous page
                ("next"). Statuses are received, held, quarantined, refused and stored.

                Example:
                  tributary queue show study
                  tributary queue show study --status quarantined --reason answers-invalid --since 2026-03-01
                  tributary queue show study --limit 100 --after 4711
                """)
        @OptionGroup var location: Location
        @Argument(help: "A submission's id.") var id: String?
        @Option(help: "Only those with this status; repeatable.") var status: [String] = []
        @Option(help: "Only those with this reason code.") var reason: String?
        @Option(help: "Only those that were received at this date or time (UTC), or later.") var since: String?
        @Option(help: "Maximum number of submissions of a page.") var limit = 500
        @Option(help: "The last number of the previous page.") var after: Int64?
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 10000.") }
            guard id == nil || (status.isEmpty && reason == nil && since == nil && after == nil) else {
                throw ValidationError("Use either a submission's id or filters.")
            }
            _ = try statuses()
            _ = try CommandInput.instant(since, "--since")
        }

        private func statuses() throws -> Set<SubmissionStatus> {
            Set(
                try status.flatMap { $0.split(separator: ",") }.map { text in
                    guard let status = SubmissionStatus(rawValue: String(text)) else {
                        throw ValidationError("--status takes received, held, quarantined, refused or stored.")
                    }
                    return status
                })
        }

        func run() async throws {
            let listing = SubmissionListing(
                statuses: try statuses(), reason: reason, since: try CommandInput.instant(since, "--since"),
                after: after, limit: limit + 1)
            let found = try await location.withQueue { queue in
                if let id { return try await queue.show(submissionID: id.lowercased()) }
                return try await queue.list(listing)
            }
            if id != nil, found.isEmpty { throw CommandError("submission-unknown", "There is no such submission.") }
            // One row more than the page shows that there is another.
            let rows = id == nil ? Array(found.prefix(limit)) : found
            let next = rows.count < found.count ? rows.last?.number : nil
            defer {
                if let next, !json {
                    CommandOutput.note("There are more; the next page: --after \(next)")
                }
            }
            if json {
                let list = JSON.array(rows.map(QueueCommand.json))
                CommandOutput.result(["submissions": list, "next": next.map { .number(JSONNumber($0)) } ?? .null])
            } else {
                CommandOutput.table(
                    ["submission", "device", "status", "received", "tries", "reason", "detail"],
                    rows.map {
                        [
                            $0.submissionID, $0.enrolmentID, $0.status.rawValue, DateTime($0.receivedAt).text,
                            String($0.attempts), $0.reasonCode ?? "-", $0.detail ?? "",
                        ]
                    })
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Process a quarantined or held submission again.",
            discussion: "Example:\n  tributary queue retry study --all")
        @OptionGroup var location: StoresLocation
        @Argument(help: "A submission's id.") var id: String?
        @Flag(help: "All quarantined submissions.") var all = false
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard (id == nil) == all else { throw ValidationError("Name a submission, or --all.") }
        }

        func run() async throws {
            let count = try await location.withStores { queue, records in
                try await StaffDecision(records: records, queue: queue, actor: .account).retry(id?.lowercased())
            }
            if json {
                CommandOutput.result(["retried": .number(JSONNumber(count))])
            } else {
                CommandOutput.result("\(count) will be processed again")
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard",
            abstract: "Refuse a quarantined or held submission permanently; its sealed bytes are deleted.",
            discussion: "Example:\n  tributary queue discard study 6f1e...")
        @OptionGroup var location: StoresLocation
        @Argument(help: "The submission's id.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let count = try await location.withStores { queue, records in
                try await StaffDecision(records: records, queue: queue, actor: .account).discard(id.lowercased())
            }
            if json {
                CommandOutput.result([
                    "discarded": .string(id.lowercased()), "submissions": .number(JSONNumber(count)),
                ])
            } else {
                CommandOutput.result("discarded \(id.lowercased())")
            }
        }
    }

    static func json(_ row: SubmissionSummary) -> JSON {
        [
            "number": .number(JSONNumber(row.number)), "submission": .string(row.submissionID),
            "client": .string(row.clientID),
            "device": .string(row.enrolmentID),
            "status": .string(row.status.rawValue), "format": .string(row.format.rawValue),
            "receivedAt": .string(DateTime(row.receivedAt).text), "attempts": .number(JSONNumber(row.attempts)),
            "reason": row.reasonCode.map { .string($0) } ?? .null, "detail": row.detail.map { .string($0) } ?? .null,
        ]
    }
}
