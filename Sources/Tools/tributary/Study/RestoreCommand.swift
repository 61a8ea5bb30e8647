import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyOperations

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Create a study from a backup.",
        discussion: """
            The folder must not contain a study. The backup is verified completely before anything is created. Phones
            detect the restore and resend data that the backup lacked. Participants and accounts that were deleted after
            the backup are deleted again, by the list in deletions/list.json of the folder, or the one of --deletions.
            Account holders must sign in again.

            Example:
              tributary restore /backup/study.tar -o study
            """)

    @Argument(help: "The backup's file.") var file: String
    @Option(name: .shortAndLong, help: "The study's folder to create.") var output: String
    @Option(help: "The study's list of deleted participants and accounts, if it is not in deletions/ of the folder.")
    var deletions: String?
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let restored = try await StudyBackup.restore(
            file, into: output, deletions: deletions, actor: .account, at: Date())
        if json {
            var result: JSONObject = JSONObject()
            result["submissions"] = .number(JSONNumber(restored.submissions))
            result["records"] = .number(JSONNumber(restored.records))
            if let accounts = restored.accounts { result["accounts"] = .number(JSONNumber(accounts)) }
            result["epoch"] = .number(JSONNumber(Int(restored.epoch)))
            if restored.hasDeletionList {
                result["deletedAgain"] = .number(JSONNumber(restored.deletedAgain))
                if restored.accounts != nil {
                    result["accountsDeletedAgain"] = .number(JSONNumber(restored.accountsDeletedAgain))
                }
            }
            CommandOutput.result(.object(result))
        } else {
            let accounts = restored.accounts.map { " and \($0) accounts" } ?? ""
            CommandOutput.result(
                "restored \(restored.submissions) submissions and \(restored.records) records\(accounts)")
        }
        if restored.deletedAgain > 0 {
            CommandOutput.note("Participants deleted after the backup, and now again: \(restored.deletedAgain).")
        }
        if restored.accountsDeletedAgain > 0 {
            CommandOutput.note("Accounts deleted after the backup, and now again: \(restored.accountsDeletedAgain).")
        }
        if !restored.hasDeletionList {
            CommandOutput.note(
                "No list of deleted participants was found. If any were deleted since the backup, restore with --deletions."
            )
        }
        if restored.isToBeLoaded {
            CommandOutput.note(
                "The facts were in other tables; `tributary warehouse load \(output)` makes them again."
            )
        }
        CommandOutput.note(
            "A backup contains no private keys: restore keys/ (0700) in \(output) before serving."
        )
    }
}
