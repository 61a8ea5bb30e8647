import HealthData
import SleepNights

/// The section of one type of measurement: a sentence, a plot, a daily summary, and a link to the file with all rows.
struct MeasurementView {
    /// Maximum number of days in the daily summary; the plot and the file have all of them.
    static let maximumDays = 366

    /// The identifier of the plot in the page: letters, digits and `-`.
    let id: String
    let content: MeasurementReport.Content
    /// The totals of each day, for a cumulative type.
    let totals: [DailyAggregate]
    /// The nights, for sleep.
    let nights: [(day: HealthDay, times: SleepTimes)]

    func write(to html: inout HTML) {
        html.element("h3", attributes: ["id": id], content.title)
        html.line()
        html.element("p", lead)
        if let single {
            html.element("p", single)
        } else if !nights.isEmpty {
            SleepView(nights: nights).write(to: &html)
        } else if !content.activities.isEmpty {
            WorkoutsView(activities: content.activities.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).write(
                to: &html)
        } else if content.type?.identifier == "HKQuantityTypeIdentifierStepCount" {
            StepsView(days: totals, implausible: 0).write(to: &html)
        } else if !totals.isEmpty {
            AmountView(
                id: id, title: content.title, unit: content.type?.unit?.display ?? "", ucum: content.type?.unit?.ucum,
                days: totals
            ).write(to: &html)
        } else if !content.series.isEmpty {
            for (index, series) in content.series.sorted(by: { $0.key < $1.key }).enumerated() {
                RangeView(
                    id: "\(id)-\(index)", title: series.key.title, unit: series.key.unit, ucum: series.key.ucum,
                    days: series.value.all
                ).write(to: &html)
            }
        } else if !content.options.isEmpty {
            ReportTable(
                caption: content.title, names: .words, isCaptionHidden: true, header: ["Value", "Times"],
                rows: content.options.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                    ($0.key, [.number($0.value)])
                }
            ).write(to: &html)
        }
        if let file = content.file {
            html.element("p", attributes: ["class": "file"]) { html in
                html.text("Every row: ")
                html.element("a", attributes: ["href": file], file)
            }
        }
        html.line()
    }

    /// The value as text if a plot would have a single mark; otherwise nil.
    private var single: String? {
        guard content.count == 1 else { return nil }
        if let total = totals.first, totals.count == 1 {
            return Self.words(
                content.title, value: total.total, unit: content.type?.unit?.display ?? "",
                ucum: content.type?.unit?.ucum)
        }
        let series = content.series.sorted { $0.key < $1.key }
        guard !series.isEmpty else { return nil }
        return series.compactMap { key, days in
            days.all.first.map { Self.words(key.title, value: $0.values.lowest, unit: key.unit, ucum: key.ucum) }
        }.joined(separator: "; ")
    }

    private static func words(_ title: String, value: Double, unit: String, ucum: String?) -> String {
        "\(title): \(MeasurementNumber.text(value, ucum: ucum)) \(unit)"
    }

    private var lead: String {
        var text = ReportNumber.count(content.count, "measurement")
        if let first = content.first, let last = content.last {
            text += first == last ? " on \(first.text)" : " from \(first.text) to \(last.text)"
        }
        return text + "."
    }
}

/// The daily totals of cumulative amounts.
struct AmountView {
    let id: String
    let title: String
    let unit: String
    let ucum: String?
    let days: [DailyAggregate]

