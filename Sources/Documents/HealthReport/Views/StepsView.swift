import HealthData

/// The steps of each day or week.
struct StepsView {
    /// The displayed days, in order.
    let days: [DailyAggregate]
    /// Number of samples with an implausible number of steps.
    let implausible: Int

    func write(to html: inout HTML) {
        guard let sums = Periods(days.map { ($0.day, Sum($0)) }, combine: { $0.add($1) }) else {
            html.element("p", "There are no steps.")
            return
        }
        let word = sums.period.rawValue
        let isByDay = sums.period == .day
        let total = days.reduce(0) { $0 + $1.total }
        let plain = days.reduce(0) { $0 + $1.plainSum }
        let mean = total / Double(days.count)
        html.element(
            "p",
            "\(ReportNumber.count(ReportNumber.whole(total), "step")) on \(ReportNumber.count(days.count, "day")): "
                + "\(ReportNumber.grouped(mean)) on an average day with data.")
        let title = isByDay ? "Steps per day" : "Steps per day, average of each \(word)"
        let highest = sums.filled.map(\.value.mean).max() ?? 0
        let top = ReportNumber.ceiling(max(highest, 10))
        let chart = TimeChart(
            name: "steps", title: title,
            description: "A bar for each \(word) from \(sums.range). The highest is "
                + "\(ReportNumber.grouped(highest)) steps a day.",
            scale: 0...top, labels: [top, top / 2, 0].map { ReportNumber.grouped($0) }, period: sums.period,
            starts: sums.starts)
        html.element("figure") { html in
            html.element("h3", title)
            chart.write(to: &html) { html in
                for (index, value) in sums.values.enumerated() {
                    guard let value else { continue }
                    let words = "\(sums.period.label(sums.starts[index])): \(ReportNumber.grouped(value.mean)) steps"
                    chart.mark(
                        "bar", at: index, from: 0, to: value.mean, least: 1, words: isByDay ? words : words + " a day",
                        in: &html)
                }
            }
            html.element("figcaption", caption(total: total, plain: plain))
            table(sums).writeDetails(to: &html, summary: "Steps as a table")
        }
    }

    private func caption(total: Double, plain: Double) -> String {
        var text =
            "If several sources counted the same time, one is used, in the order: entries by hand, the watch, "
            + "the phone, all others."
        if ReportNumber.whole(plain) > ReportNumber.whole(total) {
            text += " The plain sum of the sources is \(ReportNumber.grouped(plain)) steps."
        }
        if implausible > 0 {
            text += " Left out: \(ReportNumber.count(implausible, "sample")) with an unlikely number."
        }
        return text
    }

    private func table(_ sums: Periods<Sum>) -> ReportTable {
        let isByDay = sums.period == .day
        return ReportTable(
            caption: "Steps by \(sums.period.rawValue) of the person's clock",
            header: isByDay
                ? ["Day", "Steps", "All sources added up"]
                : [sums.period.title, "Steps", "Days with data", "Steps a day", "All sources added up"],
            rows: sums.filled.map { start, sum in
                let total = ReportTable.Cell.number(ReportNumber.whole(sum.total))
                let plain = ReportTable.Cell.number(ReportNumber.whole(sum.plain))
                let mean = ReportTable.Cell.number(ReportNumber.whole(sum.mean))
                return (sums.period.label(start), isByDay ? [total, plain] : [total, .number(sum.days), mean, plain])
            })
    }

    private struct Sum {
        var total: Double
        var plain: Double
        var days = 1
        var mean: Double { total / Double(days) }

        init(_ day: DailyAggregate) {
            total = day.total
            plain = day.plainSum
        }

        mutating func add(_ other: Sum) {
            total += other.total
            plain += other.plain
            days += other.days
        }
    }
}

extension ReportPeriod {
    /// The heading of a column.
    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
