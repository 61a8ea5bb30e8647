import ArgumentParser
import FHIR
import Foundation
import Storage
import TributaryServer

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "What waits, what is held, what could not be handled.",
        discussion: "Example:\n  tributary queue status study",
        subcommands: [Status.self, Show.self, Retry.self, Discard.self])

    /// Which study and database.
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
            commandName: "status", abstract: "Count what waits.",
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
            discussion: "Example:\n  tributary queue show study")
        @OptionGroup var location: Location
        @Argument(help: "A submission's id.") var id: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let rows = try await location.withQueue { try await $0.show(submissionID: id?.lowercased()) }
            if id != nil, rows.isEmpty { throw CommandError("submission-unknown", "There is no such submission.") }
            if json {
                let list = JSON.array(rows.map(QueueCommand.json))
                CommandOutput.result(["submissions": list])
            } else {
                CommandOutput.table(
                    ["submission", "device", "status", "received", "tries", "reason", "detail"],
                    rows.map {
                        [
                            $0.submissionID, $0.lane, $0.status.rawValue, DateTime($0.receivedAt).text,
                            String($0.attempts), $0.reasonCode ?? "-", $0.detail ?? "",
                        ]
                    })
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Have a quarantined or held submission handled again.",
            discussion: "Example:\n  tributary queue retry study --all")
        @OptionGroup var location: Location
        @Argument(help: "A submission's id.") var id: String?
        @Flag(help: "All that are quarantined.") var all = false
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard (id == nil) == all else { throw ValidationError("Name a submission, or --all.") }
        }

        func run() async throws {
            let count = try await location.withQueue { queue in
                guard let id else { return try await queue.retryAllQuarantined() }
                return try await queue.retry(submissionID: id.lowercased()) ? 1 : 0
            }
            if id != nil, count == 0 {
                throw CommandError("submission-not-waiting", "There is no quarantined or held submission of that id.")
            }
            if json {
                CommandOutput.result(["retried": .number(JSONNumber(count))])
            } else {
                CommandOutput.result("\(count) will be handled again")
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard",
            abstract: "Refuse a quarantined or held submission for good; its sealed bytes are deleted.",
            discussion: "Example:\n  tributary queue discard study 6f1e...")
        @OptionGroup var location: Location
        @Argument(help: "The submission's id.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let done = try await location.withQueue { try await $0.discard(submissionID: id.lowercased(), at: Date()) }
            guard done else {
                throw CommandError("submission-not-waiting", "There is no quarantined or held submission of that id.")
            }
            if json {
                CommandOutput.result(["discarded": .string(id.lowercased())])
            } else {
                CommandOutput.result("discarded \(id.lowercased())")
            }
        }
    }

    static func json(_ row: SubmissionSummary) -> JSON {
        [
            "submission": .string(row.submissionID), "client": .string(row.clientID),
            "device": .string(row.lane),
            "status": .string(row.status.rawValue), "format": .string(row.format.rawValue),
            "receivedAt": .string(DateTime(row.receivedAt).text), "attempts": .number(JSONNumber(row.attempts)),
            "reason": row.reasonCode.map { .string($0) } ?? .null, "detail": row.detail.map { .string($0) } ?? .null,
        ]
    }
}
