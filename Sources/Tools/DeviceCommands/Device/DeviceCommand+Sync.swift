import ArgumentParser
import Core
import Foundation
import HealthStores
import HealthSync

extension DeviceCommand {
    struct Sync: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync",
            abstract: "Send changes of a journal of health data to stores, as one background launch does.",
            discussion: """
                The journal replaces HealthKit, with one change per line; see docs/health-sync.md. Changes are sent to \
                the outbox, or to --to: outbox, ndjson=FILE, fhir=URL (a FHIR R4 server), hub=CONNECTION (an event \
                hub; hub=@FILE keeps the key out of the list of processes). The types are those that the signed \
                consent allows. Exit status 1 if a store failed; the next call sends the rest.
                Example:
                  tributary device sync --store phone --source journal.ndjson && tributary device send --store phone
                  tributary device sync --store phone --source journal.ndjson --to ndjson=health.ndjson --subject p1
                  tributary device sync --store phone --source journal.ndjson --to fhir=https://r4.example/fhir --token token.txt
                  tributary device sync --store phone --source journal.ndjson --to hub=@connection.txt --subject p1
                """)
        @OptionGroup var device: Store
        @Option(help: "The journal.") var source: String
        @Option(help: "A store; repeatable.") var to: [String] = []
        @Option(parsing: .unconditional, help: "Without the outbox: the Patient id of the samples.")
        var subject: String?
        @Option(help: "With fhir=: the file with the bearer token; it is read again if the server refuses it.")
        var token: String?
        @Option(help: "The certificate of a private authority of the servers (PEM); the enrolment's unless given.")
        var ca: String?
        @Option(help: "Maximum number of samples and deletions; the default is 2000 and a megabyte.")
        var samples: Int?

        func validate() throws {
            guard samples ?? 1 > 0 else { throw ValidationError("--samples takes a number above 0.") }
            guard subject.map(ResourceName.isID) ?? true else { throw ValidationError("--subject takes an id.") }
            _ = try targets()
        }

        private func targets() throws -> [HealthSyncTarget] {
            try (to.isEmpty ? ["outbox"] : to).map { text in
                guard let target = try HealthSyncTarget(text) else {
                    throw ValidationError(
                        "--to takes outbox, ndjson=FILE, fhir=URL (https, or http on this machine) or hub=CONNECTION.")
                }
                return target
            }
        }

        func run() async throws {
            let wake = try await HealthSyncWake(
                store: device.store, source: source, targets: try targets(), subject: subject, token: token,
                samples: samples,
                authority: try ca.map { String(decoding: try CommandInput.file($0), as: UTF8.self) })
            let report = await wake.run()
            if device.json {
                CommandOutput.result(report.json)
            } else {
                let rows = report.rows.map { row in
                    [
                        row.stream.type, row.stream.store,
                        "added \(row.added), updated \(row.updated), deleted \(row.deleted), quarantined \(row.quarantined)",
                        "waiting \(row.waiting)",
                    ]
                }
                if !rows.isEmpty { CommandOutput.table(["type", "store", "what", "left"], rows) }
                CommandOutput.result(report.hasMore ? "more is left: call again" : "in step")
            }
            for row in report.rows {
                guard let code = row.code else { continue }
                CommandOutput.note("\(row.stream.type) to \(row.stream.store): \(Self.sentence(code)) [\(code)]")
            }
            if report.hasFailed { throw ExitCode(1) }
        }

        /// Returns the sentence for a store's code.
        private static func sentence(_ code: String) -> String {
            switch code {
            case FHIRHealthStore.tokenMayNotWrite:
                "the token may not write (403); name one that may, such as system/*.cruds, by --token"
            case FHIRHealthStore.tokenMayNotRead:
                "the token may not search (403); name one that may, such as system/*.cruds, by --token"
            case "http-401": "the server does not accept the token (401)"
            default: "not all was taken"
            }
        }
    }

    struct SyncStatus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync-status",
            abstract: "Show the progress of each type of health data in each store, and quarantined samples.",
            discussion: "Example:\n  tributary device sync-status --store phone --json")
        @OptionGroup var device: Store

        func run() async throws {
            let folder = try HealthSyncWake.folder(of: device.store)
            let progress = HealthSyncFolder(HealthSyncWake.progress(in: folder))
            let status = await HealthSyncStatus(of: try await progress.streams(), in: progress)
            if device.json {
                CommandOutput.result(status.json)
                return
            }
            CommandOutput.table(
                ["type", "store", "waiting", "quarantined", "code"],
                status.rows.map { row in
                    [row.stream.type, row.stream.store, String(row.waiting), String(row.quarantined), row.code ?? ""]
                })
            for item in status.quarantine {
                CommandOutput.result("quarantined: \(item.entry.uuid) \(item.stream.type): \(item.entry.reason)")
            }
        }
    }
}
