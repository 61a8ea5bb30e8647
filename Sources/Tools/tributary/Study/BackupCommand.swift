import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up a study to one file, while its server runs.",
        discussion: """
            The file contains the queue, the records, the people store if the study has accounts, and the study's files,
            but no private key: back up keys/ separately, and store the two at different locations. It is not encrypted,
            and readable only by you.

            Example:
              tributary backup study -o /backup/study.tar
            """)

    @Argument(help: "The study's folder.") var dir: String
    @Option(name: .shortAndLong, help: "The file to write.") var output: String
    @Option(help: "The queue's database, if it is not the study's own.") var queue: String?
    @Option(help: "The records' database, if it is not the study's own.") var database: String?
    @Option(help: "The people store's database, if it is not the study's own.") var peopleDatabase: String?
    @Flag(help: "Replace the file if it is there.") var force = false
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let stores = try StudyStores(StudyFolder(path: dir), queue: queue, database: database, people: peopleDatabase)
        let report = try await StudyBackup.write(stores, to: output, force: force, at: Date())
        if json {
            var result: JSONObject = JSONObject()
            result["file"] = .string(report.file)
            result["bytes"] = .number(JSONNumber(Int(report.bytes)))
            result["sha256"] = .string(report.sha256)
            result["submissions"] = .number(JSONNumber(report.submissions))
            result["records"] = .number(JSONNumber(report.records))
            if let accounts = report.accounts { result["accounts"] = .number(JSONNumber(accounts)) }
            CommandOutput.result(.object(result))
        } else {
            CommandOutput.result("\(report.sha256)  \(report.file)")
            CommandOutput.note(
                "\(report.bytes) bytes: \(report.submissions) submissions, \(report.records) records"
                    + (report.accounts.map { ", \($0) accounts. " } ?? ". ")
                    + "The private keys in keys/ are not in it.")
        }
    }
}
