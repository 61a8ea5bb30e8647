import Consumer
import DeviceCommands
import Enrolments
import FHIR
import Foundation
import HealthReport
import StudyOperations
import TributaryServer
import Warehouse
import Wire

/// Writes the files of a participant's export.
struct ParticipantExportFiles {
    struct Written {
        var resources = 0
        var versions = 0
        /// The number of current Observations; each has its rows in a CSV file.
        var measurements = 0
        /// The number of facts without their modifiers, as in `participant show`; `facts.csv` contains both.
        var facts = 0
        var modifiers = 0
        var accesses = 0
        /// The number of permissions, also of those that have ended.
        var permissions = 0
        var waiting = 0
        var opened = 0
    }

    /// The content of the page, collected while the other files are written.
    struct Gathered {
        /// Current resources by type, up to ``ParticipantExportFiles/maximumResources`` of each type.
        var resources: [String: [Resource]] = [:]
        var counts: [String: Int] = [:]
        var measurements = MeasurementReport()
        var accesses = AccessSummary()
        var waiting: [ParticipantExport.Waiting] = []
        var permissions: [PermissionRecord] = []
    }

    static let names = ["bundle.json", "facts.csv", "accesses.csv", "permissions.json", "waiting.json", "index.html"]
    /// Maximum number of resources of one type on the page. The other files contain all of them.
    static let maximumResources = 2000

    private let export: ParticipantExport
    private let participant: String
    private let folder: URL
    private let replaces: Bool

    /// - Throws: ``CommandError`` `file-exists`, `file-unwritable`, before anything is written.
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
                throw CommandError("file-unwritable", "The folder \(folder) cannot be created.")
            }
        }
        let measurements = MeasurementFiles.existing(in: self.folder)
        for name in Self.names + measurements where !replaces && files.fileExists(atPath: path(name)) {
            throw CommandError("file-exists", "There is a file \(path(name)) already; --force replaces it.")
        }
    }

    func write(at date: Date) async throws -> Written {
        var written = Written()
        var gathered = Gathered()
        let forms = ReadableForms(export.forms())
        let devices = try await export.devices()
        try await writeBundle(at: date, &written, &gathered)
        try await writeFacts(&written)
        try await writeAccesses(&written, &gathered)
        let permissions = try await export.permissions()
        written.permissions = permissions.count
        gathered.permissions = permissions
        try OutputFile.write(
            Data((JSON.array(permissions.map(\.json)).text(.pretty) + "\n").utf8), to: path("permissions.json"),
            replaces: replaces)
        try OutputFile.write(
            Data((JSON.array(gathered.waiting.map(Self.json)).text(.pretty) + "\n").utf8), to: path("waiting.json"),
            replaces: replaces)
        let page = page(at: date, gathered, forms: forms, devices: devices)
        try OutputFile.write(Data(page.html.utf8), to: path("index.html"), replaces: replaces)
        return written
    }

    // MARK: - Files

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a file line by line, completely or not at all.
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

    private func writeBundle(at date: Date, _ written: inout Written, _ gathered: inout Gathered) async throws {
        var (counts, content) = (written, gathered)
        let measurements = MeasurementFiles(folder: folder, replaces: replaces)
        do {
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
                    // The page lists permissions by themselves.
                    guard !version.record.provenance.isOfPermission else { return }
                    let type = version.record.type
                    content.counts[type, default: 0] += 1
                    if let observation: Observation = try version.record.resource().as() {
                        counts.measurements += 1
                        try measurements.add(observation)
                    } else if content.resources[type]?.count ?? 0 < Self.maximumResources {
                        content.resources[type, default: []].append(try version.record.resource())
                    }
                }
                try await export.eachPermissionRequest { try write(export.entry(of: $0)) }
                try await export.eachWaiting { submission in
                    if let entry = export.entry(of: submission) {
                        try write(entry)
                        counts.opened += 1
                    }
                    counts.waiting += 1
                    // The page names the submission; its content is in the bundle.
                    content.waiting.append(submission.withoutPayload)
                }
                try file.write(line: { $0.append(contentsOf: ParticipantExport.bundleEnd.utf8) })
            }
            content.measurements = try measurements.finish()
        } catch {
            measurements.discard()
            throw error
        }
        (written, gathered) = (counts, content)
    }

    private static func json(_ waiting: ParticipantExport.Waiting) -> JSON {
        let summary = waiting.summary
        return [
            "submission": .string(summary.submissionID), "device": .string(summary.enrolmentID),
            "receivedAt": .string(DateTime(summary.receivedAt).text), "status": .string(summary.status.rawValue),
            "reason": summary.reasonCode.map { .string($0) } ?? .null, "bytes": .number(JSONNumber(summary.size)),
            "opened": .bool(waiting.isOpened),
            "entry": waiting.isOpened ? .string("Binary/waiting-\(summary.number)") : .null,
        ]
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

    private func writeAccesses(_ written: inout Written, _ gathered: inout Gathered) async throws {
        var count = 0
        var summary = AccessSummary()
        try await file("accesses.csv") { file in
            try file.write(line: { CSVLine.write(Self.accessColumns, to: &$0) })
            try await export.eachAccess { entry in
                // Other participants in the same answer are left out.
                let row = [
                    DateTime(entry.at).text, entry.actor ?? "", entry.role ?? "", entry.action,
                    entry.resourceType ?? "", entry.isAllowed ? "yes" : "no", entry.reason,
                ]
                count += 1
                summary.add(entry)
                try file.write(line: { CSVLine.write(row, to: &$0) })
            }
        }
        written.accesses = count
        gathered.accesses = summary
    }

    private static let accessColumns = ["at", "actor", "role", "action", "resource", "allowed", "reason"]

    private func page(
        at date: Date, _ gathered: Gathered, forms: ReadableForms, devices: [DeviceBinding]
    ) -> ParticipantPage {
        ParticipantPage(of: participant, at: date, gathered, forms: forms, devices: devices)
    }
}

/// A line of comma-separated values (RFC 4180), without its end.
enum CSVLine {
    static func write(_ values: [String], to line: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
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
