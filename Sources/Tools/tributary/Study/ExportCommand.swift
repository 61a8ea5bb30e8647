import AccessPolicy
import ArgumentParser
import Audit
import BulkExport
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import TributaryServer

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the records as FHIR, a file of lines for each type.",
        discussion: """
            Writes one Type.ndjson for each type (https://hl7.org/fhir/R4/nd-json.html) with the present versions of all
            resources. Each file is complete or absent, and readable only by you. The audit records whose records they
            were.

            Example:
              tributary export study -o /secure/export --type Observation --type Patient --since 2026-01-31
            """)
    @OptionGroup var location: RecordsLocation
    @Option(name: .shortAndLong, help: "The folder to write into.") var output: String
    @Option(help: "A resource type; repeatable. All types otherwise.") var type: [String] = []
    @Option(help: "Only resources changed then or later: a date, or a time with its offset.") var since: String?
    @Option(help: "Only resources of the members of this Group, by its id.") var group: String?
    @Flag(help: "Replace files that are there.") var force = false
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let start = try since.map { text in
            guard let time = DateTime(text) else {
                throw CommandError("since-invalid", "--since is a date or time such as 2026-01-31T12:00:00Z.")
            }
            return time.start()
        }
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError("file-unwritable", "The folder \(output) cannot be made.")
        }
        let base = try StudyFolder(path: location.dir).configuration().publicURL.map { $0 + "/fhir" }
        let counts = try await location.withRecords { database in
            let export = try await RecordExport(
                database: database, types: type.isEmpty ? nil : Set(type), since: start, group: group,
                base: base, at: Date())
            let audit = AuditLog(database: database, clock: { Date() })
            for type in export.types {
                try OutputFile.check(path(of: type, in: folder), replaces: force)
            }
            var counts: [(type: String, count: Int)] = []
            for type in export.types {
                let count = try await write(type, of: export, audit, to: path(of: type, in: folder))
                if count > 0 { counts.append((type, count)) }
            }
            return counts
        }
        if json {
            CommandOutput.result(
                .object(
                    JSONObject(
                        keepingFirst: counts.map {
                            JSONObject.Member(key: $0.type, value: .number(JSONNumber($0.count)))
                        })))
        } else {
            for (type, count) in counts { CommandOutput.result("\(type): \(count) resources") }
        }
    }

    private func path(of type: String, in folder: URL) -> String {
        folder.appendingPathComponent(type + ".ndjson").path
    }

    /// Writes the file of a type; no file if there are no resources.
    private func write(
        _ type: String, of export: RecordExport, _ audit: AuditLog, to path: String
    ) async throws -> Int {
        var file: OutputFile?
        var count = 0
        var recorded: Set<Int> = []
        do {
            try await export.each(ofType: type) { page in
                if let id = page.unreadable.first {
                    throw CommandError(
                        "record-damaged", "\(type)/\(id) cannot be read; restore the records from a backup.")
                }
                guard page.count > 0 else { return }
                // Each participant's data is recorded in the audit before it is written.
                let new = page.owners.filter { recorded.insert($0.hashValue).inserted }
                if !new.isEmpty || count == 0 {
                    try await audit.record(
                        audit.decision(.account, action: .exportRecords, target: Target(resourceType: type)),
                        by: .account,
                        action: .exportRecords, target: Target(resourceType: type), showing: new)
                }
                if file == nil { file = try OutputFile(path: path, replaces: force) }
                try file?.write(page.lines)
                count += page.count
            }
            try file?.finish()
        } catch {
            file?.discard()
            throw error
        }
        return count
    }
}