    func write(to html: inout HTML) {
        guard
            let sums = Periods(
                days.map { (day: $0.day, value: (total: $0.total, days: 1)) },
                combine: { $0 = ($0.total + $1.total, $0.days + $1.days) })
        else { return }
        let isByDay = sums.period == .day
        let means = sums.filled.map { $0.value.total / Double($0.value.days) }
        let top = ReportNumber.ceiling(means.max() ?? 1)
        let name = isByDay ? "\(title) per day" : "\(title) per day, average of each \(sums.period.rawValue)"
        let chart = TimeChart(
            name: id, title: name,
            description: "A bar for each \(sums.period.rawValue) from \(sums.range).", scale: 0...top,
            labels: [top, top / 2, 0].map { MeasurementNumber.text($0, ucum: nil) }, period: sums.period,
            starts: sums.starts)
        html.element("figure") { html in
            chart.write(to: &html) { html in
                for (index, value) in sums.values.enumerated() {
                    guard let value else { continue }
                    let mean = value.total / Double(value.days)
                    chart.mark(
                        "bar", at: index, from: 0, to: mean, least: 1,
                        words:
                            "\(sums.period.label(sums.starts[index])): \(MeasurementNumber.text(mean, ucum: ucum)) \(unit)",
                        in: &html)
                }
            }
            html.element(
                "figcaption",
                "\(unit.isEmpty ? title : unit) per day. If several sources measured the same time, one is used."
            )
            DailySummary.write(
                title, header: ["Day", unit.isEmpty ? "Total" : "Total, \(unit)"],
                rows: days.map { ($0.day, [DailySummary.cell($0.total, ucum: ucum)]) }, to: &html)
        }
    }
}

/// Lowest, average and highest values by day.
struct RangeView {
    let id: String
    let title: String
    let unit: String
    let ucum: String?
    let days: [(day: HealthDay, values: MeasurementDays.Values)]

    func write(to html: inout HTML) {
        guard let ranges = Periods(days.map { (day: $0.day, value: $0.values) }, combine: { $0.add($1) }) else {
            return
        }
        let lowest = days.map(\.values.lowest).min() ?? 0
        let highest = days.map(\.values.highest).max() ?? 1
        let margin = max((highest - lowest) * 0.1, abs(highest) * 0.02, 0.01)
        let low = lowest >= 0 ? max(0, lowest - margin) : lowest - margin
        // A percentage does not exceed 100.
        let high = ucum == "%" && highest <= 100 ? min(100, highest + margin) : highest + margin
        let name = unit.isEmpty ? title : "\(title), \(unit)"
        let chart = TimeChart(
            name: id, title: name,
            description:
                "A bar for each \(ranges.period.rawValue) from \(ranges.range), from the lowest to the highest "
                + "value, with a line at the average.",
            scale: low...high, labels: [high, (low + high) / 2, low].map { MeasurementNumber.text($0, ucum: ucum) },
            period: ranges.period, starts: ranges.starts)
        html.element("figure") { html in
            html.element("h4", name)
            chart.write(to: &html) { html in
                for (index, values) in ranges.values.enumerated() {
                    guard let values, let mean = values.mean else { continue }
                    let words =
                        "\(ranges.period.label(ranges.starts[index])): \(number(values.lowest)) to "
                        + "\(number(values.highest)), average \(number(mean)) \(unit)"
                    chart.mark(
                        "range", at: index, from: values.lowest, to: values.highest, least: 3, words: words, in: &html)
                    chart.mark("middle", at: index, from: mean, to: mean, least: 3, words: words, in: &html)
                }
            }
            TimeChart.legend([("range", "lowest to highest"), ("middle", "average")], to: &html)
            DailySummary.write(
                title, header: ["Day", "Measurements", "Lowest", "Average", "Highest"],
                rows: days.map { day, values in
                    (
                        day,
                        [
                            .number(values.count), DailySummary.cell(values.lowest, ucum: ucum),
                            DailySummary.cell(values.mean ?? 0, ucum: ucum),
                            DailySummary.cell(values.highest, ucum: ucum),
                        ]
                    )
                }, to: &html)
        }
    }

    private func number(_ value: Double) -> String { MeasurementNumber.text(value, ucum: ucum) }
}

/// The table of a type with a row for each day, the newest first.
enum DailySummary {
    static func cell(_ value: Double, ucum: String?) -> ReportTable.Cell {
        ReportTable.Cell(text: MeasurementNumber.text(value, ucum: ucum), value: String(value))
    }

    static func write(
        _ title: String, header: [String], rows: [(day: HealthDay, cells: [ReportTable.Cell])], to html: inout HTML
    ) {
        let shown = rows.suffix(MeasurementView.maximumDays).reversed()
        let caption =
            shown.count < rows.count
            ? "\(title): the last \(shown.count) of \(ReportNumber.count(rows.count, "day")) with data"
            : "\(title), day by day"
        ReportTable(caption: caption, header: header, rows: shown.map { ($0.day.text, $0.cells) }).writeDetails(
            to: &html, summary: "\(title), day by day")
    }
}
