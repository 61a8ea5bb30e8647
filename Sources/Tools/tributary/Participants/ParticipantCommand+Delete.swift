import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations
import TributaryServer

extension ParticipantCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a participant from every store, at their request, and write a signed report.",
            discussion: """
                Deletes all versions of records, facts, consent, links, device bindings, and waiting or quarantined
                submissions, except the data that "keepOnDelete" in study.json names. The files of the stores are
                rewritten, and copies of earlier states next to them (*.before-*) are deleted. Later submissions for the
                participant are refused. Run the same command again to complete an interrupted deletion. Store
                deletions/list.json separately from the backups: a restore uses it to repeat deletions. The command asks
                for the participant's id again, on standard input; --yes skips this for scripts.

                Example:
                  tributary participant delete study P --reason "Asked by letter of 2 March"
                """)
        @OptionGroup var location: StoresLocation
        @Argument(help: "The participant: the id of their Patient.") var id: String
        @Option(help: "The reason, for the report; it must not name any person.") var reason: String
        @Flag(help: "Delete without asking for the participant's id again.") var yes = false
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard reason.contains(where: { !$0.isWhitespace }) else {
                throw ValidationError("--reason takes a sentence: the report says why the participant was deleted.")
            }
        }

        /// Asks for the id again, because a deletion cannot be undone.
        private func confirm() throws {
            guard !yes else { return }
            CommandOutput.note(
                "This deletes everything of the participant \(id), and cannot be undone. Repeat the id to continue:")
            guard readLine()?.trimmingCharacters(in: .whitespaces) == id else {
                throw CommandError(
                    "deletion-unconfirmed",
                    "The id was not repeated, and nothing was deleted. Type it again when asked, or give --yes.")
            }
        }

        func run() async throws {
            try confirm()
            let stores = try StudyStores(
                StudyFolder(path: location.dir), queue: location.queue, database: location.database)
            let result = try await StudyDeletion(stores, actor: .account).delete(id, reason: reason)
            do {
                _ = try await stores.withRecords { try await stores.replicateWarehouse($0) }
            } catch {
                CommandOutput.note(
                    "The i2b2 of the other database could not be reached and has the participant still: `serve` and "
                        + "`tributary warehouse replicate` remove them there.")
            }
            if json {
                CommandOutput.result([
                    "removed": Self.counts(result.removed), "kept": Self.counts(result.kept),
                    "report": .string(result.report),
                ])
            } else {
                CommandOutput.table(
                    ["what", "removed", "kept"],
                    Set(result.removed.keys).union(result.kept.keys).sorted().map { name in
                        [name, String(result.removed[name] ?? 0), String(result.kept[name] ?? 0)]
                    })
                CommandOutput.result("report: \(result.report)")
            }
            CommandOutput.note(
                "Earlier backups and exports contain the participant until you destroy them; a restore deletes "
                    + "them again by deletions/list.json.")
        }

        private static func counts(_ values: [String: Int]) -> JSON {
            JSON(values.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .number(JSONNumber($0.value))) })
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check that the report of a deletion is as the study signed it.",
            discussion: """
                Equivalent: openssl dgst -sha256 -verify report-key.pem -signature REPORT.sig REPORT

                Example:
                  tributary participant verify study study/deletions/report-....json
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Argument(help: "The report; its signature is in the file next to it.") var report: String
        @Option(help: "The public key (PEM), if it is not the study's deletions/report-key.pem.") var key: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() throws {
            let key = key.map { URL(fileURLWithPath: $0) } ?? StudyFolder(path: dir).deletionPublicKeyURL
            let isGenuine = try StudyDeletionReport.isGenuine(URL(fileURLWithPath: report), key: key)
            if json { CommandOutput.result(["genuine": .bool(isGenuine)]) }
            guard isGenuine else {
                throw CommandError(
                    "report-not-genuine", "The report or its signature was changed, or another key signed it.")
            }
            if !json { CommandOutput.result("genuine") }
        }
    }
}
