import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension KeysCommand {
    struct Drill: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drill", abstract: "Test that a copy of the keys opens new messages, and those in the queue.",
            discussion: """
                Seals a message to each published key, as phones do, and opens it with the copy. Then opens the messages
                in the queue: in the study's own, or in that of a backup, which is restored into a temporary folder. No
                content is shown, and the study is not changed. The exit code is 1 if any message cannot be opened.

                Example:
                  tributary keys drill study --keys /mnt/safe/keys --backup /backup/study.tar
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The folder with the copy of keys/; the study's own by default.") var keys: String?
        @Option(help: "A backup of the study (`tributary backup`), whose queue is used instead of the study's.")
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
                CommandOutput.result("messages in the queue: \(drill.messages), opened: \(drill.opened)")
            }
            guard drill.isPassed else {
                throw CommandError(
                    "drill-failed",
                    "These keys do not open everything: find the missing key files before you need them.")
            }
        }
    }
}
