import HealthData

/// The days with data of each source.
struct CoverageView {
    /// The sources in descending priority, each with the number of observations by day.
    let sources: [(name: String, days: [Int: Int])]

    private static let rowHeight = 44

    func write(to html: inout HTML) {
        let numbers = sources.flatMap(\.days.keys)
        guard let first = numbers.min(), let last = numbers.max() else {
            html.element("p", "There are no observations.")
            return
        }
        let days = HealthDay(number: first)...HealthDay(number: last)
        let period = ReportPeriod(of: days)
        let starts = period.starts(of: days)
        let rows = sources.map { (name: $0.name, counts: Self.counts($0.days, starts), days: $0.days.count) }
        html.element(
            "p",
            "Observations from \(days.lowerBound.text) to \(days.upperBound.text), by kind of product. Names of "
                + "people, apps and devices are not stored.")
        let title = "Data by source and \(period.rawValue)"
        html.element("figure") { html in
            html.element("h3", title)
            TimeChart.legend(
                [
                    ("few", "under 10 a day"), ("some", "under 100"), ("many", "under 1,000"),
                    ("bar", "1,000 and more"),
                ], to: &html)
            TimeChart.drawing(
                name: "coverage", title: title,
                description: "A row for each source, with a mark for each \(period.rawValue) with data: "
                    + rows.map { "\($0.name) on \(ReportNumber.count($0.days, "day"))" }.joined(separator: ", ") + ".",
                height: rows.count * Self.rowHeight + 24, to: &html
            ) { html in
                for (index, row) in rows.enumerated() {
                    let y = index * Self.rowHeight
                    html.element("text", attributes: ["class": "name", "x": "0", "y": String(y + 15)], row.name)
                    html.element(
                        "text", attributes: ["x": "100%", "y": String(y + 15), "text-anchor": "end"],
                        ReportNumber.count(row.days, "day"))
                    draw(row.counts, name: row.name, y: y + 21, period: period, starts: starts, to: &html)
                }
                TimeChart.ticks(period, starts, y: rows.count * Self.rowHeight + 12, to: &html)
            }
            html.line()
            html.element(
                "figcaption", "The stronger the colour, the more observations a day, over all kinds of data.")
            ReportTable(
                caption: "Observations by \(period.rawValue) and source",
                header: [period.title] + rows.map(\.name),
                rows: starts.indices.filter { index in rows.contains { $0.counts[index].count > 0 } }.map { index in
                    (period.label(starts[index]), rows.map { .number($0.counts[index].count) })
                }
            ).writeDetails(to: &html, summary: "Sources as a table")
        }
    }

    private func draw(
        _ counts: [(count: Int, days: Int)], name: String, y: Int, period: ReportPeriod, starts: [HealthDay],
        to html: inout HTML
    ) {
        html.element(
            "rect", attributes: ["class": "track", "x": "0", "y": String(y), "width": "100%", "height": "14"]
        ) { _ in }
        let slots = Double(TimeChart.slots(starts.count))
        for (index, value) in counts.enumerated() where value.count > 0 {
            let mean = value.count / max(1, value.days)
            let style = mean < 10 ? "few" : mean < 100 ? "some" : mean < 1000 ? "many" : "bar"
            html.element(
                "rect",
                attributes: [
                    "class": style, "y": String(y), "height": "14",
                    "x": ReportNumber.percent(Double(index) / slots),
                    "width": ReportNumber.percent(1 / slots),
                ]
            ) { $0.element("title", "\(name), \(period.label(starts[index])): \(ReportNumber.grouped(value.count))") }
            html.line()
        }
    }

    /// Returns the number of observations in each period, and the number of days with observations.
    private static func counts(_ days: [Int: Int], _ starts: [HealthDay]) -> [(count: Int, days: Int)] {
        var counts = Array(repeating: (count: 0, days: 0), count: starts.count)
        var index = 0
        for (day, count) in days.sorted(by: { $0.key < $1.key }) {
            while index + 1 < starts.count, starts[index + 1].number <= day { index += 1 }
            counts[index].count += count
            counts[index].days += 1
        }
        return counts
    }
}
