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
            html.element("p", attributes: ["class": "warning"], importReport.problem?.message ?? Self.truncated)
        }
        let skipped = importReport.skipped.sorted { $0.key < $1.key }.flatMap { type, reasons in
            reasons.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
                (name: type, cells: [ReportTable.Cell.words(Self.words(reason.rawValue)), .number(count)])
            }
        }
        table("Elements that are no observation", header: ["Type", "Why", "Elements"], rows: skipped, to: &html)
        let otherResources = importReport.otherResources.sorted { $0.key < $1.key }.flatMap { type, counts in
            counts.sorted { $0.key < $1.key }.map { what, count in
                (name: type, cells: [ReportTable.Cell.words(Self.words(what)), .number(count)])
            }
        }
        table("From files of their own", header: ["Type", "Final result", "Records"], rows: otherResources, to: &html)
        table(
            "Files without a result", header: ["Why", "Files"], rows: Self.rows(importReport.fileProblems), to: &html)
        table("Repaired in files", header: ["How", "Files"], rows: Self.rows(importReport.fileNotes), to: &html)
        table("Never read", header: ["What", "How many"], rows: Self.rows(importReport.notRead), to: &html)
        table(
            "Repaired while reading", header: ["How", "Observations"], rows: Self.rows(importReport.repaired), to: &html
        )
        table(
            "Unlikely values", header: ["Type", "Observations"],
            rows: Self.rows(importReport.implausible, isName: true), to: &html)
        let rest = leftOut.filter { $0.count > 0 }.map { (name: $0.what, cells: [ReportTable.Cell.number($0.count)]) }
        table("Left out of the plots", header: ["What", "Observations"], rows: rest, to: &html)
    }

    static let truncated = "The export ends in the middle; the page shows what came before."

    private func table(
        _ title: String, header: [String], rows: [(name: String, cells: [ReportTable.Cell])],
        to html: inout HTML
    ) {
        guard !rows.isEmpty else { return }
        html.element("h3", title)
        html.element("div", attributes: ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": title]) {
            html in
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
