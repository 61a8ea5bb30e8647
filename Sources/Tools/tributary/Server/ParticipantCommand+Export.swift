import ArgumentParser
import Consumer
import FHIR
import Foundation
import HealthReport
import Records
import TributaryServer
import Trust
import Warehouse

extension ParticipantCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write all that is held of a participant, to be given to them.",
            discussion: """
                bundle.json (FHIR R4, every version, what waits as far as the study's keys open it), facts.csv,
                accesses.csv (who saw or changed it), waiting.json and index.html, a page to read. The files are readable
                by you alone.

                Example:
                  tributary participant export study P -o /secure/export-P
                """)
        @OptionGroup var location: StoresLocation
        @Argument(help: "The participant: the id of their Patient.") var id: String
        @Option(name: .shortAndLong, help: "The folder to write into.") var output: String
        @Flag(help: "Replace files that are there.") var force = false
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let written = try await location.withStores { queue, records in
                let export = try await ParticipantExport(
                    of: id, folder: StudyFolder(path: location.dir), queue: queue, records: records, actor: .account)
                return try await ParticipantExportFiles(export, of: id, folder: output, replaces: force).write(
                    at: Date())
            }
            if json {
                CommandOutput.result([
                    "participant": .string(id), "folder": .string(output),
                    "resources": .number(JSONNumber(written.resources)),
                    "versions": .number(JSONNumber(written.versions)), "facts": .number(JSONNumber(written.facts)),
                    "modifiers": .number(JSONNumber(written.modifiers)),
                    "accesses": .number(JSONNumber(written.accesses)), "waiting": .number(JSONNumber(written.waiting)),
                    "opened": .number(JSONNumber(written.opened)),
                ])
            } else {
                CommandOutput.result(
                    "\(written.resources) resources in \(written.versions) versions, \(written.facts) facts "
                        + "with \(written.modifiers) modifiers, "
                        + "\(written.accesses) accesses, \(written.waiting) waiting (\(written.opened) opened)")
            }
            if written.opened < written.waiting {
                CommandOutput.note("Some that waits could not be opened with the keys in keys/; waiting.json names it.")
            }
        }
    }
}

/// Writes the files of a participant's export.
struct ParticipantExportFiles {
    struct Written {
        var resources = 0
        var versions = 0
        /// Without their modifiers, as `participant show` counts them; `facts.csv` holds both.
        var facts = 0
        var modifiers = 0
        var accesses = 0
        var waiting = 0
        var opened = 0
    }

    static let names = ["bundle.json", "facts.csv", "accesses.csv", "waiting.json", "index.html"]
    /// More rows of one kind do not help a reader; the other files have all of them.
    private static let rowsShown = 2000

    private let export: ParticipantExport
    private let participant: String
    private let folder: URL
    private let replaces: Bool

    /// - Throws: ``CommandError`` `file-exists`, `file-unwritable`: before anything is written.
    init(_ export: ParticipantExport, of participant: String, folder: String, replaces: Bool) throws {
        self.export = export
        self.participant = participant
        self.folder = URL(fileURLWithPath: folder, isDirectory: true)
        self.replaces = replaces
        let files = FileManager.default
        if !files.fileExists(atPath: folder) {
            do {
                try files.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw CommandError("file-unwritable", "The folder \(folder) cannot be made.")
            }
        }
        for name in Self.names where !replaces && files.fileExists(atPath: path(name)) {
            throw CommandError("file-exists", "There is a file \(path(name)) already; --force replaces it.")
        }
    }

    func write(at date: Date) async throws -> Written {
        var written = Written()
        var tables: [String: (count: Int, rows: [[String]])] = [:]
        let waiting = try await writeBundle(at: date, &written, &tables)
        try await writeFacts(&written)
        let accesses = try await writeAccesses(&written)
        try OutputFile.write(
            Data((JSON.array(waiting.map(\.json)).text(.pretty) + "\n").utf8), to: path("waiting.json"),
            replaces: replaces)
        let page = page(at: date, written, tables, accesses, waiting.map(\.row))
        try OutputFile.write(Data(page.utf8), to: path("index.html"), replaces: replaces)
        return written
    }

