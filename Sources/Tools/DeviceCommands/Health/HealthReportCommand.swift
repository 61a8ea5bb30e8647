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
            let importReport = try await Self.write(
                HealthReportPage(since: first, until: last), of: export, to: output, replaces: force)
            ImportReportOutput.show(importReport, json: json)
            try ImportReportOutput.check(importReport)
        }

        /// Converts an export and writes its page, completely or not at all.
        ///
        /// - Parameters:
        ///   - page: the page without data.
        ///   - replaces: whether an existing file is replaced.
        /// - Throws: ``CommandError`` for files that cannot be read or written.
        package static func write(
            _ page: HealthReportPage, of export: String, to output: String, replaces: Bool = false
        ) async throws -> HealthImportReport {
            var page = page
            let source = try CommandInput.export(export)
            let file = try OutputFile(path: output, replaces: replaces)
            do {
                let importReport = try await source.convert(
                    HealthSelection(), into: HealthSink(special: { page.add($0.record) }) { page.add($0) },
                    progress: ProgressLine().show)
                try file.write(line: { $0.append(contentsOf: page.html(importReport: importReport).utf8) })
                try file.finish()
                return importReport
            } catch {
                file.discard()
                throw error
            }
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
