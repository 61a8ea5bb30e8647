import AppleHealthExport
import ArgumentParser
import Foundation
import HealthData
import HealthReport

extension HealthCommand {
    package struct Report: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Make a page with plots of an export: steps, heart rate, sleep, workouts, sources.",
            discussion: """
                The page is one HTML file that loads nothing else and contains no names. Steps that both phone and \
                watch counted are counted once. The end of the page lists the elements that were not read.

                Example:
                  tributary health report export.zip -o report.html --since 2026-01-01
                """)
        @Argument(help: "The export: a folder, export.xml or export.zip.") package var export: String
        @Option(name: [.customShort("o"), .long], help: "The HTML file to write.") var output: String
        @Option(help: "The first day to show, by the person's clock.") package var since: String?
        @Option(help: "The last day to show.") package var until: String?
        @Flag(help: "Replace a file that is there already.") package var force = false
        @Flag(help: "Print the report on the export as one JSON value.") package var json = false

        package func run() async throws {
            LargeAllocations.giveBack()
            let (first, last) = (try day(since, "--since"), try day(until, "--until"))
            if let first, let last, last < first { throw ValidationError("--until must not be before --since.") }
            var report = HealthReportPage(since: first, until: last)
            let source = try CommandInput.export(export)
            let file = try OutputFile(path: output, replaces: force)
            let importReport: HealthImportReport
            do {
                importReport = try await source.convert(
                    HealthSelection(), into: HealthSink(special: { report.add($0.record) }) { report.add($0) },
                    progress: ProgressLine().show)
                try file.write(line: { $0.append(contentsOf: report.html(importReport: importReport).utf8) })
                try file.finish()
            } catch {
                file.discard()
                throw error
            }
            ImportReportOutput.show(importReport, json: json)
            try ImportReportOutput.check(importReport)
        }

        private func day(_ text: String?, _ option: String) throws -> HealthDay? {
            guard let text else { return nil }
            guard let day = HealthDay(text) else {
                throw ValidationError("\(option) takes a day such as 2026-01-31.")
            }
            return day
        }
    }
}