    // MARK: - Files

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a file line by line, whole or not at all.
    private func file(_ name: String, _ body: (OutputFile) async throws -> Void) async throws {
        let file = try OutputFile(path: path(name), replaces: replaces)
        do {
            try await body(file)
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
    }

    private func writeBundle(
        at date: Date, _ written: inout Written, _ tables: inout [String: (count: Int, rows: [[String]])]
    ) async throws -> [(json: JSON, row: [String])] {
        var counts = written
        var shown = tables
        var waiting: [(json: JSON, row: [String])] = []
        try await file("bundle.json") { file in
            try file.write(line: { $0.append(contentsOf: ParticipantExport.bundleHead(at: date).utf8) })
            var isFirst = true
            func write(_ entry: JSON) throws {
                try file.write(line: { line in
                    if !isFirst { line.append(UInt8(ascii: ",")) }
                    entry.write(to: &line)
                })
                isFirst = false
            }
            try await export.eachVersion { version in
                for entry in try export.entries(of: version) { try write(entry) }
                counts.versions += 1
                guard version.isCurrent else { return }
                counts.resources += 1
                shown[version.record.type, default: (0, [])].count += 1
                if (shown[version.record.type]?.rows.count ?? 0) < Self.rowsShown {
                    let row = ReadableResource(resource: try version.record.resource()).row
                    shown[version.record.type]?.rows.append(row)
                }
            }
            try await export.eachWaiting { submission in
                if let entry = export.entry(of: submission) {
                    try write(entry)
                    counts.opened += 1
                }
                counts.waiting += 1
                waiting.append(Self.waiting(submission))
            }
            try file.write(line: { $0.append(contentsOf: ParticipantExport.bundleEnd.utf8) })
        }
        written = counts
        tables = shown
        return waiting
    }

    private static func waiting(_ submission: ParticipantExport.Waiting) -> (json: JSON, row: [String]) {
        let summary = submission.summary
        let isOpened = submission.payload != nil
        return (
            [
                "submission": .string(summary.submissionID), "device": .string(summary.lane),
                "receivedAt": .string(DateTime(summary.receivedAt).text), "status": .string(summary.status.rawValue),
                "reason": summary.reasonCode.map { .string($0) } ?? .null, "bytes": .number(JSONNumber(summary.size)),
                "opened": .bool(isOpened),
                "entry": isOpened ? .string("Binary/waiting-\(summary.number)") : .null,
            ],
            [
                ReadableResource.time(DateTime(summary.receivedAt, milliseconds: false).text), summary.status.rawValue,
                summary.reasonCode ?? "–", isOpened ? "in bundle.json" : "could not be opened",
            ]
        )
    }

    private func writeFacts(_ written: inout Written) async throws {
        var counts = (facts: 0, modifiers: 0)
        try await file("facts.csv") { file in
            try file.write(line: { CSVLine.write(ParticipantFact.columns, to: &$0) })
            try await export.eachFact { fact in
                if fact.isModifier { counts.modifiers += 1 } else { counts.facts += 1 }
                try file.write(line: { CSVLine.write(fact.values.map { $0 ?? "" }, to: &$0) })
            }
        }
        (written.facts, written.modifiers) = counts
    }

    private func writeAccesses(_ written: inout Written) async throws -> [[String]] {
        var count = 0
        var shown: [[String]] = []
        try await file("accesses.csv") { file in
            try file.write(line: { CSVLine.write(Self.accessColumns, to: &$0) })
            try await export.eachAccess { entry in
                // Whom else an answer showed is not told.
                let row = [
                    DateTime(entry.at).text, entry.actor ?? "", entry.role ?? "", entry.action,
                    entry.resourceType ?? "", entry.isAllowed ? "yes" : "no", entry.reason,
                ]
                count += 1
                if shown.count < Self.rowsShown { shown.append([ReadableResource.time(row[0])] + row.dropFirst()) }
                try file.write(line: { CSVLine.write(row, to: &$0) })
            }
        }
        written.accesses = count
        return shown
    }

    private static let accessColumns = ["at", "actor", "role", "action", "resource", "allowed", "reason"]

    // MARK: - The page

    private func page(
        at date: Date, _ written: Written, _ tables: [String: (count: Int, rows: [[String]])], _ accesses: [[String]],
        _ waiting: [[String]]
    ) -> String {
        func cut(_ rows: [[String]], of count: Int) -> String? {
            count > rows.count
                ? "The first \(rows.count) of \(count); the files beside this page hold all of them." : nil
        }
        var sections = tables.sorted { $0.key < $1.key }.map { type, table in
            ParticipantPage.Section(
                id: "type-" + type, title: ReadableResource.heading(of: type), note: cut(table.rows, of: table.count),
                header: ["When", "What", "Content"], rows: table.rows)
        }
        sections.append(
            ParticipantPage.Section(
                id: "waiting", title: "Waiting or set aside", header: ["Received", "Status", "Reason", "Content"],
                rows: waiting))
        sections.append(
            ParticipantPage.Section(
                id: "accesses", title: "Who saw or changed it", note: cut(accesses, of: written.accesses),
                header: ["When", "Who", "Role", "What", "Resource", "Allowed", "Reason"], rows: accesses))
        return ParticipantPage(
            title: "What is held of participant \(participant)",
            summary: [
                ("As of", ReadableResource.time(DateTime(date, milliseconds: false).text)),
                ("Resources", String(written.resources)),
                ("Versions", String(written.versions)),
                ("Facts", "\(written.facts) with \(written.modifiers) modifiers"),
            ], sections: sections
        ).html
    }
}

/// A line of comma-separated values (RFC 4180), without its end.
private enum CSVLine {
    static func write(_ values: [String], to line: inout [UInt8]) {
        for (place, value) in values.enumerated() {
            if place > 0 { line.append(UInt8(ascii: ",")) }
            guard value.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else {
                line.append(contentsOf: value.utf8)
                continue
            }
            line.append(UInt8(ascii: "\""))
            line.append(contentsOf: value.replacingOccurrences(of: "\"", with: "\"\"").utf8)
            line.append(UInt8(ascii: "\""))
        }
        line.append(0x0D)
    }
}
