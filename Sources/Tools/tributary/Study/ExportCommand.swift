import AccessPolicy
import Admission
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
        commandName: "export", abstract: "Write the records as FHIR, a file of lines for each type, or as CSV tables.",
        discussion: """
            Writes one Type.ndjson for each type (https://hl7.org/fhir/R4/nd-json.html) with the present versions of all
            resources. Each file is complete or absent, and readable only by you. The audit records whose records they
            were.

            --format csv writes tables for statistics: participants.csv, observations.csv, responses-FORM.csv with a row
            for each response and a column for each question, and codebook.csv, which explains the columns. The
            participants are those of `warehouse count`: without those who have withdrawn, with --shared only those
            whose consent in force permits sharing, with --among only those that a file lists. The folder appears when
            all files are complete. A text that begins with = + - @, an apostrophe, a tab or a line break has an
            apostrophe before it, so that no spreadsheet executes it.

            Examples:
              tributary export study -o /secure/export --type Observation --type Patient --since 2026-01-31
              tributary export study -o /secure/tables --format csv --shared
            """)
    @OptionGroup var location: RecordsLocation
    @Option(name: .shortAndLong, help: "The folder to write into.") var output: String
    @Option(help: "A resource type; repeatable. All types otherwise.") var type: [String] = []
    @Option(help: "Only resources changed then or later: a date, or a time with its offset.") var since: String?
    @Option(help: "Only resources of the members of this Group, by its id.") var group: String?
    @Option(help: "ndjson or csv.") var format: Format = .ndjson
    @Option(help: "With csv: only participants whose ids this file lists, one per line.") var among: String?
    @OptionGroup(title: "With csv") var selection: CountedOptions
    @Flag(help: "Replace files that are there.") var force = false
    @Flag(help: "Print one JSON value.") var json = false

    enum Format: String, ExpressibleByArgument { case ndjson, csv }

    func validate() throws {
        switch format {
        case .ndjson:
            guard selection.participants == .notWithdrawn, among == nil else {
                throw ValidationError("--shared, --with-withdrawn and --among are for --format csv.")
            }
        case .csv:
            guard type.isEmpty, since == nil, group == nil else {
                throw ValidationError("--type, --since and --group are for --format ndjson.")
            }
        }
    }

    func run() async throws {
        switch format {
        case .ndjson: try await writeLines()
        case .csv: try await writeTables()
        }
    }

    private func writeTables() async throws {
        let study = StudyFolder(path: location.dir)
        let listed = try among.map { try ParticipantList.read($0) }
        let rules = try study.configuration().deidentification
        let counts = try await location.withRecords { database in
            let folder = try StagedFolder(path: output, replaces: force, isOwn: TableExport.isOwn)
            do {
                let counts = try await TableExport(
                    of: study, database: database, selection: selection.participants, listed: listed, to: folder.staging
                ).run()
                try folder.finish()
                return counts
            } catch {
                folder.discard()
                throw error
            }
        }
        if json {
            CommandOutput.result(JSON(counts: counts))
        } else {
            for (file, count) in counts.sorted(by: { $0.key < $1.key }) {
                CommandOutput.result("\(file): \(count) rows")
            }
        }
        if rules != .none {
            CommandOutput.note(
                "The tables have the dates and texts of the records: the rules of study.json for i2b2 do not apply.")
        }
    }

    private func writeLines() async throws {
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
                    try await audit.recordExport(of: type, showing: new)
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
