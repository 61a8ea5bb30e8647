import HealthData

/// The range and the median of the heart rate.
struct HeartRateView {
    let days: [(day: HealthDay, range: HeartRateDays.Range)]
    /// Number of samples with an implausible rate.
    let implausible: Int

    func write(to html: inout HTML) {
        guard
            let ranges = Periods(days.map { (day: $0.day, value: $0.range) }, combine: { $0.add($1) }),
            var all = days.first?.range
        else {
            html.element("p", "There are no heart rates.")
            return
        }
        for day in days.dropFirst() { all.add(day.range) }
        let word = ranges.period.rawValue
        html.element(
            "p",
            "\(ReportNumber.count(all.count, "measurement")) on \(ReportNumber.count(days.count, "day")), from "
                + "\(ReportNumber.tenth(all.lowest)) to \(ReportNumber.tenth(all.highest)) beats a minute; "
                + "the median is \(all.median ?? 0).")
        let low = (all.lowest / 20).rounded(.down) * 20
        let high = max(low + 40, (all.highest / 20).rounded(.up) * 20)
        let title = "Heart rate by \(word)"
        let chart = TimeChart(
            name: "heart-rate", title: title,
            description: "A bar for each \(word) from \(ranges.range), from the lowest to the highest rate of the "
                + "\(word), with a line at the median.",
            scale: low...high, labels: [high, (low + high) / 2, low].map { ReportNumber.grouped($0) },
            period: ranges.period, starts: ranges.starts)
        html.element("figure") { html in
            html.element("h3", title)
            TimeChart.legend([("range", "lowest to highest"), ("middle", "median")], to: &html)
            chart.write(to: &html) { html in
                for (index, range) in ranges.values.enumerated() {
                    guard let range, let median = range.median else { continue }
                    let words =
                        "\(ranges.period.label(ranges.starts[index])): \(ReportNumber.tenth(range.lowest)) to "
                        + "\(ReportNumber.tenth(range.highest)), median \(median) beats a minute"
                    chart.mark(
                        "range", at: index, from: range.lowest, to: range.highest, least: 3, words: words, in: &html)
                    chart.mark(
                        "middle", at: index, from: Double(median), to: Double(median), least: 3, words: words,
                        in: &html)
                }
            }
            html.element("figcaption", caption)
            table(ranges).writeDetails(to: &html, summary: "Heart rate as a table")
        }
    }

    private var caption: String {
        var text = "Beats a minute. The median is that of the rates rounded to whole beats."
        if implausible > 0 {
            text += " Left out: \(ReportNumber.count(implausible, "sample")) with an unlikely rate."
        }
        return text
    }

    private func table(_ ranges: Periods<HeartRateDays.Range>) -> ReportTable {
        ReportTable(
            caption: "Heart rate in beats a minute, by \(ranges.period.rawValue) of the person's clock",
            header: [ranges.period.title, "Samples", "Lowest", "Median", "Highest"],
            rows: ranges.filled.map { start, range in
                (
                    ranges.period.label(start),
                    [.number(range.count), .number(range.lowest), .number(range.median), .number(range.highest)]
                )
            })
    }
}
