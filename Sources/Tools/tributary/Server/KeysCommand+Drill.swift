import ArgumentParser
import FHIR
import Foundation
import TributaryServer

extension KeysCommand {
    struct Drill: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drill", abstract: "Prove that a copy of the keys opens what phones send, and what waits.",
            discussion: """
                A message is sealed to each published key, as phones do it, and opened with the copy; then what waits in the queue
                is opened: in the study's own, or in that of a backup, which is restored into a temporary folder for it. Nothing
                of the messages is shown, and the study is not changed. The exit code is 1 where anything stays closed.

                Example:
                  tributary keys drill study --keys /mnt/safe/keys --backup /backup/study.tar
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The folder with the copy of keys/; the study's own where it is left out.") var keys: String?
        @Option(help: "A backup of the study (`tributary backup`), whose mail is opened instead of the study's.")
        var backup: String?
        @Option(help: "The queue's database, if it is not the study's own.") var queue: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let drill = try await StudyKeyDrill.run(
                StudyStores(StudyFolder(path: dir), queue: queue), copy: keys, backup: backup, at: Date())
            if json {
                CommandOutput.result([
                    "keys": .array(
                        drill.keys.map { ["kid": .string($0.keyID), "opens": .bool($0.opens)] }),
                    "root": .string(drill.root.rawValue),
                    "messages": [
                        "waiting": .number(JSONNumber(drill.messages)), "opened": .number(JSONNumber(drill.opened)),
                    ],
                ])
            } else {
                CommandOutput.table(
                    ["key", "opens"], drill.keys.map { [$0.keyID, $0.opens ? "yes" : "NO"] })
                CommandOutput.result("root key: \(drill.root.rawValue)")
                CommandOutput.result("messages that wait: \(drill.messages), opened: \(drill.opened)")
            }
            guard drill.isPassed else {
                throw CommandError(
                    "drill-failed",
                    "These keys do not open everything: find the key files that are missing before you need them.")
            }
        }
    }
}
