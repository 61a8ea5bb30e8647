import HealthData

/// The view of the import report: the elements that were read, those that were not, and the reasons.
struct ImportReportView {
    let importReport: HealthImportReport
    /// The observations that were read and are not in the plots, counted by reason.
    let leftOut: [(what: String, count: Int)]

    func write(to html: inout HTML) {
        html.element(
            "p",
            "\(ReportNumber.grouped(importReport.read)) elements were read: "
                + "\(ReportNumber.grouped(importReport.converted)) are observations, "
                + "\(ReportNumber.grouped(importReport.skippedTotal)) are not.")
        if importReport.outcome != .complete {
            html.element("p", ["class": "warning"], importReport.problem?.message ?? Self.truncated)
        }
        let skipped = importReport.skipped.sorted { $0.key < $1.key }.flatMap { type, reasons in
            reasons.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
                (name: type, cells: [ReportTable.Cell.words(Self.words(reason.rawValue)), .number(count)])
            }
        }
        table("Elements that are no observation", ["Type", "Why", "Elements"], skipped, to: &html)
        let besides = importReport.besides.sorted { $0.key < $1.key }.flatMap { type, counts in
            counts.sorted { $0.key < $1.key }.map { what, count in
                (name: type, cells: [ReportTable.Cell.words(Self.words(what)), .number(count)])
            }
        }
        table("From files of their own", ["Type", "Final result", "Records"], besides, to: &html)
        table("Files without a result", ["Why", "Files"], Self.rows(importReport.fileProblems), to: &html)
        table("Repaired in files", ["How", "Files"], Self.rows(importReport.fileNotes), to: &html)
        table("Never read", ["What", "How many"], Self.rows(importReport.notRead), to: &html)
        table("Repaired while reading", ["How", "Observations"], Self.rows(importReport.repaired), to: &html)
        table(
            "Unlikely values", ["Type", "Observations"], Self.rows(importReport.implausible, isName: true), to: &html)
        let rest = leftOut.filter { $0.count > 0 }.map { (name: $0.what, cells: [ReportTable.Cell.number($0.count)]) }
        table("Left out of the plots", ["What", "Observations"], rest, to: &html)
    }

    static let truncated = "The export ends in the middle; the page shows what came before."

    private func table(
        _ title: String, _ header: [String], _ rows: [(name: String, cells: [ReportTable.Cell])],
        to html: inout HTML
    ) {
        guard !rows.isEmpty else { return }
        html.element("h3", title)
        html.element("div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": title]) { html in
            ReportTable(caption: title, names: .words, isCaptionHidden: true, header: header, rows: rows).write(
                to: &html)
        }
        html.line()
    }

    private static func rows(
        _ counts: [String: Int], isName: Bool = false
    ) -> [(name: String, cells: [ReportTable.Cell])] {
        counts.sorted { $0.key < $1.key }.map { (name: isName ? $0.key : words($0.key), cells: [.number($0.value)]) }
    }

    /// Returns a stable code as words.
    private static func words(_ code: String) -> String { code.replacing("-", with: " ") }
}
