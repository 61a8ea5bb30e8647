import AppleHealthExport
import ArgumentParser
import FHIR
import FHIRVersions
import Foundation
import HealthData
import SleepNights

package struct HealthCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Health data: Apple Health exports and the types of HealthKit.",
        discussion: "Example:\n  tributary health convert export.zip -o observations.ndjson",
        subcommands: [Convert.self, Load.self, Report.self, Types.self])

    package struct Convert: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "convert",
            abstract: "Convert an export to FHIR Observations, one per line, without people's names.",
            discussion: """
                The export is a folder, export.xml or export.zip. The summary accounts for every element of it.

                Example:
                  tributary health convert export.zip -o observations.ndjson --types HeartRate,StepCount --since 2026-01-01
                """)
        @Argument(help: "The export.") package var export: String
        @Option(name: [.customShort("o"), .long], help: "The NDJSON file to write.") var output: String
        @Option(help: "An NDJSON file for the devices that the Observations refer to.") package var devices: String?
        @OptionGroup var choice: HealthChoice
        @Option(
            parsing: .unconditional, help: "The participant's Patient id; without it the Observations have no subject.")
        var subject: String?
        @Option(help: "The unit of values: metric, or as-recorded where UCUM has a code for it.")
        var units: HealthSelection.Units = .metric
        @Flag(help: "Replace files that are there already.") package var force = false
        @Flag(help: "Print the summary as one JSON value.") package var json = false

        package func run() async throws {
            LargeAllocations.giveBack()
            var selection = try choice.selection()
            selection.subject = subject
            selection.units = units
            let source = try CommandInput.export(export)
            let file = try OutputFile(path: output, replaces: force)
            let importReport: HealthImportReport
            do {
                let deviceFile = try devices.map { try OutputFile(path: $0, replaces: force) }
                var nights = choice.includes(.nights) ? HealthNights() : nil
                let sink = HealthSink(
                    special: { record in
                        for resource in record.resources {
                            try file.write(line: { $0.append(contentsOf: resource.bytes()) })
                        }
                    },
                    device: { device in
                        try deviceFile?.write(line: {
                            $0.append(contentsOf: device.resource(subject: subject).bytes())
                        })
                    },
                    observation: { observation in
                        try file.write(line: { observation.write(to: &$0) })
                        nights?.add(observation)
                    })
                var converted = try await source.convert(
                    selection, into: sink, progress: ProgressLine().show)
                for night in nights?.nights() ?? [] {
                    try file.write(line: { $0.append(contentsOf: night.observation(subject: subject).json.bytes()) })
                    converted.otherResources[HealthNight.Code.summary, default: [:]]["derived", default: 0] += 1
                }
                importReport = converted
                try file.finish()
                try deviceFile?.finish()
            } catch {
                file.discard()
                throw error
            }
            ImportReportOutput.show(importReport, json: json)
            try ImportReportOutput.check(importReport)
        }
    }
}

extension HealthSelection.Units: ExpressibleByArgument {}

/// The options of commands that read an export.
package struct HealthChoice: ParsableArguments {
    /// Creates the value with its defaults.
    package init() {}

    @Option(help: "Only these types, separated by commas; HealthKit's identifiers, with or without prefix.")
    var types: String?
    @Option(help: "Only samples that ended on or after this date (UTC).") var since: String?
    @Option(
        help: """
            Data that is converted only if named, separated by commas: routes, clinical-records, notes, heartbeats, \
            nights. For a study, the consent must name it; without this option, everything that the consent names is \
            converted.
            """)
    var include: String?
    @Option(help: "A JSON file with a study's own types, and changes to those of the table.") var supplement: String?

    /// - Parameter study: the study that the data is for; nil if there is none.
    func selection(for study: HealthStudy? = nil) throws -> HealthSelection {
        let begin = try since.map { text in
            guard let date = DateTime(text) else { throw ValidationError("--since takes a date such as 2026-01-31.") }
            return date.start()
        }
        let table =
            try supplement.map { try Self.table(path: $0, on: study?.table ?? .standard) } ?? study?.table ?? .standard
        var selection = HealthSelection(
            since: begin, types: try Self.words(types).map { try HealthSelection.types(named: $0, in: table) },
            table: table)
        selection.inclusions = try inclusions(for: study)
        selection.convertDSTU2 = { resource in
            guard let object = resource.object else { return .none }
            return try? FHIRConversion.toR4(Resource(object), from: .dstu2).resource.json
        }
        return selection
    }

    private func inclusions(for study: HealthStudy?) throws -> Set<HealthSelection.Inclusion> {
        guard let words = Self.words(include) else { return study?.inclusions ?? [] }
        let asked = try words.map { word in
            guard let inclusion = HealthSelection.Inclusion(rawValue: word) else {
                let known = HealthSelection.Inclusion.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--include takes \(known).")
            }
            return inclusion
        }
        if let study { try study.permit(asked) }
        return Set(asked)
    }

    func includes(_ inclusion: HealthSelection.Inclusion) -> Bool {
        Self.words(include)?.contains(inclusion.rawValue) == true
    }

    /// Returns a table with a file's additions.
    static func table(path: String, on table: HealthTypeTable = .standard) throws -> HealthTypeTable {
        try table.applying(supplement: JSON(Array(try CommandInput.file(path))))
    }

    private static func words(_ text: String?) -> [String]? {
        text?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

/// Prints the report on an export's elements.
enum ImportReportOutput {
    static func show(_ importReport: HealthImportReport, json: Bool) {
        if json {
            CommandOutput.result(importReport.json)
            return
        }
        CommandOutput.result(
            "read \(importReport.read), converted \(importReport.converted), skipped \(importReport.skippedTotal)")
        var rows = importReport.convertedByType.sorted { $0.key < $1.key }.map {
            [$0.key, "converted", String($0.value)]
        }
        for (type, reasons) in importReport.skipped.sorted(by: { $0.key < $1.key }) {
            rows += reasons.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { [type, "skipped: \($0.key.rawValue)", String($0.value)] }
        }
        for (kind, counts) in importReport.otherResources.sorted(by: { $0.key < $1.key }) {
            rows += counts.sorted { $0.key < $1.key }.map { ["\(kind) (other resource)", $0.key, String($0.value)] }
        }
        for problem in importReport.fileProblems.sorted(by: { $0.key < $1.key }) {
            rows.append(["(files)", problem.key, String(problem.value)])
        }
        rows += importReport.fileNotes.sorted { $0.key < $1.key }.map {
            ["(files)", "note: \($0.key)", String($0.value)]
        }
        rows += importReport.filtered.sorted { $0.key < $1.key }.map {
            ["(of the export)", "left out: \($0.key)", String($0.value)]
        }
        rows += importReport.repaired.sorted { $0.key < $1.key }.map {
            ["(of the converted)", "repaired: \($0.key)", String($0.value)]
        }
        if !rows.isEmpty { CommandOutput.table(["type", "what", "count"], rows) }
    }

    /// Throws an error for a truncated export, even though the part that was read is converted.
    static func check(_ importReport: HealthImportReport) throws {
        guard importReport.outcome != .complete else { return }
        throw CommandError(
            importReport.problem?.code ?? "export-truncated",
            importReport.problem?.message ?? "The export ends in the middle; what was read was converted.")
    }
}
